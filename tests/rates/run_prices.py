#!/usr/bin/env python3
"""What `seqpoint run` costs beside the epoch that it replaces, and what it finds:

    run_prices.py PROGRAM [--start SECONDS] [SECONDS...]

Jobs with epochs of these lengths (5 s to 10 min) sleep as a device would work, so they run all at
once: tests/run/fake_job.py. A job starts for --start seconds, processes differ by 1 %, and batches
by 1 %. The truth is known: the sum of the times that the sleeps are made from. Prints a row for
each job. The allowance is an epoch with its start-up, and one start-up more, for the order.
"""

import argparse
import concurrent.futures
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run", "fake_job.py")
EPOCHS = (5, 8, 12, 20, 30, 45, 60, 90, 150, 240, 400, 600)
BATCHES = 400
COLUMNS = "epoch|way|processes|measuring|of its allowance|error|half-width|covers|stopped"


def epoch_at_scale_1(seed):
    """Seconds of the batches of fake_job.py."""
    draw = random.Random(seed)
    lengths = [20 + 7 * min(int(draw.random() ** 2 * 60), 59) for _ in range(BATCHES)]
    return sum(0.02 + 0.001 * length for length in lengths)


def measure(program, seconds, start):
    """The row of a job whose epoch takes that long."""
    seed = f"epoch of {seconds} s"
    scale = seconds / epoch_at_scale_1(seed)
    words = ["--batches", BATCHES, "--seed", seed, "--start", start, "--scale", scale]
    words += ["--level", 0.01, "--real", "--first", seconds / BATCHES]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        done = subprocess.run(
            [program, "run", "-q", "--", sys.executable, FAKE, *map(str, words)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.monotonic() - begun
        if done.returncode:
            sys.exit(f"{shlex.join(map(str, words))}\n{done.stdout}{done.stderr}")
        files = [os.path.join(folder, "seqpoint-run", f"{n}.json") for n in ("projection", "run")]
        projection, run = (json.load(open(name, encoding="utf-8")) for name in files)
    metric = projection["configurations"][0]["metrics"]["runtime_s"]
    outputs = [of["output"] for of in run["starts"] if of["verb"] != "order"]
    half = (metric["high"] - metric["low"]) / 2 / metric["value"]
    return [
        f"{seconds} s",
        "epochs" if any(name.startswith("epoch") for name in outputs) else "points",
        str(len(outputs)),
        f"{took:.0f} s",
        f"{took / (seconds + 2 * start):.2f}",
        f"{100 * (metric['value'] / seconds - 1):+.1f} %",
        f"± {100 * half:.1f} %",
        "yes" if metric["low"] <= seconds <= metric["high"] else "no",
        run["stopped"],
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("epochs", nargs="*", type=float, default=EPOCHS)
    parser.add_argument("--start", type=float, default=3)
    given = parser.parse_args()
    print(f"| {' | '.join(COLUMNS.split('|'))} |")
    print("|---:|---|---:|---:|---:|---:|---:|---|---|")
    program = os.path.abspath(given.program)
    with concurrent.futures.ThreadPoolExecutor(len(given.epochs)) as pool:
        rows = [pool.submit(measure, program, seconds, given.start) for seconds in given.epochs]
        for row in rows:
            print(f"| {' | '.join(row.result())} |", flush=True)


if __name__ == "__main__":
    main()
