"""The lengths of a data set, from a CSV."""

import csv
import math

from ..faults import BadInput


class Lengths(list):
    """The lengths of a column; `columns` has all columns of the file by name."""

    def __init__(self, columns, main):
        super().__init__(columns[main])
        self.columns = columns


def read_lengths(path, column=None):
    """Reads the output of `scan --lengths-only` or `lengths`, or any CSV of numbers."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            names = [name.strip() for name in next(rows, [])]
            main = main_column(path, names, column)
            columns = {name: [] for name in names}
            for cells in rows:
                add_row(columns, cells, f"{path}:{rows.line_num}")
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path}: is not a CSV: {error}") from None
    if not columns[main]:
        raise BadInput(f"{path}: has no rows")
    return Lengths(columns, main)


def main_column(path, names, chosen):
    if chosen is not None and chosen not in names:
        found = ", ".join(names)
        raise BadInput(f"{path}:1: has no column {chosen}: its columns are {found}")
    if len(set(names)) != len(names):
        raise BadInput(f"{path}:1: two columns have the same name")
    if chosen is None and "src_len" not in names and len(names) != 1:
        raise BadInput(
            f"{path}:1: has no column src_len", "say which column holds the lengths: --column NAME"
        )
    main = chosen or ("src_len" if "src_len" in names else names[0])
    if is_number(main):
        hint = "the first line names the columns, as `seqpoint scan --lengths-only` writes it"
        raise BadInput(f"{path}:1: has no header", hint)
    return main


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def add_row(columns, cells, place):
    if len(cells) != len(columns):
        raise BadInput(f"{place}: has {len(cells)} fields, the header {len(columns)}")
    for (name, values), cell in zip(columns.items(), cells):
        if not is_number(cell) or float(cell) < 0:
            raise BadInput(f"{place}: {name}: {cell!r} is not a number of 0 or more")
        values.append(int(cell) if cell.strip().isdecimal() else float(cell))
