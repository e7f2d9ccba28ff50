#!/usr/bin/env python3
"""Ordinary jobs under `seqpoint run`, on a quiet machine and beside one busy loop:

    tools/evaluation/ordinary.py PROGRAM [NAME...]

Eight jobs of ordinary_jobs, none with a seed of its own. Each runs twice by itself, the truth, and
once under `run`, in turns: truth, run, truth. Prints a line of CSV for each: seconds of the two
epochs, the estimate with its 95 % interval, what `run` said that it will spend, about and at most,
and what it spent. The truths are first epochs of a process: where `run` states a cold start, the
estimate has it, and the interval from none of it to the most. The environments are those of
tests/frameworks/versions.txt.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
JOBS = HERE / "ordinary_jobs"
BUSY = [sys.executable, "-c", "while True: pass"]
RANKS = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "--standalone"]
NAMES = {
    "plain": "jobs",
    "trainer": "jobs",
    "in_lightning": "jobs",
    "accumulating": "jobs",
    "sorted_first": "jobs",
    "streaming": "jobs",
    "in_jax": "jax-jobs",
    "two_ranks": "jobs",
}
PRICE = re.compile(r"about ([\d.]+ \w+)(?: in all)?, at most ([\d.]+ \w+)")
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600}


class Failed(Exception):
    """A job or a run that ended with another status than 0."""


def command_of(name):
    made = subprocess.run(
        [SOURCE / "tests/frameworks/environment.sh", NAMES[name]],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    ranks = RANKS if name == "two_ranks" else []
    return [made.stdout.strip(), "-W", "ignore", *ranks, str(JOBS / f"{name}.py")]


@contextlib.contextmanager
def machine(busy):
    """Meanwhile another program uses a core, if `busy`."""
    beside = subprocess.Popen(BUSY) if busy else None
    try:
        yield
    finally:
        if beside:
            beside.kill()
            beside.wait()


def started(command, folder, statuses=(0,)):
    """(what it printed on both streams, seconds). Raises Failed."""
    begun_s = time.monotonic()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SOURCE / "python")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in statuses:
        raise Failed(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr, time.monotonic() - begun_s


def epoch_of(command, folder):
    printed, _ = started(command, folder)
    return float(re.search(r"^epoch ([\d.]+)$", printed, re.MULTILINE)[1])


def seconds_of(amount):
    value, unit = amount.split()
    return float(value) * UNITS[unit]


def trial(program, name, busy, folder):
    command = command_of(name)
    with machine(busy):
        first = epoch_of(command, folder)
        printed, spent_s = started([program, "run", "--", *command], folder)
        second = epoch_of(command, folder)
    print(
        f"== {name}{' beside a busy loop' if busy else ''}\n{printed}", file=sys.stderr, flush=True
    )
    with open(Path(folder) / "seqpoint-run/projection.json", encoding="utf-8") as file:
        (configuration,) = json.load(file)["configurations"]
    time_of = configuration["metrics"]["runtime_s"]
    said = PRICE.search(printed)
    about, most = map(seconds_of, said.groups()) if said else (0, 0)
    cold = configuration.get("cold_start", {}).get("runtime_s", {})
    cold_s, most_cold_s = cold.get("about_s", 0), cold.get("at_most_s", 0)
    estimate = (time_of["value"] + cold_s, time_of["low"], time_of["high"] + most_cold_s)
    figures = (first, second, *estimate)
    return [name, "busy" if busy else "quiet", *figures, about, most, spent_s]


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(NAMES)
    print("job,machine,epoch_1_s,epoch_2_s,estimate_s,low_s,high_s,about_s,at_most_s,spent_s")
    for busy in (False, True):
        for name in names:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    row = trial(program, name, busy, folder)
            except Failed as error:
                print(f"{name}: {error}", file=sys.stderr, flush=True)
                continue
            shown = (of if isinstance(of, str) else f"{of:.4g}" for of in row)
            print(",".join(shown), flush=True)


if __name__ == "__main__":
    main()
