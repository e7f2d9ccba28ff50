"""Shared by tests of loops around seqpoint.iterate: a run of iterated_job.py, step by step."""

import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "python"))
sys.path.insert(0, str(HERE))
import iterated_job  # noqa: E402


def run(program, command, folder):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "python")}
    return subprocess.run(
        [program, "run", "--points", "4", "--max-processes", "2", "--", sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


def require_batches_of_plan(test, program, *job):
    """Runs the job, and compares its files with the batches that its loop has got."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, [HERE / "iterated_job.py", *job], folder)
        test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = Path(folder) / "seqpoint-run"
        lengths = list(iterated_job.lengths_of_batches(60))
        test.assertEqual(column(runs / "order.csv", "src_len"), lengths)
        for process in (1, 2):
            iterations = column(runs / f"run-{process}.csv", "iteration")
            got = re.findall(r"(?m)^got (\d+)", (runs / f"run-{process}.log").read_text())
            test.assertEqual(
                [lengths[n] for n in iterations], list(map(int, got))[: len(iterations)]
            )
        with open(runs / "run-1.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def column(path, name):
    with open(path, encoding="utf-8") as file:
        return [int(row[name]) for row in csv.DictReader(file)]
