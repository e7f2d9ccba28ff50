"""Errors and intervals on real GPUs: NVIDIA's submissions of GNMT to MLPerf Training, of which every tenth iteration is timed."""
import math
from collections import defaultdict

from epochs import DATA, in_parallel
from errors import first_of_each_size, geometric_mean

SYSTEMS = {"v0.5_dgx1": "8 V100, DGX-1 (v0.5)", "v0.6_dgx1": "8 V100, DGX-1", "v0.6_dgx2": "16 V100, DGX-2", "v0.6_dgx2h": "16 V100, DGX-2H",
           "v0.6_dgx1_n48": "48 nodes of DGX-1", "v0.6_dgx2h_n16": "16 nodes of DGX-2H", "v0.6_dgx2h_n24": "24 nodes of DGX-2H"}
PLANS = ((8, 1), (8, 3), (24, 1), (15, 3))  # points, measurements of each
SEEDS = range(1, 21)  # of the search: other selections of nearly the same quality
DRAWS = 200
OTHERS = ("bins", "kmeans")


def evaluated(program, system, method, points, repeats, *more):
    trace = DATA / "mlperf-gnmt" / f"{system}.csv.gz"
    asked = [word for k in points for word in ("--points", k)]
    return program.rows("evaluate", "-q", f"{system}={trace}", "--lengths-only", "--method", method, "--draws", DRAWS, "--repeats", repeats, *asked, *more)


def of_plan(program, system, points, repeats):
    """(share of intervals that hold, half-width, RMS error in percent, {other method: its RMS error})"""
    rows = [evaluated(program, system, "calibrated", (points,), repeats, "--search-seed", seed)[0] for seed in SEEDS]
    mean = lambda column: sum(float(row[column]) for row in rows) / len(rows)
    rms = math.sqrt(sum(float(row["rms_error_pct"]) ** 2 for row in rows) / len(rows))
    others = {}
    for method in OTHERS:  # of bins some are empty: the same number of points found
        found = first_of_each_size(evaluated(program, system, method, range(points, 3 * points), repeats))
        if (system, points) in found:
            others[method] = float(found[system, points]["rms_error_pct"])
    return mean("coverage"), mean("interval_width_pct") / 2, rms, others


def table(program):
    """{(system, plan): of_plan()}"""
    jobs = [(system, plan) for system in SYSTEMS for plan in PLANS]
    return dict(zip(jobs, in_parallel(lambda job: of_plan(program, job[0], *job[1]), jobs)))


def pooled(found):
    """{plan: (share that holds, the lowest of a system, half-width over RMS error, {method: (error over its error, in how many systems)})}

    The last two are geometric means; of a method that finds no as many points, over the systems where it does.
    """
    of = defaultdict(list)
    for (_, plan), cell in found.items():
        of[plan].append(cell)

    def over(cells, method):
        logs = [math.log(rms / others[method]) for _, _, rms, others in cells if method in others]
        return geometric_mean(logs), len(logs)

    return {plan: (sum(c[0] for c in cells) / len(cells), min(c[0] for c in cells), geometric_mean(math.log(half / rms) for _, half, rms, _ in cells),
                   {method: over(cells, method) for method in OTHERS}) for plan, cells in of.items()}
