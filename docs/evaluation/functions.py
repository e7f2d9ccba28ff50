"""Cost functions without noise: what is left is what the points cannot represent."""
import csv
import math
from collections import defaultdict
from pathlib import Path

from epochs import in_parallel, points

SIZES = (5, 8, 15)
METHODS = ("calibrated", "bins", "kmeans")
# Costs that are sums of free shapes: to be exact.
FREE = {"one length": ("20+s", "20+s+s^2/200", "s^2"), "pairs": ("20+s", "s t")}


def rms(values):
    values = list(values)
    return math.sqrt(sum(v * v for v in values) / len(values))


def short_last_batch(trace):
    """Whether a few batches are smaller than the others: then their size is no free shape."""
    with open(trace) as file:
        sizes = [int(row["batch_size"]) for row in csv.DictReader(file)]
    return min(sizes) < max(sizes) and sizes.count(max(sizes)) > 0.9 * len(sizes)


class Functions:
    """Errors in percent by (run, method, points), family and function; effective sample sizes."""

    def __init__(self, program, histograms, folder, methods=METHODS, sizes=SIZES):
        self.errors, self.points, self.n_eff = defaultdict(lambda: defaultdict(dict)), {}, {}
        self.names = [name for name, _, _ in histograms]
        self.short = set()
        chosen = [word for method in methods for word in ("--method", method)]

        def of(histogram):
            name, manifest, options = histogram
            path = manifest if options is None else Path(folder) / f"{name}.csv"
            if options is not None:
                program.run("scan", "-q", manifest, *options.split(), "-o", path)
            return (
                name,
                path,
                program.rows(
                    "evaluate", "-q", f"{name}={path}", "--families", *chosen, *points(sizes)
                ),
            )

        for name, path, rows in in_parallel(of, histograms):
            if short_last_batch(path):
                self.short.add(name)
            for row in rows:
                cell = (row["run"], row["method"], int(row["asked"]))
                self.errors[cell][row["family"]][row["function"]] = float(row["error_pct"])
                self.points[cell], self.n_eff[cell] = int(row["points"]), float(row["n_eff"])

    def of_method(self, method, least_points=0):
        return [cell for cell in self.errors if cell[1] == method and cell[2] >= least_points]

    def all_of(self, method, family, least_points=8):
        """Every error of a family, by (run, function)."""
        return [
            (abs(e), cell, f)
            for cell in self.of_method(method, least_points)
            for f, e in sorted(self.errors[cell][family].items())
        ]

    def rms(self, method, family, least_points=8):
        return rms(e for e, _, _ in self.all_of(method, family, least_points))

    def largest(self, method, family, least_points=8):
        """(error, cell, function)"""
        return max(self.all_of(method, family, least_points))

    def better(self, method, other, family, least_points=8):
        """(sizes where the method's RMS error is smaller, sizes of both)."""
        cells = [(run, size) for run, _, size in self.of_method(method, least_points)]
        smaller = [
            rms(self.errors[run, method, size][family].values())
            < rms(self.errors[run, other, size][family].values())
            for run, size in cells
        ]
        return sum(smaller), len(smaller)

    def largest_free(self, method="calibrated", least_points=8):
        found = 0.0
        for cell in self.of_method(method, least_points):
            functions = self.errors[cell]["C"]
            exact = FREE["pairs" if "s t" in functions else "one length"]
            if cell[0] not in self.short:
                found = max([found, *(abs(functions[f]) for f in exact)])
        return found
