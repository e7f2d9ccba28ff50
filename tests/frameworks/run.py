"""Runs the tests that need packages of PyPI, each with the python3 of its environment.

    run.py SEQPOINT [NAME...]    tests whose path holds one of the names; all without a name

A folder beside this file is an environment of versions.txt, and holds its tests: `*_test.py`,
started with the source folder and the program, as tests of tests/pytorch are. A test passes with
status 0 and is skipped with 77.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
SKIPPED = 77


def chosen_tests(names):
    """Paths of all tests, or of those whose path below this folder holds one of the names."""
    tests = sorted(HERE.glob("*/*_test.py"))
    wanted = [
        test
        for test in tests
        if not names or any(name in str(test.relative_to(HERE)) for name in names)
    ]
    if names and not wanted:
        sys.exit(f"run.py: no test is called {' or '.join(names)}")
    return wanted


def python_of(section):
    """The environment's python3, made on first use."""
    made = subprocess.run(
        [HERE / "environment.sh", section], stdout=subprocess.PIPE, text=True, check=True
    )
    return made.stdout.strip()


def outcome_of(test, program):
    """Runs one test: "passed", "skipped" or "failed"."""
    command = [python_of(test.parent.name), str(test), str(SOURCE), program]
    status = subprocess.run(command, check=False).returncode
    return {0: "passed", SKIPPED: "skipped"}.get(status, "failed")


def main():
    program = str(Path(sys.argv[1]).resolve())
    outcomes = {}
    for test in chosen_tests(sys.argv[2:]):
        name = test.relative_to(HERE)
        print(f"==> {name}", flush=True)
        outcomes[name] = outcome_of(test, program)
    for name, outcome in outcomes.items():
        print(f"{outcome:8} {name}")
    return 1 if "failed" in outcomes.values() else 0


if __name__ == "__main__":
    sys.exit(main())
