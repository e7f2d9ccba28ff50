#!/usr/bin/env python3
"""Operators of an epoch: by `seqpoint run --by operator`, and by a profile of the whole epoch.

    operators.py PROGRAM [JOB.py [ARGUMENT...]]

The job, by default examples/pytorch/minimal.py with 150 batches, trains one epoch. PROGRAM
measures it in two processes; then torch.profiler records the whole epoch. Prints the ten operators
that take longest in it, with their times and calls by both. Needs PyTorch.
"""

import json
import os
import runpy
import subprocess
import sys
import tempfile

import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MINIMAL = os.path.join(ROOT, "examples", "pytorch", "minimal.py")
SHOWN = 10


def projected(program, job):
    """{operator: (seconds, calls)} of an epoch, from the points."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, "run", "-q", "--by", "operator", "--max-processes", "2", "--"]
            + [sys.executable, *job],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        path = os.path.join(folder, "seqpoint-run", "projection.json")
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["breakdown"]["configurations"][0]["rows"]
    return {row["name"]: (row["seconds"], row["calls"]) for row in rows}


def profiled(job):
    """{operator: (seconds, calls)} of the epoch that the job trains in this process."""
    sys.argv = job
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        runpy.run_path(job[0], run_name="__main__")
    return {row.key: (row.self_cpu_time_total / 1e6, row.count) for row in profiler.key_averages()}


def main():
    job = sys.argv[2:] or [MINIMAL, "96", "2400"]
    points = projected(os.path.abspath(sys.argv[1]), job)
    epoch = profiled(job)
    largest = sorted(epoch, key=epoch.get, reverse=True)[:SHOWN]
    print("| operator | epoch | projected | error | calls | projected |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in largest:
        seconds, calls = epoch[name]
        shown, count = points.get(name, (0, 0))
        error = f"{100 * (shown / seconds - 1):+.1f} %"
        print(f"| `{name}` | {seconds:.3f} s | {shown:.3f} s | {error} | {calls} | {count:g} |")


if __name__ == "__main__":
    main()
