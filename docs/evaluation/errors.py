"""Errors of every method over those of bins, at equal points found; and how often intervals hold."""
import math
import random
from collections import defaultdict

from epochs import MEASURES, SIZES, in_parallel, points

DRAWS = 400
METHODS = ("calibrated", "kmeans", "random")


def first_of_each_size(rows):
    """By (configuration, points found): of the requests that found as many, the first."""
    found = {}
    for row in rows:
        found.setdefault((row["configuration"], int(row["points"])), row)
    return found


def errors_of(program, network, measure, method, more=()):
    asked = range(5, 41) if method == "bins" else SIZES
    return first_of_each_size(program.evaluate(network, "--stat", measure, "--method", method, "--draws", DRAWS, *points(asked), *more))


def ratios(program, network, measure, method, more=()):
    """Of RMS errors, by cell; where bins found as many points."""
    ours, bins = errors_of(program, network, measure, method, more), errors_of(program, network, measure, "bins")
    return [math.log(float(row["rms_error_pct"]) / float(bins[cell]["rms_error_pct"])) for cell, row in ours.items() if cell in bins and cell[1] in SIZES]


def geometric_mean(logs):
    return math.exp(sum(logs) / len(logs))


def bootstrap(by_network, draws=2000, seed=1):
    """95 % interval of the geometric mean, over networks drawn with replacement."""
    rng = random.Random(seed)
    names, means = sorted(by_network), []
    for _ in range(draws):
        drawn = [names[int(rng.random() * len(names))] for _ in names]
        means.append(geometric_mean([x for name in drawn for x in by_network[name]]))
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def table_of_ratios(program, networks, method="calibrated", more=()):
    """{(kind, measure): (ratio, low, high)}"""
    jobs = [(n, m) for n in networks for m in MEASURES]
    found = in_parallel(lambda job: ratios(program, *job, method, more), jobs)
    by = defaultdict(dict)
    for (network, measure), logs in zip(jobs, found):
        if logs:
            by[network.kind, measure][network.name] = logs
    return {key: (geometric_mean([x for logs in of.values() for x in logs]), *bootstrap(of)) for key, of in by.items()}


class Coverage:
    """Draws pooled: how many intervals held, how wide they were."""

    def __init__(self):
        self.held = self.cells = 0
        self.widths = []  # half-width over RMS error
        self.by_network = defaultdict(lambda: [0.0, 0])

    def add(self, network, coverage, width, rms):
        self.held += coverage
        self.cells += 1
        self.widths.append(width / 2 / rms if rms > 0 else math.inf)
        self.by_network[network][0] += coverage
        self.by_network[network][1] += 1

    def share(self):
        return self.held / self.cells

    def lowest(self):
        return min((held / cells, network) for network, (held, cells) in self.by_network.items())

    def median_width(self):
        widths = sorted(self.widths)
        return widths[len(widths) // 2]


def coverage(program, networks, confidence="95%", repeats=range(1, 6), more=()):
    """Of times and of speedups: Coverage by ('times' | 'speedups')."""
    jobs = [(n, m, r) for n in networks for m in MEASURES for r in repeats]
    arguments = ("--method", "calibrated", "--draws", DRAWS, *points(SIZES), "--confidence", confidence, *more)
    found = in_parallel(lambda job: program.evaluate(job[0], "--stat", job[1], "--repeats", job[2], *arguments), jobs)
    result = {"times": Coverage(), "speedups": Coverage()}
    for (network, _, _), rows in zip(jobs, found):
        for row in rows:
            result["times"].add(network.name, float(row["coverage"]), float(row["interval_width_pct"]), float(row["rms_error_pct"]))
            if row["speedup_coverage"]:
                result["speedups"].add(network.name, float(row["speedup_coverage"]), float(row["speedup_interval_width_pct"]),
                                       float(row["speedup_rms_error_pct"]))
    return result
