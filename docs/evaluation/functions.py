"""Cost functions without noise: what is left is what the points cannot represent."""
import math
from collections import defaultdict
from pathlib import Path

from epochs import points

# Costs that are sums of free shapes, of one length and of pairs: to be exact.
FREE = ("20+s", "20+s+s^2/200", "s^2", "s t")


def scan(program, histogram, folder):
    name, manifest, options = histogram
    path = Path(folder) / f"{name}.csv"
    program.run("scan", "-q", manifest, *options.split(), "-o", path)
    return name, path


def rms(values):
    return math.sqrt(sum(v * v for v in values) / len(values))


class Functions:
    """Errors in percent by (run, method, points asked for), family and function; effective sample sizes."""

    def __init__(self, program, histograms, folder, methods=("calibrated", "bins", "kmeans"), sizes=(5, 8, 15)):
        self.errors, self.points, self.n_eff = defaultdict(lambda: defaultdict(dict)), {}, {}
        self.names = []
        for histogram in histograms:
            name, path = scan(program, histogram, folder)
            self.names.append(name)
            chosen = [word for method in methods for word in ("--method", method)]
            for row in program.rows("evaluate", "-q", f"{name}={path}", "--families", *chosen, *points(sizes)):
                cell = (row["run"], row["method"], int(row["asked"]))
                self.errors[cell][row["family"]][row["function"]] = float(row["error_pct"])
                self.points[cell], self.n_eff[cell] = int(row["points"]), float(row["n_eff"])

    def family(self, cell, family):
        return rms(self.errors[cell][family].values())

    def of_method(self, method, least_points=0):
        return [cell for cell in self.errors if cell[1] == method and cell[2] >= least_points]

    def largest_free(self, method):
        return max(abs(e) for cell in self.of_method(method) for f, e in self.errors[cell]["C"].items() if f in FREE)
