"""Errors of every method relative to bins, at equal numbers of points, and interval coverage."""
import math
import random
from collections import defaultdict

from epochs import MEASURES, SIZES, in_parallel, points

DRAWS = 100
DRAWS_OF_RANDOM = 50  # which are of points, too, and take longer
RANDOM = ("random", "stratified", "regression", "midpoints")
METHODS = ("calibrated", "kmeans", "stratified")  # whose errors are divided by those of bins
REPEATS = (1, 3)


def first_of_each_size(rows):
    """By (configuration, points found): of the requests that found as many, the first."""
    found = {}
    for row in rows:
        found.setdefault((row["configuration"], int(row["points"])), row)
    return found


def requests(program, network, sizes):
    """For each number of points the smallest number of bins that leaves as many, or the next fewer.

    Some bins are empty, so a number of bins may leave fewer points.
    """
    found = {}
    for row in program.evaluate(
        network, "--method", "bins", "--draws", 1, *points(range(min(sizes), 2 * max(sizes) + 1))
    ):
        found.setdefault(int(row["points"]), int(row["asked"]))
    nearest = {max((k for k in found if k <= size), default=min(found)) for size in sizes}
    return [found[k] for k in sorted(nearest)]


def errors_of(program, network, measure, method, more=(), sizes=SIZES):
    asked = requests(program, network, sizes) if method == "bins" else sizes
    draws = DRAWS_OF_RANDOM if method in RANDOM else DRAWS
    return first_of_each_size(
        program.evaluate(
            network,
            "--metric",
            measure,
            "--method",
            method,
            "--draws",
            draws,
            *points(asked),
            *more,
        )
    )


def ratios(program, network, measure, method, more=(), over="bins", sizes=SIZES):
    """{(configuration, points): log of the ratio of RMS errors}, for sizes found by both."""
    ours, theirs = errors_of(program, network, measure, method, more, sizes), errors_of(
        program, network, measure, over, (), sizes
    )
    return {
        cell: math.log(float(row["rms_error_pct"]) / float(theirs[cell]["rms_error_pct"]))
        for cell, row in ours.items()
        if cell in theirs and cell[1] in sizes
    }


def geometric_mean(logs):
    logs = list(logs)
    return math.exp(sum(logs) / len(logs))


def bootstrap(by_network, draws=2000, seed=1):
    """95 % interval of the geometric mean, over networks drawn with replacement."""
    rng = random.Random(seed)
    names, means = sorted(by_network), []
    for _ in range(draws):
        drawn = [names[int(rng.random() * len(names))] for _ in names]
        means.append(geometric_mean(x for name in drawn for x in by_network[name]))
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def all_ratios(program, networks, method="calibrated", over="bins"):
    """{(network, measure): {cell: log of a ratio}}"""
    jobs = [(n, m) for n in networks for m in MEASURES]
    return dict(zip(jobs, in_parallel(lambda job: ratios(program, *job, method, over=over), jobs)))


def by_kind(found):
    """{(kind, measure): {network: logs}} of all_ratios."""
    by = defaultdict(dict)
    for (network, measure), cells in found.items():
        by[network.kind, measure][network.name] = [cells[cell] for cell in sorted(cells)]
    return by


def table_of_ratios(found):
    """{(kind, measure): (ratio, low, high)} of all_ratios."""
    return {
        key: (geometric_mean(x for logs in of.values() for x in logs), *bootstrap(of))
        for key, of in by_kind(found).items()
    }


def curve(program, networks, measure, method):
    """By points found: geometric mean over networks of RMS errors in percent."""
    found = in_parallel(lambda n: errors_of(program, n, measure, method), networks)
    by_size = {}
    for k in SIZES:
        of_networks = [
            [
                math.log(float(row["rms_error_pct"]))
                for (_, points), row in sorted(rows.items())
                if points == k
            ]
            for rows in found
        ]
        by_size[k] = geometric_mean(sum(logs) / len(logs) for logs in of_networks if logs)
    return by_size


class Coverage:
    """Draws pooled: how many intervals held, how wide they were."""

    def __init__(self):
        self.widths = defaultdict(list)  # half-width over RMS error, by any label
        self.of = defaultdict(lambda: [0.0, 0])  # by any label: sum of shares, cells

    def add(self, network, measure, repeats, coverage, width, rms):
        for label in (
            "all",
            ("network", network),
            ("column", network, measure),
            ("repeats", repeats),
        ):
            self.widths[label].append(width / 2 / rms if rms > 0 else math.inf)
            self.of[label][0] += coverage
            self.of[label][1] += 1

    def share(self, label="all"):
        held, cells = self.of[label]
        return held / cells

    def lowest(self):
        return min((self.share(label), label[1]) for label in self.of if label[0] == "network")

    def median_width(self, label):
        widths = sorted(self.widths[label])
        return widths[len(widths) // 2]


def coverage(program, networks):
    """{'times' | 'speedups': Coverage} of 95 % intervals."""
    jobs = [(n, m, r) for n in networks for m in MEASURES for r in REPEATS]
    found = in_parallel(
        lambda job: program.evaluate(
            job[0],
            "--metric",
            job[1],
            "--method",
            "calibrated",
            "--draws",
            DRAWS,
            *points(SIZES),
            *(("--repeats", job[2]) if job[2] > 1 else ()),
        ),
        jobs,
    )
    result = {"times": Coverage(), "speedups": Coverage()}
    for (network, measure, repeats_of), rows in zip(jobs, found):
        for row in rows:
            result["times"].add(
                network.name,
                measure,
                repeats_of,
                float(row["coverage"]),
                float(row["interval_width_pct"]),
                float(row["rms_error_pct"]),
            )
            if row["speedup_coverage"]:
                result["speedups"].add(
                    network.name,
                    measure,
                    repeats_of,
                    float(row["speedup_coverage"]),
                    float(row["speedup_interval_width_pct"]),
                    float(row["speedup_rms_error_pct"]),
                )
    return result
