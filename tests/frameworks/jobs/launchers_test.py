"""Jobs of real launchers and frameworks, held by the hook alone: their order, and a plan of it.

    launchers_test.py SOURCE_DIR EXE
"""

import csv
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import torch

SOURCE, EXE = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
SCRIPTS = os.path.join(SOURCE, "tests", "pytorch", "scripts")
BIN = os.path.dirname(sys.executable)
MAKEFILE = f"train:\n\t{sys.executable} {SCRIPTS}/plain.py 2\n"
JOBS = {  # command, ranks
    "torchrun": ([f"{BIN}/torchrun", "--nproc_per_node", "2", f"{SCRIPTS}/distributed.py"], 2),
    "accelerate": ([f"{BIN}/accelerate", "launch", "--cpu", f"{SCRIPTS}/accelerated.py"], 1),
    "make": (["make", "train"], 1),
    "transformers": ([sys.executable, f"{SCRIPTS}/hugging_face.py"], 1),
    "lightning": ([sys.executable, f"{SCRIPTS}/in_lightning.py"], 1),
    "torchdata": ([sys.executable, f"{SCRIPTS}/stateful.py"], 1),
    "streaming": ([sys.executable, f"{SCRIPTS}/streaming.py"], 1),
    "deepspeed": ([sys.executable, f"{SCRIPTS}/in_deepspeed.py"], 1),
    "megatron": ([sys.executable, f"{SCRIPTS}/in_megatron.py"], 1),
}
ON_A_GPU = ("megatron",)  # its schedules put a tensor on CUDA: elsewhere only the order is made


class Launchers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("Makefile"), "w", encoding="utf-8") as file:
            file.write(MAKEFILE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_job(self, command, verb, output, **more):
        own = {
            "PYTHONPATH": HOOK,
            "PYTHONWARNINGS": "ignore",
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": self.path(output),
            "SEQPOINT_REPORT": self.path(f"{output}.events"),
            "SEQPOINT_LENGTHS": "1",
            "SEQPOINT_PROCESS": "0",
            "SEEN": self.path("seen"),
        }
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **own, **more},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-3000:])
        with open(self.path(output), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def seqpoint(self, *words):
        subprocess.run([EXE, "-q", *words], cwd=self.folder, check=True, capture_output=True)

    def done_ranks(self, output):
        with open(self.path(f"{output}.events"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return sorted(event["rank"] for event in events if event["event"] == "done")

    def check(self, command, ranks, measures):
        order = self.run_job(command, "order", "run.csv")
        self.assertGreater(len(order), 10)
        self.assertFalse(os.path.exists(self.path("seen.0")), "nothing is trained")
        if not measures:
            return
        self.seqpoint("select", "run.csv", "--points", "3", "-o", "points.json")
        self.seqpoint("plan", "points.json", "-o", "plan")
        plan = self.path(os.path.join("plan", "plan.json"))
        rows = self.run_job(command, "measure", "new.csv", SEQPOINT_PLAN=plan)
        self.assertEqual(self.done_ranks("new.csv"), list(range(ranks)))
        measured = [row for row in rows if row["warmup"] == "0"]
        self.assertEqual(len({row["point"] for row in measured}), 3)
        lengths = {row["iteration"]: row["src_len"] for row in order}
        for row in rows:
            if row.get("src_len"):
                self.assertEqual(row["src_len"], lengths[row["iteration"]])
        self.assertTrue(all(float(row["runtime_s"]) > 0 for row in rows))

    def test_jobs_are_held(self):
        """With the seeds of the scripts, and without any."""
        for seedless, (name, (command, ranks)) in itertools.product(("", "1"), JOBS.items()):
            environment = mock.patch.dict(os.environ, SEEDLESS=seedless)
            with self.subTest(name, seedless=seedless), environment:
                self.setUp()
                measures = name not in ON_A_GPU or torch.cuda.is_available()
                self.check(command, ranks, measures)


if __name__ == "__main__":
    unittest.main()
