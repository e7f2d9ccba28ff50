#!/usr/bin/env python3
"""How often `run --by operator` names an operator that a build replaces; none if builds are equal:

    replaced.py PROGRAM [RUNS]

The job is small_network.py; the new build has GELU where the old one has ReLU. Prints a row each:
right if the largest difference that is named is of these operators or their gradients, or if none
is named between equal builds. Takes about 25 s a run.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
JOB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "small_network.py")
OPERATORS = re.compile("gelu|relu|clamp_min|threshold_backward", re.IGNORECASE)
NAMED = re.compile(r"^operator +\S+ .*   (.+)$", re.MULTILINE)


def named(new):
    """The operator of the largest difference from ReLU to `new` that is named; or ""."""
    with tempfile.TemporaryDirectory() as folder:
        build = "exec " + shlex.join([sys.executable, "-W", "ignore", JOB])
        done = subprocess.run(
            [PROGRAM, "run", "-q", "--by", "operator", "--points", "4", "--max-processes", "3"]
            + [f"old={build} relu", f"new={build} {new}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
    found = NAMED.search(done.stdout)
    return found[1] if found else ""


def main():
    for new in ("gelu", "relu"):
        found = [named(new) for _ in range(RUNS)]
        right = [bool(OPERATORS.search(name)) if new == "gelu" else not name for name in found]
        print(f"relu beside {new}: right {sum(right)} of {RUNS}: {', '.join(sorted(set(found)))}")


if __name__ == "__main__":
    main()
