#!/usr/bin/env python3
"""What does a gate of `seqpoint run` say of two builds that differ by a known amount of work?

    python3 docs/evaluation/run_ab.py --program build/gcc/seqpoint --condition quiet
        -o docs/evaluation/run_ab.csv

The job (run_ab_job.py) does 0, 4 or 10 % of its work once more in every iteration of the new
build. Each comparison is one command, `seqpoint run --max-regression 3% old=... new=...`, with
processes of its own. The true difference is measured with whole epochs of both builds in turn,
without seqpoint.
`--condition load` runs a second program on the same cores meanwhile. New rows are appended.

Takes about half a minute a comparison on two cores. Needs Python 3.9 with PyTorch.
"""
import argparse
import contextlib
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
JOB = f"{sys.executable} -W ignore {HERE / 'run_ab_job.py'}"
EXTRA = (0, 0.04, 0.1)
LIMIT = "3%"
EPOCHS = "ABBAAB"
# Half of the time on each core: a spell of work, and a pause as long, of 10 ms to 1 s.
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


@contextlib.contextmanager
def neighbours(number):
    programs = [subprocess.Popen([sys.executable, "-c", NEIGHBOUR]) for _ in range(number)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def epoch_seconds(extra):
    done = subprocess.run(
        [*JOB.split(), str(extra)], capture_output=True, text=True, check=True
    ).stdout
    return float(done.split()[1])


def true_change(extra):
    """How much longer a whole epoch takes with the extra work, as a share."""
    times = {"A": [], "B": []}
    for side in EPOCHS:
        times[side].append(epoch_seconds(extra if side == "B" else 0))
    return statistics.mean(times["B"]) / statistics.mean(times["A"]) - 1


def compare(program, extra):
    """One command; what it says, and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run(
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
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            return {"verdict": "refused", "seconds": round(seconds, 1)}, done.stderr
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
    return found, done.stderr


def append(path, row):
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


COLUMNS = ("condition", "extra", "true_change", "verdict", "change", "low", "high")
COLUMNS += ("processes", "seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--condition", choices=("quiet", "load"), required=True)
    parser.add_argument("--extra", type=float, nargs="*", default=EXTRA)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("-o", dest="out", type=Path, required=True)
    arguments = parser.parse_args()
    with neighbours(2 if arguments.condition == "load" else 0):
        for extra in arguments.extra:
            change = true_change(extra)
            for _ in range(arguments.runs):
                found, messages = compare(arguments.program.resolve(), extra)
                row = {"condition": arguments.condition, "extra": extra, "true_change": change}
                append(arguments.out, {**row, **found})
                if found["verdict"] == "refused":
                    print(messages, file=sys.stderr)


if __name__ == "__main__":
    main()
