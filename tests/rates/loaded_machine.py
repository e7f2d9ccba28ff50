#!/usr/bin/env python3
"""What `seqpoint run` says beside two busy loops, of a job that runs beside them, too:

    loaded_machine.py PROGRAM [--runs N] [--comparisons N] [--loops N]

The job is small_network.py. Of each single run: whether its interval has an epoch that the job
timed itself beside the same loops, or its processes disagree. Of each comparison of equal builds:
the verdict, and whether a cause is named. Exits with 1 if an interval misses the epoch while
processes agree, a verdict is FAIL, or a cause is named. Takes about two minutes a run, and all
cores: run it alone.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

JOB = [
    sys.executable,
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "small_network.py"),
    "relu",
]


def run_in(folder, program, *arguments):
    done = subprocess.run(
        [program, "run", "--points", "8", "-o", "run", "--export", "json=run.json", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        return done.stdout, json.load(file)["configurations"]


def single(program):
    """The interval, the epoch beside it, and whether processes agree."""
    with tempfile.TemporaryDirectory() as folder:
        _, (build,) = run_in(folder, program, "--", *JOB)
        words = subprocess.run(JOB, cwd=folder, capture_output=True, text=True, check=True).stdout
    epoch = float(re.search(r"epoch took (\S+)", words)[1])
    figure = build["metrics"]["runtime_s"]
    return figure["low"], figure["high"], epoch, build.get("processes_agree", True)


def comparison(program):
    """The verdict, and the causes that are named."""
    job = "exec " + shlex.join(JOB)
    with tempfile.TemporaryDirectory() as folder:
        text, builds = run_in(folder, program, "--max-regression", "3%", f"old={job}", f"new={job}")
    causes = [name for name, phase in builds[1]["phases"].items() if phase.get("is_cause")]
    causes += ["lengths" for part in builds[1].get("by_length", []) if part["is_cause"]]
    return re.search(r"^(PASS|FAIL|INCONCLUSIVE) ", text, re.MULTILINE)[1], causes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--comparisons", type=int, default=10)
    parser.add_argument("--loops", type=int, default=2)
    given = parser.parse_args()
    program, wrong = os.path.abspath(given.program), 0
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.loops)
    ]
    try:
        for _ in range(given.runs):
            low, high, epoch, agree = single(program)
            missed = agree and not low <= epoch <= high
            wrong += missed
            said = "missed" if missed else "has it" if agree else "processes disagree"
            print(f"{low:.2f} to {high:.2f} s, epoch {epoch:.2f} s: {said}", flush=True)
        for _ in range(given.comparisons):
            verdict, causes = comparison(program)
            wrong += verdict == "FAIL" or bool(causes)
            print(f"equal builds: {verdict} {' '.join(causes)}", flush=True)
    finally:
        for loop in loops:
            loop.kill()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
