"""The companion's `eta` on every measured epoch: as it ran, by ascending and descending work,
shuffled."""
import csv
import gzip
import random
import statistics
import sys
from math import ceil, inf, sqrt

from epochs import ROOT

sys.path.insert(0, str(ROOT / "python"))
from seqpoint_companion.logs.eta_command import Answer
from seqpoint_companion.logs.run_order import RunOrder
from seqpoint_companion.logs.time_left import Span, Spans

PARTS = (0.02, 0.05, 0.1, 0.25, 0.5)
ORDERS = {
    "as it ran": lambda rows: rows,
    "ascending": lambda rows: sorted(rows, key=work),
    "descending": lambda rows: sorted(rows, key=work, reverse=True),
    "shuffled": lambda rows: shuffled(rows),
}
TIME = "runtime_s"


def work(row):
    return int(row["batch_size"]) * (int(row["src_len"]) + int(row.get("tgt_len") or 0))


def shuffled(rows):
    """By random() alone, which is the same in every Python."""
    generator = random.Random(1)
    return [
        row
        for _, row in sorted(((generator.random(), row) for row in rows), key=lambda pair: pair[0])
    ]


def written(rows, path):
    columns = ["iteration"] + [
        name for name in ("src_len", "tgt_len", "batch_size", TIME) if name in rows[0]
    ]
    with open(path, "w", encoding="ascii", newline="") as file:
        out = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows({**row, "iteration": i} for i, row in enumerate(rows))
    return path


def replayed(rows, part, path):
    """Errors as shares of the time that is left.

    They are given for `eta`, for the iterations left and for a line through time. Also returned:
    whether its interval covered the truth, its width, and whether the last stretch was called off.
    """
    done = max(2, ceil(part * len(rows)))
    times = [float(row[TIME]) for row in rows]
    spans = Spans(Span(i, i + 1, seconds) for i, seconds in enumerate(times[:done]))
    answer = Answer(RunOrder(written(rows, path)), spans, done)
    passed, truth = sum(times[:done]), sum(times[done:])
    left, low, high = answer.left
    if low is None:  # no interval: it covers nothing
        low = high = inf
    return {
        "eta": left / truth - 1,
        "iterations": passed / done * (len(rows) - done) / truth - 1,
        "line": line(times[:done], len(rows)) / truth - 1,
        "held": low <= truth <= high,
        "width": (high - low) / 2 / left if high < inf else inf,
        "off": answer.is_off(),
    }


def line(times, iterations):
    """Seconds from the last iteration to the end, on the least-squares line through end times."""
    ends, total = [], 0.0
    for seconds in times:
        total += seconds
        ends.append(total)
    n = len(ends)
    middle, mean = (n + 1) / 2, sum(ends) / n
    slope = sum((i - middle) * (end - mean) for i, end in enumerate(ends, 1)) / sum(
        (i - middle) ** 2 for i in range(1, n + 1)
    )
    return mean + slope * (iterations - middle) - total


def rms(values):
    return sqrt(statistics.fmean(value * value for value in values))


def table(run_all, epochs, folder, orders=tuple(ORDERS)):
    """(order, part) -> replays of every epoch.

    `run_all` maps a function over arguments.
    """
    cells = [
        (order, part, path, number)
        for order in orders
        for part in PARTS
        for number, path in enumerate(epochs)
    ]

    def replay(cell):
        order, part, path, number = cell
        with gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(
            path, encoding="utf-8"
        ) as file:
            rows = list(csv.DictReader(file))
        name = f"{order.replace(' ', '-')}-{part}-{number}.csv"
        return replayed(ORDERS[order](rows), part, folder / name)

    found = {}
    for (order, part, *_), one in zip(cells, run_all(replay, cells)):
        found.setdefault((order, part), []).append(one)
    return found
