"""Twelve jobs by `seqpoint run`: each has trained the batches that its order and points name.

    epochs_test.py SOURCE_DIR EXE

Short epochs, and two processes each: times decide nothing. They are in the table that is printed.
"""

import os
import sys
import tempfile
import types
from pathlib import Path

import epochs

SAMPLES = 1680  # 210 batches: few enough for a test, enough for points
POINTS = 16  # a whole epoch would be cheaper, and would not have the order's batches
SHORT = types.SimpleNamespace(max_processes=2, points=POINTS, epochs=1)


def main():
    program = os.path.abspath(sys.argv[2])
    os.environ["SAMPLES"] = str(SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        results, faults = epochs.try_jobs(program, list(epochs.JOBS), Path(folder), SHORT)
    epochs.show(results.values())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
