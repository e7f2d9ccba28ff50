"""Every method by its own rule at its own price, and all methods at equal prices.

A price is the number of executions of one process, warm-up included.
"""
import math
import statistics
from collections import defaultdict

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
AS_GOOD = 0.05  # a share: what comes of other seeds of the search
EQUAL = ("calibrated", "bins", "kmeans", "random", "stratified", "regression")


def executions(points):
    """Executions for so many points: each twice, plus a tenth of all to warm up the process."""
    return 2 * points + max(1, 2 * points // 9)


def affordable(price):
    """How many points, measured once, that price pays for."""
    return max(k for k in range(1, price) if executions(k) <= price)


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
                (int(row["executions"]), float(row["rms_error_pct"]))
            )
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
    """{(method, points): {(kind, measure): {(network, configuration): RMS error in percent}}}

    A method that finds too few points has fewer.
    """
    jobs = [(n, m, method) for n in networks for m in MEASURES for method in EQUAL]
    found = defaultdict(lambda: defaultdict(dict))
    for (network, measure, method), rows in zip(
        jobs, in_parallel(lambda job: cells_of(program, *job), jobs)
    ):
        for (configuration, size), error in rows.items():
            found[method, size][network.kind, measure][network.name, configuration] = error
    return found


def cells_of(program, network, measure, method):
    """{(configuration, price's points): RMS error in percent}"""
    if method == "bins":
        rows = errors_of(program, network, measure, method, sizes=SIZES)
        of = lambda configuration, size: rows[
            configuration, max(k for c, k in rows if c == configuration and k <= size)
        ]
        return {
            (c, size): float(of(c, size)["rms_error_pct"])
            for c, _ in network.traces
            for size in SIZES
        }
    draws = DRAWS_OF_RANDOM if method in RANDOM else DRAWS
    rows = program.evaluate(
        network, "--metric", measure, "--method", method, "--draws", draws, *points(SIZES)
    )
    return {(row["configuration"], int(row["asked"])): float(row["rms_error_pct"]) for row in rows}
