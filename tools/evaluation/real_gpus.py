"""Errors and intervals on real GPUs: NVIDIA's submissions of GNMT to MLPerf Training.

Every tenth of their iterations is timed.
"""
import csv
import gzip
import statistics
from collections import defaultdict
from pathlib import Path

from elsewhere import write_csv
from epochs import DATA, in_parallel

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
POINTS_ONCE = (8, 24)  # of points in one process, for another
DRAWS = 50


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
