#!/usr/bin/env python3
"""Comparisons by `seqpoint run --max-regression 3%`, with duets and without, in turns:

    tools/evaluation/duets.py PROGRAM [--rounds N] [--busy] [JOB...]

JOB: of ordinary_jobs; plain, trainer and two_ranks without one. The second build is the first one
made slower by a known share (slower.py): 0, 3 and 6 %. --busy: beside a busy loop. Prints a line of
CSV for each comparison: the verdict, the change with its 95 % interval, and seconds. The
environment is that of tests/frameworks/versions.txt.
"""

import argparse
import json
import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

import ordinary

HERE = Path(__file__).resolve().parent
SHARES = (0, 0.03, 0.06)
WAYS = {"duet": [], "turns": ["--no-duet"]}


def command(job, share):
    *words, script = ordinary.command_of(job)
    return shlex.join([*words, str(HERE / "slower.py"), str(share), script])


def compared(program, job, share, options, folder):
    """(verdict, change, its interval, seconds)"""
    builds = [f"old={command(job, 0)}", f"new={command(job, share)}"]
    begun_s = time.monotonic()
    words = [program, "run", "--max-regression", "3%", *options, *builds]
    printed, _ = ordinary.started(words, folder, (0, 1))
    seconds = time.monotonic() - begun_s
    print(f"== {job} {share} {options}\n{printed}", file=sys.stderr, flush=True)
    with open(Path(folder) / "seqpoint-run/projection.json", encoding="utf-8") as file:
        gates = json.load(file)["gates"]
    (gate,) = (gate for gate in gates if gate["metric"] == "runtime_s")
    low, high = gate["low"], gate["high"]
    return gate["verdict"], gate["value"], low, high, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("jobs", nargs="*", default=["plain", "trainer", "two_ranks"])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--busy", action="store_true")
    given = parser.parse_args()
    print("job,machine,slower,way,verdict,change,low,high,seconds", flush=True)
    machine = "busy" if given.busy else "quiet"
    for _ in range(given.rounds):
        for job in given.jobs:
            for share in SHARES:
                for way, options in WAYS.items():
                    with tempfile.TemporaryDirectory() as folder, ordinary.machine(given.busy):
                        try:
                            found = compared(given.program, job, share, options, folder)
                        except ordinary.Failed as failed:
                            found = ("failed", *4 * [0])
                            print(failed, file=sys.stderr, flush=True)
                    verdict, *figures = found
                    shown = ",".join(f"{figure:.4g}" for figure in figures)
                    print(f"{job},{machine},{share},{way},{verdict},{shown}", flush=True)


if __name__ == "__main__":
    main()
