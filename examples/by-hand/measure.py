"""Measures the batches of a plan in a training loop of any library, in 15 lines.

    SEQPOINT_PLAN=plan/plan.json SEQPOINT_PROCESS=0 python3 measure.py process-0.csv
"""

import csv
import json
import os
import sys
import time


def measure(batches, train, path):
    """batches[i] is the batch of iteration i, and train() returns when its step has ended."""
    plan = json.load(open(os.environ["SEQPOINT_PLAN"], encoding="utf-8"))
    process = int(os.environ["SEQPOINT_PROCESS"])
    steps = [step for step in plan["steps"] if step["process"] == process]
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["point", "iteration", "warmup", "execution", "session", "runtime_s"])
        for step in sorted(steps, key=lambda step: step["index"]):
            first, warmup = step.get("first", False), step["warmup"]
            began = time.perf_counter()
            train(batches[step["iteration"]])
            seconds = time.perf_counter() - began
            point = step["id"] if first or not warmup else "warm-up"
            execution = "first" if first else "warm-up" if warmup else "measured"
            rows.writerow(
                [point, step["iteration"], int(warmup), execution, f"p{process}", seconds]
            )


def batches_of_epoch():
    """Stands in for the job's own batches: of each, the length of its longest sample."""
    with open("batches.csv", encoding="utf-8") as file:
        return [int(row["src_len"]) for row in csv.DictReader(file)]


def train(longest):
    """Stands in for a training step; on a device, it has to wait for the result."""
    time.sleep(1e-3 + 2e-5 * longest)


if __name__ == "__main__":
    measure(batches_of_epoch(), train, sys.argv[1])
