#!/usr/bin/env python3
"""What protecting old files costs a job: python3 tests/bench/files.py [ROUNDS] [COMPANION...]

Prints the CPU time that the hook adds to a Python process that does nothing, and the time of a few
calls without the hook, with it, and with it once the job has changed an old file: minima over
rounds in turn, because other load on the machine only adds to them. COMPANIONS are folders that
seqpoint_companion lies in; without any, this source tree's.
"""
import os
import resource
import subprocess
import sys
import tempfile

COMPANION = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "python"))
CALLS = """
import os, sys, time
def append(): open("new.csv", "a").close()
def replace(): open("new.tmp", "w").close(); os.replace("new.tmp", "new.json")
calls = {
    "os.stat": lambda: os.stat("old.csv"),
    "open to read": lambda: open("old.bin").close(),
    "open to append": append,
    "write anew and os.replace": replace,
}
if sys.argv[1] == "changed":
    open("old.csv", "a").close()
for name, call in calls.items():
    best = 1
    for _ in range(20):
        begun = time.perf_counter()
        for _ in range(100):
            call()
        best = min(best, (time.perf_counter() - begun) / 100)
    print(f"{name}={best}")
"""


def run(companion, *words):
    """(its output, the seconds of CPU) of a Python process in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/run/scratch")
        os.mkdir(f"{folder}/job")
        for name in ("old.csv", "old.bin"):
            open(f"{folder}/job/{name}", "w", encoding="ascii").close()
        hook = {
            "PYTHONPATH": f"{companion}/seqpoint_companion/hook",
            "SEQPOINT_HOOK": "record",
            "SEQPOINT_OUTPUT": f"{folder}/run/out.csv",
            "SEQPOINT_REPORT": f"{folder}/run/events",
            "SEQPOINT_SCRATCH": f"{folder}/run/scratch",
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *words],
            cwd=f"{folder}/job",
            env={**os.environ, **(hook if companion else {})},
            check=True,
            capture_output=True,
            text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def milliseconds_of_a_start(companions, rounds):
    """The least of each companion, and without any."""
    best = {companion: 1 for companion in ("", *companions)}
    for _ in range(10 * rounds):
        for companion in best:
            best[companion] = min(best[companion], run(companion, "-c", "pass")[1])
    return {companion: 1e3 * seconds for companion, seconds in best.items()}


def microseconds_of_calls(companion, what, rounds):
    best = {}
    for _ in range(rounds):
        for line in run(companion, "-c", CALLS, what)[0].splitlines():
            name, seconds = line.split("=")
            best[name] = min(best.get(name, 1), float(seconds))
    return {name: 1e6 * seconds for name, seconds in best.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    companions = [os.path.abspath(of) for of in sys.argv[2:]] or [COMPANION]
    starts = milliseconds_of_a_start(companions, rounds)
    for companion in companions:
        print(
            f"{os.path.relpath(companion)}: a Python process takes {starts['']:.1f} ms of CPU, with"
            f" the hook {starts[companion] - starts['']:.1f} ms more"
        )
        columns = [microseconds_of_calls(*of, rounds) for of in cases(companion)]
        for name in columns[0]:
            times = " / ".join(f"{column[name]:.1f}" for column in columns)
            print(f"  {name}: {times} us")


def cases(companion):
    return ("", "as it is"), (companion, "as it is"), (companion, "changed")


if __name__ == "__main__":
    main()
