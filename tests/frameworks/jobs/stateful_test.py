"""torchdata's StatefulDataLoader whose state is asked for before its first batch: the hook hands
out the job's own batches, and leaves the job's random numbers as they are.

    stateful_test.py SOURCE_DIR EXE
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv[1])
del sys.argv[1:3]
HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
LOADERS = ("shuffled", "generator", "sampler", "workers")
JOB = """
import sys
import torch
from torchdata.stateful_dataloader import StatefulDataLoader

class Own(torch.utils.data.Sampler):
    def __init__(self):
        self.generator = torch.Generator().manual_seed(5)
    def __iter__(self):
        yield from torch.randperm(40, generator=self.generator).tolist()
    def __len__(self):
        return 40

def pad(rows):
    samples = [torch.full((1 + row % 7,), 1.0) for row in rows]
    return {"rows": torch.tensor(rows), "x": torch.nn.utils.rnn.pad_sequence(samples, True)}

def loader():
    if kind == "sampler":
        return StatefulDataLoader(data, 4, sampler=Own(), collate_fn=pad)
    generator = torch.Generator().manual_seed(9) if kind == "generator" else None
    workers = 2 if "workers" in kind else 0
    return StatefulDataLoader(
        data, 4, shuffle=True, generator=generator, num_workers=workers, collate_fn=pad
    )

torch.manual_seed(3)
kind, data = sys.argv[1], list(range(40))
batches = loader()
if "resumed" in kind:
    with torch.no_grad():
        begun = iter(batches)
        for _ in range(3):
            next(begun)
    state, batches = batches.state_dict(), loader()
    batches.load_state_dict(state)
batches.state_dict()
weight = torch.nn.Parameter(torch.rand(1))
for batch in batches:
    (weight * batch["x"].sum()).backward()
    print(*batch["rows"].tolist())
print("drawn", torch.rand(1).item())
"""


class Stateful(unittest.TestCase):
    def run_job(self, kind, verb="", output="", status=0):
        """What the job prints, and the rows that were written."""
        hook = {"PYTHONPATH": HOOK, "SEQPOINT_HOOK": verb, "SEQPOINT_OUTPUT": output}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", JOB, kind],
            env={**os.environ, **hook, "SEQPOINT_LENGTHS": self.lengths},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        if not verb or status:
            return done.stdout, done.stderr
        with open(output, newline="", encoding="utf-8") as file:
            return done.stdout, [row["rows"] for row in csv.DictReader(file)]

    def check(self, kind, lengths):
        self.lengths = lengths
        with tempfile.TemporaryDirectory() as folder:
            printed, _ = self.run_job(kind)
            _, order = self.run_job(kind, "order", os.path.join(folder, "order.csv"))
            recorded = self.run_job(kind, "record", os.path.join(folder, "epoch.csv"))
        self.assertEqual(order, printed.splitlines()[:-1])
        self.assertEqual(recorded, (printed, order))

    def test_a_loader_with_the_state_of_a_checkpoint_has_no_epoch(self):
        self.lengths = "1"
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "order.csv")
            for kind in ("resumed", "resumed with workers"):
                said = self.run_job(kind, "order", output, status=2)[1]
                self.assertIn("goes on from a checkpoint, after batch 3 of 10", said)
                self.assertIn("hint: start the job without its checkpoint", said)
                printed, _ = self.run_job(kind)
                recorded = self.run_job(kind, "record", output)
                self.assertEqual(recorded, (printed, printed.splitlines()[:-1]))

    def test_batches_are_those_of_the_job(self):
        for kind in LOADERS:
            for lengths in ("1", "") if kind == "workers" else ("1",):
                with self.subTest(kind=kind, lengths=lengths):
                    self.check(kind, lengths)


if __name__ == "__main__":
    unittest.main()
