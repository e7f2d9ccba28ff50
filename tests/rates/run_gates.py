#!/usr/bin/env python3
"""How often a gate of `seqpoint run` is right:

    run_gates.py PROGRAM [--runs N] [--level SHARE]... [--slower SHARE]...

Each run is one command, `seqpoint run --max-regression 3% old=... new=...`, with the made-up times
of tests/run/fake_job.py: processes differ by --level, and new is slower by --slower. Levels depend
on the names of builds, so those differ from run to run. Prints a row for each kind of job, level
and difference. Takes about 5 s of CPU time a run.
"""

import argparse
import collections
import json
import os
import shlex
import subprocess
import sys
import tempfile

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run", "fake_job.py")
KINDS = {"one shape": 1, "padded": 60}  # different lengths
LIMIT = "3%"
VERDICTS = ("FAIL", "PASS", "INCONCLUSIVE")


def build(name, shapes, level, slower):
    options = ["--shapes", shapes, "--level", level, "--slower", slower]
    return f"{name}={shlex.join([sys.executable, FAKE, *map(str, options)])}"


def gate(program, number, shapes, level, slower):
    """The verdict, and the processes of a build."""
    builds = [
        build(f"old{number}", shapes, level, 0),
        build(f"new{number}", shapes, level, slower),
    ]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [program, "run", "-q", "--max-regression", LIMIT, *builds],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        verdicts = [word for word in VERDICTS if f"\n{word} " in done.stdout]
        if done.returncode not in (0, 1) or len(verdicts) != 1:
            sys.exit(done.stdout + done.stderr)
        with open(os.path.join(folder, "seqpoint-run", "run.json"), encoding="utf-8") as file:
            record = json.load(file)
    return verdicts[0], max(start.get("process", 0) for start in record["starts"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--level", type=float, action="append")
    parser.add_argument("--slower", type=float, action="append")
    given = parser.parse_args()
    print("| job | processes differ by | slower by |", *map("{} |".format, VERDICTS), "processes |")
    for kind, shapes in KINDS.items():
        for level in given.level or (0.01,):
            for slower in given.slower or (0, 0.08):
                verdicts, processes = collections.Counter(), 0
                for number in range(given.runs):
                    verdict, most = gate(
                        os.path.abspath(given.program), number, shapes, level, slower
                    )
                    verdicts[verdict] += 1
                    processes += most / given.runs
                counts = " | ".join(str(verdicts[word]) for word in VERDICTS)
                print(
                    f"| {kind} | {100 * level:g} % | {100 * slower:g} % | {counts} "
                    f"| {processes:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
