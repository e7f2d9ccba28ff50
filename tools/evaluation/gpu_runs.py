#!/usr/bin/env python3
"""Computes examples/data/mlperf-gnmt/runs from the public logs.

Each system has ten runs, which are ten processes.

    python3 tools/evaluation/gpu_runs.py TRAINING_RESULTS_V0.5 TRAINING_RESULTS_V0.6

takes clones of github.com/mlcommons/training_results_v0.5 and _v0.6, bare or not. Needs Python 3.9
and git.
"""
import csv
import gzip
import io
import re
import subprocess
import sys

from real_gpus import RUNS, SYSTEMS

FOLDERS = {
    "v0.5": "v0.5.0/nvidia/submission/results/{}_ngc18.11_pytorch/gnmt",
    "v0.6": "NVIDIA/results/{}_ngc19.05_pytorch/gnmt",
}
# An epoch's begin and end, in seconds: of v0.5, of v0.6.
BEGINS = re.compile(r":::MLPv0.5.0 gnmt ([\d.]+) .* train_epoch: |:::MLL ([\d.]+) epoch_start: ")
ENDS = re.compile(r":::MLPv0.5.0 gnmt ([\d.]+) .* eval_start: |:::MLL ([\d.]+) epoch_stop: ")
LINE = re.compile(r"^0: TRAIN \[(\d+)\]\[(\d+)/\d+\]\s+Time ([\d.]+) \(.*\sTok/s (\d+) ", re.M)
FIRST = 20  # iterations of an epoch that are left out
UNIT = 50  # tokens


def log_of(clone, system, run):
    version, name = system.split("_", 1)
    path = f"{FOLDERS[version].format(name)}/result_{run}.txt"
    return subprocess.run(
        ["git", "-C", clone, "show", f"HEAD:{path}"], capture_output=True, text=True, check=True
    ).stdout


def rows_of(log, run):
    """Rows of rank 0: every tenth iteration is timed; tokens are time times tokens per second."""
    return [
        (run, int(epoch), round(float(seconds) * int(rate) / UNIT), seconds)
        for epoch, i, seconds, rate in LINE.findall(log)
        if int(i) >= FIRST
    ]


def epochs_of(log):
    """The seconds that each epoch took."""
    begins, ends = ([float(a or b) for a, b in pattern.findall(log)] for pattern in (BEGINS, ENDS))
    return [f"{end - begin:.3f}" for begin, end in zip(begins, ends)]


def write(path, header, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def main():
    clones = dict(zip(FOLDERS, sys.argv[1:]))
    if len(clones) != 2:
        raise SystemExit(__doc__)
    RUNS.mkdir(exist_ok=True)
    epochs = []
    for system in SYSTEMS:
        logs = [log_of(clones[system[:4]], system, run) for run in range(10)]
        write(
            RUNS / f"{system}.csv.gz",
            ("run", "epoch", "src_len", "runtime_s"),
            [row for run, log in enumerate(logs) for row in rows_of(log, run)],
        )
        epochs += [
            (system, run, epoch, seconds)
            for run, log in enumerate(logs)
            for epoch, seconds in enumerate(epochs_of(log))
        ]
    write(RUNS / "epochs.csv.gz", ("system", "run", "epoch", "seconds"), epochs)


if __name__ == "__main__":
    main()
