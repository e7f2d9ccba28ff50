"""Errors and intervals on real GPUs: NVIDIA's submissions of GNMT to MLPerf Training.

Every tenth of their iterations is timed.
"""
import csv
import gzip
import math
import statistics
from collections import defaultdict
from pathlib import Path

from elsewhere import write_csv
from epochs import DATA, in_parallel
from errors import first_of_each_size, geometric_mean

SYSTEMS = {
    "v0.5_dgx1": "8 V100, DGX-1 (v0.5)",
    "v0.6_dgx1": "8 V100, DGX-1",
    "v0.6_dgx2": "16 V100, DGX-2",
    "v0.6_dgx2h": "16 V100, DGX-2H",
    "v0.6_dgx1_n48": "48 nodes of DGX-1",
    "v0.6_dgx2h_n16": "16 nodes of DGX-2H",
    "v0.6_dgx2h_n24": "24 nodes of DGX-2H",
}
RUNS = DATA / "mlperf-gnmt" / "runs"
PLANS = ((8, 1), (8, 3), (24, 1), (15, 3))  # points, measurements of each
POINTS_ONCE = (8, 24)  # of points in one process, for another
SEEDS = range(1, 21)  # of the search: other selections of nearly the same quality
DRAWS = 50  # of each selection
OTHERS = ("bins", "kmeans")


def evaluated(program, system, method, points, repeats, *more):
    trace = DATA / "mlperf-gnmt" / f"{system}.csv.gz"
    asked = [word for k in points for word in ("--points", k)]
    return program.rows(
        "evaluate",
        "-q",
        f"{system}={trace}",
        "--lengths-only",
        "--method",
        method,
        "--draws",
        DRAWS,
        "--repeats",
        repeats,
        *asked,
        *more,
    )


def of_plan(program, system, points, repeats):
    """(coverage, half-width, RMS error in percent, {other method: its RMS error})"""
    rows = [
        evaluated(program, system, "calibrated", (points,), repeats, "--search-seed", seed)[0]
        for seed in SEEDS
    ]
    mean = lambda column: sum(float(row[column]) for row in rows) / len(rows)
    rms = math.sqrt(sum(float(row["rms_error_pct"]) ** 2 for row in rows) / len(rows))
    others = {}
    for method in OTHERS:  # of bins some are empty: the same number of points found
        found = first_of_each_size(
            evaluated(program, system, method, range(points, 3 * points), repeats)
        )
        if (system, points) in found:
            others[method] = float(found[system, points]["rms_error_pct"])
    return mean("coverage"), mean("interval_width_pct") / 2, rms, others


def table(program):
    """{(system, plan): of_plan()}"""
    jobs = [(system, plan) for system in SYSTEMS for plan in PLANS]
    return dict(zip(jobs, in_parallel(lambda job: of_plan(program, job[0], *job[1]), jobs)))


def pooled(found):
    """{plan: (coverage, smallest coverage of a system, half-width over RMS error, comparisons)}

    The comparisons are {method: (error over its error, number of systems)}. The last two figures
    are geometric means. A method that finds too few points on a system is compared on the remaining
    systems.
    """
    of = defaultdict(list)
    for (_, plan), cell in found.items():
        of[plan].append(cell)

    def over(cells, method):
        logs = [math.log(rms / others[method]) for _, _, rms, others in cells if method in others]
        return geometric_mean(logs), len(logs)

    return {
        plan: (
            sum(c[0] for c in cells) / len(cells),
            min(c[0] for c in cells),
            geometric_mean(math.log(half / rms) for _, half, rms, _ in cells),
            {method: over(cells, method) for method in OTHERS},
        )
        for plan, cells in of.items()
    }


# --- the ten runs of a system, which are ten processes --------------------------------------------


def runs_of(system):
    """The rows of each run, in order."""
    found = defaultdict(list)
    with gzip.open(RUNS / f"{system}.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            found[int(row["run"])].append(row)
    return [found[run] for run in sorted(found)]


def epoch_times():
    """{system: the mean seconds of an epoch in each of its runs}"""
    times = defaultdict(lambda: defaultdict(list))
    with gzip.open(RUNS / "epochs.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            times[row["system"]][row["run"]].append(float(row["seconds"]))
    return {
        system: [statistics.fmean(of) for of in runs.values()] for system, runs in times.items()
    }


def of_processes(program, folder, system, points):
    """[(RMS error, coverage, half-width) in percent], one for each run.

    The points were measured once, in the run before it.
    """
    paths, found = [], []
    for r, rows in enumerate(runs_of(system)):
        paths.append(Path(folder) / f"{system}-{points}-{r}.csv")  # jobs run side by side
        write_csv(
            paths[-1],
            ["iteration", "src_len", "batch_size", "epoch", "runtime_s"],
            [{**row, "iteration": i, "batch_size": 1} for i, row in enumerate(rows)],
        )
    for measured, other in zip(paths[-1:] + paths[:-1], paths):
        (row,) = program.rows(
            "evaluate",
            "-q",
            f"v1={measured}",
            "--for",
            other,
            "--lengths-only",
            "--method",
            "calibrated",
            "--draws",
            DRAWS,
            "--points",
            points,
        )
        found.append(
            (
                float(row["onto_rms_error_pct"]),
                float(row["onto_coverage"]),
                float(row["onto_interval_width_pct"]) / 2,
            )
        )
    return found


def processes(program, folder):
    """{system: {points: of_processes()}}"""
    jobs = [(system, points) for system in SYSTEMS for points in POINTS_ONCE]
    found = defaultdict(dict)
    for (system, points), of in zip(
        jobs, in_parallel(lambda job: of_processes(program, folder, *job), jobs)
    ):
        found[system][points] = of
    return found
