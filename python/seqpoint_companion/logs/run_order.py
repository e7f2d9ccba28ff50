"""The batch list of a run, as `seqpoint scan` writes it: what each iteration's cost grows with."""

import csv
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate

from ..faults import BadInput

SAME_RUN = "the order is of the run that is logged: the same manifest, sampler, seed and batch size"
SCAN = "`seqpoint scan` writes it, with -o run.csv"
DIGITS = 18  # of a number, which then fits into 64 bits
SHAPES = (("src_len", "batch_size"), ("tokens", "sq_tokens"))  # columns; one of the pairs is needed


class RunOrder:
    """The iterations of a run. Sums of `functions` of the shape, 1, tokens and tokens times length,
    say what a stretch of them may cost."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            rows = csv.reader(file)
            try:
                self._read(rows)
            except csv.Error as error:
                raise BadInput(f"{path}:{rows.line_num}: is not a CSV: {error}", SCAN) from None
        if not self.count:
            raise BadInput(f"{path}: has no iterations", SAME_RUN)

    def _read(self, rows):
        self.columns = next(rows, [])
        shape = next((s for s in SHAPES if set(s) <= set(self.columns)), None)
        if "iteration" not in self.columns or shape is None:
            raise BadInput(
                f"{self.path}:1: is no batch list: it needs the columns iteration, src_len and "
                "batch_size, or iteration, tokens and sq_tokens",
                SCAN,
            )
        names = [n for n in ("iteration", "epoch", "step", "tgt_len", *shape) if n in self.columns]
        places = [self.columns.index(name) for name in names]
        self.numbers = {name: array("q") for name in names}
        for row in rows:
            where = f"{self.path}:{rows.line_num}"
            if len(row) != len(self.columns):
                raise BadInput(f"{where}: has {len(row)} cells of {len(self.columns)}", SAME_RUN)
            for name, place in zip(names, places):
                text = row[place]
                if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
                    raise BadInput(
                        f"{where}: field '{name}': '{text}' is not a whole number below 1e{DIGITS}",
                        SAME_RUN,
                    )
                self.numbers[name].append(int(text))
        first, self.count = self.numbers["iteration"][:1], len(self.numbers["iteration"])
        if any(n != first[0] + i for i, n in enumerate(self.numbers["iteration"])):
            raise BadInput(f"{self.path}: iterations are not numbered one by one", SAME_RUN)
        self.sums = [array("d", accumulate(work, initial=0.0)) for work in self._work(shape)]

    def _work(self, shape):
        """The tokens of the iterations, and their tokens times length."""
        if shape[0] == "tokens":
            return self.numbers["tokens"], self.numbers["sq_tokens"]
        sizes, sources = self.numbers["batch_size"], self.numbers["src_len"]
        targets = self.numbers.get("tgt_len") or array("q", bytes(8 * self.count))
        tokens = (b * (s + t) for b, s, t in zip(sizes, sources, targets))
        squares = (b * (s * s + t * t) for b, s, t in zip(sizes, sources, targets))
        return tokens, squares

    def functions(self, begin, end):
        """The sums of the functions from row `begin` to before `end`."""
        return (float(end - begin), *(sums[end] - sums[begin] for sums in self.sums))

    def total(self, unit):
        """The number of epochs, optimiser steps or iterations; None: the order does not say."""
        if unit == "epoch":
            return self.numbers["epoch"][-1] + 1 if "epoch" in self.numbers else None
        return self.numbers[self._column_of(unit)][-1] + 1

    def _column_of(self, unit):
        return "step" if unit == "step" and "step" in self.numbers else "iteration"

    def rows(self, unit, first, last):
        """(begin, end): the rows of these optimiser steps or iterations."""
        return self._rows_in(self._column_of(unit), first, last)

    def _rows_in(self, column, first, last):
        numbers = self.numbers[column]
        for number in (first, last):
            if not numbers[0] <= number <= numbers[-1]:
                raise BadInput(f"{column} {number} is not in {self.path}", SAME_RUN)
        return bisect_left(numbers, first), bisect_right(numbers, last)

    def rows_of_epochs(self, first, last, per):
        """The rows of epochs of `per` iterations or optimiser steps; 1: as many as the order says.

        BadInput if the order has no such epoch, or one of another size.
        """
        if "epoch" not in self.numbers:
            return self._rows_of_equal_epochs(first, last, per)
        begin, end = self._rows_in("epoch", first, last)
        steps = self.numbers.get("step")
        sizes = {end - begin} | ({steps[end - 1] - steps[begin] + 1} if steps else set())
        if per > 1 and per * (last + 1 - first) not in sizes:
            raise BadInput(
                f"a line is the mean of {per} steps (--per), but epoch {first} of {self.path} has "
                f"{end - begin} iterations",
                "say how many steps an epoch has: --per N; or give the run that is logged",
            )
        return begin, end

    def _rows_of_equal_epochs(self, first, last, per):
        if per == 1 or self.count % per != 0:
            raise BadInput(
                f"lines are epochs, and {self.path} has no column epoch",
                "give that of all epochs (`seqpoint scan --epochs`), or say how many steps an "
                "epoch has: --per N",
            )
        end = (last + 1) * per
        if end > self.count:
            raise BadInput(f"the log has {end} iterations, {self.path} {self.count}", SAME_RUN)
        return first * per, end
