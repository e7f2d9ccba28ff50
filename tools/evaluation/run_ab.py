#!/usr/bin/env python3
"""What does a gate of `seqpoint run` say of two builds that differ by a known amount of work?

    python3 tools/evaluation/run_ab.py --program build/gcc/seqpoint --condition quiet
        -o tools/evaluation/run_ab.csv

The job (run_ab_job.py) does 0, 4 or 10 % of its work once more in every iteration of the new
build. Each comparison is one command, `seqpoint run --max-regression 3% old=... new=...`, with
processes of its own. The true difference is measured with whole epochs of both builds in turn,
without seqpoint. Every comparison has a core of its own, of the first --cores of the machine.
`--condition load` runs a second program on each of these cores meanwhile. New rows are appended.

Takes about half a minute a comparison. Needs Linux, and Python 3.9 with PyTorch.
"""
import argparse
import contextlib
import csv
import json
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
JOB = f"{sys.executable} -W ignore {HERE / 'run_ab_job.py'}"
EXTRA = (0, 0.04, 0.1)
LIMIT = "3%"
EPOCHS = "ABBAAB"
# Half of the time on a core: a spell of work, and a pause as long, of 10 ms to 1 s.
NEIGHBOUR = """
import random, time
draw = random.Random(1)
while True:
    spell = 10 ** draw.uniform(-2, 0)
    end = time.monotonic() + spell
    while time.monotonic() < end:
        pass
    time.sleep(spell)
"""


def on_core(core, words, **options):
    return subprocess.Popen(["taskset", "-c", str(core), *map(str, words)], text=True, **options)


def output_of(core, words, **options):
    """(status, standard output, standard error)"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with on_core(core, words, **pipes, **options) as program:
        out, errors = program.communicate()
    return program.returncode, out, errors


@contextlib.contextmanager
def neighbours(cores):
    programs = [on_core(core, [sys.executable, "-c", NEIGHBOUR]) for core in cores]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def epoch_seconds(core, extra):
    status, out, errors = output_of(core, [*JOB.split(), extra])
    if status != 0:
        raise RuntimeError(errors)
    return float(out.split()[1])


def true_change(core, extra):
    """How much longer a whole epoch takes with the extra work, as a share."""
    times = {"A": [], "B": []}
    for side in EPOCHS:
        times[side].append(epoch_seconds(core, extra if side == "B" else 0))
    return statistics.mean(times["B"]) / statistics.mean(times["A"]) - 1


def compare(core, program, extra):
    """One command; what it says, and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        status, _, messages = output_of(
            core,
            [
                program,
                "run",
                "--max-regression",
                LIMIT,
                "--export",
                "json=result.json",
                f"old={JOB} 0",
                f"new={JOB} {extra}",
            ],
            cwd=folder,
        )
        seconds = time.monotonic() - begin
        if status not in (0, 1):
            return {"verdict": "refused", "seconds": round(seconds, 1)}, messages
        result = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
        gate = result["gates"][0]
        processes = len(list(Path(folder, "seqpoint-run").glob("new-[0-9]*.csv")))
    found = {
        "verdict": gate["verdict"],
        "change": gate["value"],
        "low": gate["low"],
        "high": gate["high"],
        "processes": processes,
        "seconds": round(seconds, 1),
    }
    return found, messages


def append(path, row):
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


COLUMNS = ("condition", "extra", "true_change", "verdict", "change", "low", "high")
COLUMNS += ("processes", "seconds")


class Cores:
    """Runs functions side by side, each of which is given a core for itself."""

    def __init__(self, number):
        self.all = sorted(os.sched_getaffinity(0))[:number]
        self.free = queue.SimpleQueue()
        self.pool = ThreadPoolExecutor(len(self.all))
        for core in self.all:
            self.free.put(core)

    def start(self, function, *given):
        return self.pool.submit(self.call, function, given)

    def call(self, function, given):
        core = self.free.get()
        try:
            return function(core, *given)
        finally:
            self.free.put(core)


def compare_all(cores, arguments):
    program = arguments.program.resolve()
    changes = {extra: cores.start(true_change, extra) for extra in arguments.extra}
    comparisons = [
        (extra, cores.start(compare, program, extra))
        for extra in arguments.extra
        for _ in range(arguments.runs)
    ]
    for extra, comparison in comparisons:
        found, messages = comparison.result()
        change = changes[extra].result()
        row = {"condition": arguments.condition, "extra": extra, "true_change": change}
        append(arguments.out, {**row, **found})
        if found["verdict"] == "refused":
            print(messages, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--condition", choices=("quiet", "load"), required=True)
    parser.add_argument("--extra", type=float, nargs="*", default=EXTRA)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("-o", dest="out", type=Path, required=True)
    arguments = parser.parse_args()
    cores = Cores(arguments.cores)
    with neighbours(cores.all if arguments.condition == "load" else []):
        compare_all(cores, arguments)


if __name__ == "__main__":
    main()
