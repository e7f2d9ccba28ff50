"""A plan by hand and a folder to try it in, for the tests NAME_test.py SOURCE_DIR in this folder.

Exit status 77 (skipped) if PyTorch cannot be imported.
"""

import csv
import json
import os
import sys
import tempfile
import unittest

try:
    import torch  # noqa: F401  the companion needs it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SOURCE = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.join(SOURCE, "python"))
import seqpoint_companion as companion


def step(index, point, rows, warmup=False, repeat=0, **more):
    """Row n of the data set is as long as its number, so the padded length is the largest row."""
    return {
        "index": index,
        "point": int(point[2:]) - 1,
        "id": point,
        "iteration": 7 * index,
        "warmup": warmup,
        "repeat": repeat,
        "src_len": max(rows),
        "batch_size": len(rows),
        "rows": rows,
        "weight": 1,
        **more,
    }


STEPS = [
    step(0, "sp2", [9, 8], warmup=True),
    step(1, "sp1", [4, 1]),
    step(2, "sp2", [9, 8]),
    step(3, "sp1", [4, 3], repeat=1),
]
TASKS = [{"index": 0, "points": ["sp1"], "steps": 3}, {"index": 1, "points": ["sp2"], "steps": 2}]


def signature(batch):
    return {"src_len": max(batch), "batch_size": len(batch)}


def padded(lengths, features=None):
    """A tensor of samples of these lengths."""
    return torch.zeros(len(lengths), max(lengths), *([features] if features else []))


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "plan.json")
        self.out = os.path.join(folder.name, "out.csv")

    def plan(self, steps=STEPS, options=None, **keys):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"schema": "seqpoint/plan/2", "steps": steps, "tasks": TASKS, **keys}, file)
        return companion.Plan(self.path, **(options or {}))

    def table(self):
        with open(self.out, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def points_of(plan):
    return [(step["id"], step["warmup"]) for step in plan.steps]


def without_repeats(rows):
    """Rows of a profile without repeated batches.

    A batch of warm-up is repeated until its time no longer falls, and a measured one if it included
    only an optimiser's step or other work.
    """
    warmed, measured, kept = set(), set(), []
    for row in rows:
        key = row["iteration"], row.get("repeat")
        if row.get("warmup") == "0":
            again = key in measured
            measured.add(key)
        else:
            again = row.get("point") == "warm-up" and row["iteration"] in warmed
            warmed.add(row["iteration"])
        if not again:
            kept.append(row)
    return kept
