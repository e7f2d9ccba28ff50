"""Every method by its own rule at its own price, and all methods at equal prices.

A price is the number of executions of one process, warm-up included. Points are run twice, because
their first executions are left out, unless these cost what later ones do. Batches of the epoch are
run once.
"""
import math
import statistics
from collections import defaultdict

from by_tokens import errors_of_random
from errors import DRAWS_OF_RANDOM, RANDOM, errors_of, geometric_mean
from epochs import MEASURES, in_parallel, points

DRAWS = 100
# Rows of `evaluate --advised` that stand for a published practice: method, requested points, words.
RULES = [
    ("calibrated", "advised", "as `select` advises"),
    ("bins", "auto", "until lengths are off by 0.5 %"),
    ("bins", "advised", "as above, three times each"),
    ("kmeans", "auto", "as `bins`"),
    ("kmeans", "advised", "as `bins`, three times each"),
    ("prior", "", "50 iterations after 10 others"),
    ("median", "", "one iteration"),
    ("frequent", "", "one iteration"),
]
BY_HAND = {"prior": 60}  # as it is done: without a plan, and with the iterations before it
SIZES = (8, 16, 24)  # points, measured once
MEASURED = (8, 16, 32)  # batches that are measured, first executions or not
BY_TOKENS = ("ratio", "line")
METHODS = ("calibrated", "bins", "kmeans", *RANDOM, *BY_TOKENS)
ONCE = "calibrated, once"  # where first executions count
# By row of the table at equal executions: the method, and how often it measures in place of once.
EQUAL = {
    "calibrated": ("calibrated", 1),
    ONCE: ("calibrated", 2),
    "bins": ("bins", 1),
    "kmeans": ("kmeans", 1),
    **{method: (method, 2) for method in (*RANDOM, *BY_TOKENS)},
}


def executions(points):
    """Executions for so many points: each twice, plus a tenth of all to warm up the process."""
    return 2 * points + max(1, 2 * points // 9)


def affordable(price):
    """How many batches that run once that price pays for, with a tenth of all to warm up."""
    return max(k for k in range(1, price) if k + max(1, k // 9) <= price)


def own_rules(program, network, measure):
    """{(method, words): [(executions, RMS error in percent) of each configuration]}"""
    methods = [
        word for method in dict.fromkeys(m for m, _, _ in RULES) for word in ("--method", method)
    ]
    rows = program.evaluate(
        network, "--metric", measure, "--draws", DRAWS, *methods, "--points", "auto", "--advised"
    )
    found = defaultdict(list)
    for method, asked, words in RULES:
        for row in rows:
            if (row["method"], row["asked"]) == (method, asked):
                found[method, words].append(
                    (BY_HAND.get(method, int(row["executions"])), float(row["rms_error_pct"]))
                )
    price = found["calibrated", RULES[0][2]][0][0]
    for method in RANDOM:  # which have no rule
        for row in program.evaluate(
            network,
            "--metric",
            measure,
            "--draws",
            DRAWS_OF_RANDOM,
            "--method",
            method,
            "--points",
            affordable(price),
        ):
            found[method, "at the cost of `calibrated`"].append(
                (price, float(row["rms_error_pct"]))
            )
    for method in BY_TOKENS:
        for error in errors_of_random(network, measure, method, affordable(price)).values():
            found[method, "at the cost of `calibrated`"].append((price, error))
    return found


def at_own_price(program, networks):
    """{(method, words): {kind: (median executions, {measure: RMS error})}}

    Errors are in percent, as geometric means over networks and configurations.
    """
    jobs = [(n, m) for n in networks for m in MEASURES]
    prices, logs = defaultdict(list), defaultdict(list)
    for (network, measure), rules in zip(
        jobs, in_parallel(lambda job: own_rules(program, *job), jobs)
    ):
        for rule, cells in rules.items():
            prices[rule, network.kind] += [price for price, _ in cells]
            logs[rule, network.kind, measure] += [math.log(error) for _, error in cells]
    return {
        rule: {
            kind: (
                statistics.median(prices[rule, kind]),
                {m: geometric_mean(logs[rule, kind, m]) for m in MEASURES},
            )
            for kind in ("pairs", "one length")
        }
        for rule in dict.fromkeys(rule for rule, _ in prices)
    }


def at_equal_price(program, networks):
    """{(row, points): {(kind, measure): {(network, configuration): RMS error in percent}}}

    Points: those that `calibrated` runs twice at that price.
    """
    sizes = {row: [times * size for size in SIZES] for row, (_, times) in EQUAL.items()}
    measured = errors_at(program, networks, {row: EQUAL[row][0] for row in EQUAL}, sizes)
    return {(row, size): measured[row, EQUAL[row][1] * size] for row in EQUAL for size in SIZES}


def at_equal_measurements(program, networks):
    """{(method, batches): as above}, of methods that all measure as many batches."""
    return errors_at(program, networks, {m: m for m in METHODS}, {m: MEASURED for m in METHODS})


def errors_at(program, networks, methods, sizes):
    """{(row, batches): {(kind, measure): {(network, configuration): RMS error in percent}}}

    A method that finds too few points has fewer.
    """
    jobs = [(n, m, row) for n in networks for m in MEASURES for row in methods]
    found = defaultdict(lambda: defaultdict(dict))
    cells = in_parallel(
        lambda job: cells_of(program, job[0], job[1], methods[job[2]], sizes[job[2]]), jobs
    )
    for (network, measure, row), of_row in zip(jobs, cells):
        for (configuration, size), error in of_row.items():
            found[row, size][network.kind, measure][network.name, configuration] = error
    return found


def cells_of(program, network, measure, method, sizes):
    """{(configuration, batches): RMS error in percent}"""
    if method in BY_TOKENS:
        return {
            (configuration, size): error
            for size in sizes
            for configuration, error in errors_of_random(network, measure, method, size).items()
        }
    if method == "bins":
        rows = errors_of(program, network, measure, method, sizes=sizes)
        of = lambda configuration, size: rows[
            configuration, max(k for c, k in rows if c == configuration and k <= size)
        ]
        return {
            (c, size): float(of(c, size)["rms_error_pct"])
            for c, _ in network.traces
            for size in sizes
        }
    draws = DRAWS_OF_RANDOM if method in RANDOM else DRAWS
    rows = program.evaluate(
        network, "--metric", measure, "--method", method, "--draws", draws, *points(sizes)
    )
    return {(row["configuration"], int(row["asked"])): float(row["rms_error_pct"]) for row in rows}
