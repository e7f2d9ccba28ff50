"""Twelve jobs by `seqpoint run`: each has trained the batches that its order and points name.

Then once more, without a seed: each has trained the batches that its files name.

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
SHORT = {"max_processes": 2, "points": POINTS, "epochs": 1}


def main():
    program = os.path.abspath(sys.argv[2])
    os.environ["SAMPLES"] = str(SAMPLES)
    faults = {}
    for seedless in (False, True):
        options = types.SimpleNamespace(**SHORT, seedless=seedless)
        epochs.tell_jobs(seedless)
        with tempfile.TemporaryDirectory() as folder:
            results, of_form = epochs.try_jobs(program, list(epochs.JOBS), Path(folder), options)
        epochs.show(results.values())
        faults.update(of_form)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
