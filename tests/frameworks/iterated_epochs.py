"""How well `seqpoint run` knows the epoch of a loop around seqpoint.iterate; to be read by people:

    iterated_epochs.py SEQPOINT numpy|jax|tensorflow [--runs N] [OPTION OF THE JOB...]

Each run stands beside an epoch in which the job waits for each step, and beside one that is
recorded by the companion, which waits by its own means (--sync alone: only these two, in turns).
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / "python"
JOB = HERE / "iterated_job.py"


def start(words, folder, **more):
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), **more}
    subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def blocking_s(job, folder):
    start([sys.executable, JOB, *job, "--blocking", "blocking.json"], folder)
    return json.loads((folder / "blocking.json").read_text())


def recorded_s(job, folder):
    """The epoch by the companion: the median of each shape's batches, to leave compilation out."""
    words = [sys.executable, "-m", "seqpoint_companion", "record", "-o", "epoch.csv", "--", JOB]
    start([*words, *job], folder)
    by_length = {}
    with open(folder / "epoch.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            by_length.setdefault(row["src_len"], []).append(float(row["runtime_s"]))
    (folder / "epoch.csv").unlink()
    # The first of a shape is replaced by the median of the others.
    return sum(
        sum(times[1:]) + statistics.median(times[1:] or times) for times in by_length.values()
    )


def run_s(program, job, folder, number):
    words = [program, "run", "-q", "--json", "-o", f"run-{number}", "--", sys.executable, JOB, *job]
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    done = subprocess.run(
        words, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)["configurations"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sync", action="store_true")
    given, job = parser.parse_known_args()
    program = str(Path(given.program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ratios = []
        for number in range(given.runs):
            truth = blocking_s(job, folder)
            if given.sync:
                ratios.append(recorded_s(job, folder) / truth)
                print(f"blocking {truth:.3f} s, recorded {ratios[-1]:.4f} times that", flush=True)
                continue
            build = run_s(program, job, folder, number)
            epoch = build["metrics"]["runtime_s"]
            inside = epoch["low"] <= truth <= epoch["high"]
            print(
                f"{epoch['value']:.3f} s ({epoch['low']:.3f} to {epoch['high']:.3f}), blocking "
                f"{truth:.3f} s: {'inside' if inside else 'OUTSIDE'}; "
                f"{build['executed']['executions']} batches",
                flush=True,
            )
        if ratios:
            print(f"median {statistics.median(ratios):.4f}")


if __name__ == "__main__":
    main()
