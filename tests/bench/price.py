#!/usr/bin/env python3
"""What `seqpoint run` costs and how far it is off, beside twenty lines at the same seconds.

    python3 tests/bench/price.py build/gcc/seqpoint [BEFORE] [--rounds N] [--only TEXT] [--csv FILE]

BEFORE is another build of seqpoint, for example of the last release; its companion is that of its
source tree, if it is in build/PRESET there. The jobs are those of price_job.py, whose epoch is
known, but for what PyTorch's loader takes: that is measured before and after each job, as it
differs with the machine's state.
Twenty lines run the job in two processes for as many seconds as `run` took in all, divide their
times by padded tokens or put a line through them, and take 95 % of 1,000 draws of batches as the
interval; the epoch's lengths cost them nothing. All take turns, on a machine without other work.
BEFORE is not started where its order alone would take longer than --most seconds. Prints Markdown:
medians of seconds, root mean squares of errors, and how many intervals have the truth.
"""
import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JOB = os.path.join(HERE, "price_job.py")
PYTHON = "/usr/bin/python3"  # Debian's, which has torch
JOBS = [
    ("shuffled", 300, 2, "sleeps"),
    ("shuffled", 5000, 20, "sleeps"),
    ("bucketed", 5000, 2, "sleeps"),
    ("bucketed", 50000, 2, "sleeps"),
    ("sorted", 5000, 2, "computes"),
    ("sorted", 50000, 20, "computes"),
]
LOAD_S = 0.01  # of a batch, as in price_job.py
DRAWS = 1000


def name_of(job):
    kind, batches, start, loading = job
    return f"{kind}, {batches:,} batches, start {start} s, loading {loading}"


def words_of(job):
    return [PYTHON, "-W", "ignore", JOB, *map(str, job)]


def overhead_of(loading):
    """Seconds of a batch beyond those, by an epoch of 200 batches without noise."""
    job = ("shuffled", 200, 0, loading)
    found = recorded(job, 1000, STEADY="1")
    pairs = list(zip(found["took"], found["planned"]))[1:]  # the first one costs more
    return statistics.fmean(seconds - planned for (_, seconds), planned in pairs)


def recorded(job, seconds, **more):
    environment = {**os.environ, "SECONDS": str(seconds), **more}
    done = subprocess.run(
        words_of(job), env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def run(program, job):
    """(seconds in all, estimate, low, high, starts, batches)"""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "run", "-qq", "--export", "json=result.json", "--", *words_of(job)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begun
        if done.returncode:
            sys.exit(f"{name_of(job)}: {program} ended with {done.returncode}: {done.stderr}")
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            (epoch,) = json.load(file)["configurations"]
        with open(os.path.join(folder, "seqpoint-run", "run.json"), encoding="utf-8") as file:
            starts = json.load(file)["starts"]
    of = epoch["metrics"]["runtime_s"]
    number = sum(not start.get("after_order") for start in starts)
    measured = sum(start["batches"] for start in starts if start["verb"] != "order")
    return seconds, of["value"], of.get("low", math.nan), of.get("high", math.nan), number, measured


def by_tokens(took, tokens):
    return sum(tokens) * sum(s for _, s in took) / sum(n for n, _ in took)


def by_line(took, tokens):
    mean_n, mean_s = (statistics.fmean(column) for column in zip(*took))
    spread = sum((n - mean_n) ** 2 for n, _ in took)
    slope = sum((n - mean_n) * (s - mean_s) for n, s in took) / spread if spread else 0
    return len(tokens) * (mean_s - slope * mean_n) + slope * sum(tokens)


def twenty_lines(job, seconds):
    """(planned seconds of the epoch, {method: (seconds, estimate, low, high, 2, batches)})"""
    begun, took = time.monotonic(), []
    for _ in range(2):
        found = recorded(job, seconds / 2)
        took += found["took"][1:]
    tokens = found["tokens"]
    seconds = time.monotonic() - begun
    draw, results = random.Random(1), {}
    for name, method in (("by tokens", by_tokens), ("by a line", by_line)):
        drawn = sorted(method(draw.choices(took, k=len(took)), tokens) for _ in range(DRAWS))
        low, high = drawn[round(0.025 * DRAWS)], drawn[round(0.975 * DRAWS)]
        results[name] = seconds, method(took, tokens), low, high, 2, len(took)
    return sum(found["planned"]), results


def measure(program, before, jobs, rounds, most):
    """(job, what, round, truth, seconds, estimate, low, high, starts, batches) of all, in turns."""
    for number in range(rounds):
        for job in jobs:
            more = [overhead_of(job[3])]
            found = {"run": run(program, job)}
            if before and job[1] * LOAD_S <= most:
                found["before"] = run(before, job)
            planned, theirs = twenty_lines(job, found["run"][0])
            found.update(theirs)
            more.append(overhead_of(job[3]))
            truth = planned + statistics.fmean(more) * job[1]
            for what, row in found.items():
                print(f"{number} {name_of(job)}: {what} {row[0]:.1f} s", file=sys.stderr)
                yield (job, what, number, truth, *row)


def markdown(rows):
    columns = ("job", "by", "seconds", "starts", "batches", "epoch s", "RMS error %", "± %")
    yield f"| {' | '.join(columns)} | intervals hold |"
    yield "|:---|:---|---:|---:|---:|---:|---:|---:|---:|"
    groups = {}
    for row in rows:
        groups.setdefault((row[0], row[1]), []).append(row)
    for (job, what), own in groups.items():
        rms = math.sqrt(statistics.fmean((row[5] / row[3] - 1) ** 2 for row in own))
        half = statistics.median((row[7] - row[6]) / 2 / row[5] for row in own)
        hold = sum(row[6] <= row[3] <= row[7] for row in own)
        truth, seconds, starts, batches = (
            statistics.median(row[at] for row in own) for at in (3, 4, 8, 9)
        )
        yield (
            f"| {name_of(job)} | {what} | {seconds:.1f} | {starts:g} | {batches:g} | {truth:.1f} | "
            f"{100 * rms:.1f} | {100 * half:.1f} | {hold} of {len(own)} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("before", nargs="?")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="jobs whose name has this text")
    parser.add_argument("--most", type=float, default=120, help="seconds of an order of BEFORE")
    parser.add_argument("--csv", help="a file for all figures")
    given = parser.parse_args()
    jobs = [job for job in JOBS if given.only in name_of(job)]
    before = given.before and os.path.abspath(given.before)
    rows = list(measure(os.path.abspath(given.program), before, jobs, given.rounds, given.most))
    if given.csv:
        with open(given.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(
                "job by round truth_s seconds estimate_s low_s high_s starts batches".split()
            )
            writer.writerows((name_of(row[0]), *row[1:]) for row in rows)
    print(*markdown(rows), sep="\n")


if __name__ == "__main__":
    main()
