"""Jobs whose caller does not wait for them, from the start or any more, train as without the hook:

    caller_test.py SOURCE_DIR
"""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from plans import SOURCE

HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
NOBODY = 1 << 30  # no process has this number
BATCHES, EPOCHS = 12, 2
# Says what it has trained on; waits at each batch until the test allows more. The environment is
# that of a program that it starts at its end.
JOB = """
import json, os, subprocess, sys, time
import torch
from torch.utils.data import DataLoader, DistributedSampler

ranks = int(os.environ.get("WORLD_SIZE", "1"))
if ranks > 1:
    torch.distributed.init_process_group("gloo")
torch.manual_seed(0)
data = [torch.full((4 + n % 9,), float(n)) for n in range(12 * ranks)]
sampler = DistributedSampler(data, shuffle=False) if ranks > 1 else None
loader = DataLoader(data, sampler=sampler, shuffle=ranks == 1)
model = torch.nn.Linear(1, 1)
model = torch.nn.parallel.DistributedDataParallel(model) if ranks > 1 else model
optimiser = torch.optim.SGD(model.parameters(), lr=1e-9)
trained = []
for epoch in range(2):
    for batch in loader:
        optimiser.zero_grad()
        model(batch.unsqueeze(-1)).sum().backward()
        optimiser.step()
        trained.append(int(batch[0, 0]))
        with open(f"trained.{os.environ.get('RANK', '0')}", "a") as file:
            print(trained[-1], file=file)
        while os.path.exists(f"wait-at-{len(trained)}"):
            time.sleep(0.01)
torch.save(model, "model.pt")
own = subprocess.check_output(["env", "-0"], text=True).split("\\0")
print(json.dumps({"trained": trained, "environment": own}))
"""
PLAN = {
    "schema": "seqpoint/plan/2",
    "steps": [
        {
            **{"index": n, "id": "sp1", "iteration": 1, "repeat": n, "warmup": n == 0},
            **{"batch_size": 1, "rows": [5], "src_len": 9, "weight": 1},
        }
        for n in range(20)
    ],
}


class Job(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(self.path("run"))
        self.write("job.py", JOB)
        self.write("plan.json", json.dumps(PLAN))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SEQPOINT_")}
        self.report = None

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def await_job(self):
        """Does what the caller does: makes a report and locks it."""
        self.report = open(self.path("run", "events"), "wb")
        self.addCleanup(self.report.close)
        fcntl.flock(self.report, fcntl.LOCK_EX)

    def start(self, verb, **more):
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            kernel = file.read().strip()
        own = {
            **{"PYTHONPATH": f"{HOOK}:/own/modules", "SEQPOINT_HOOK": verb, "SEQPOINT_RUN": "1"},
            **{"SEQPOINT_OUTPUT": self.path("run", "out.csv"), "SEQPOINT_LENGTHS": "1"},
            **{"SEQPOINT_REPORT": self.path("run", "events"), "SEQPOINT_PROCESS": "0"},
            **{"SEQPOINT_PLAN": self.path("plan.json"), "SEQPOINT_CALLER": f"{kernel}:{NOBODY}"},
            "SEQPOINT_SCRATCH": self.path("run", "scratch"),
        }
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "job.py"],
            cwd=self.folder,
            env={**self.environment, **own, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, job):
        out, told = job.communicate(timeout=120)
        self.assertEqual(job.returncode, 0, told)
        self.assertNotIn("Traceback", told)
        return json.loads(out.splitlines()[-1]), told

    def trained_on(self, rank=0):
        try:
            with open(self.path(f"trained.{rank}"), encoding="utf-8") as file:
                return len(file.read().split())
        except FileNotFoundError:
            return 0

    def wait_for(self, number, rank=0):
        end = time.monotonic() + 100
        while self.trained_on(rank) < number:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def require_left_alone(self, result):
        entries = dict(entry.split("=", 1) for entry in result["environment"] if "=" in entry)
        self.assertEqual([name for name in entries if name.startswith("SEQPOINT_")], [])
        self.assertEqual(entries["PYTHONPATH"], "/own/modules")
        for name in ("WANDB_MODE", "NEPTUNE_MODE"):
            self.assertEqual(entries.get(name), self.environment.get(name))


class Queued(Job):
    """The caller has gone before the job begins."""

    def trains(self, verb, **more):
        result, told = self.end(self.start(verb, **more))
        self.assertEqual(told, "")
        self.assertEqual(sorted(result["trained"]), sorted(list(range(BATCHES)) * EPOCHS))
        self.assertTrue(os.path.exists(self.path("model.pt")))
        self.require_left_alone(result)

    def test_the_report_is_gone(self):
        for verb in ("order", "measure", "record"):
            with self.subTest(verb=verb):
                self.trains(verb)

    def test_the_folder_is_gone(self):
        shutil.rmtree(self.path("run"))
        self.trains("measure")

    def test_the_caller_was_killed(self):
        self.await_job()
        self.report.close()
        self.trains("measure")

    def test_another_kernel_has_the_lock(self):
        """What cannot be seen from here is believed: the job is measured."""
        self.await_job()
        self.report.close()
        job = self.start("order", SEQPOINT_CALLER=f"another:{NOBODY}")
        job.communicate(timeout=120)
        self.assertTrue(os.path.exists(self.path("run", "out.csv")))

        self.assertFalse(os.path.getsize(self.path("run", "events")), "lines of two machines mix")
        host = os.uname().nodename
        with open(self.path("run", f"events.{host}"), encoding="utf-8") as file:
            self.assertIn('"event": "done"', file.read())

    def test_a_rank_that_does_not_see_the_folder_of_the_run(self):
        """It cannot tell whether it is queued: it trains, and says so for a caller that waits."""
        there = {"SEQPOINT_REPORT": "/nowhere/run/unfinished/events"}
        away = {"SEQPOINT_CALLER": f"another:{NOBODY}", **there}
        result, told = self.end(self.start("measure", SLURM_PROCID="1", **away))
        fault = f"{os.uname().nodename} cannot write into /nowhere/run: No such file or directory"
        self.assertEqual(told, f"seqpoint: {fault}; it is not measured\n")
        self.assertEqual(len(result["trained"]), BATCHES * EPOCHS)
        self.require_left_alone(result)
        for other in (away, {"RANK": "0", "WORLD_SIZE": "1", **there}):  # no rank; this machine
            self.assertEqual(self.end(self.start("measure", **other))[1], "")

    def test_a_variable_that_a_hooked_program_has_set_for_its_children(self):
        """A Python script submits the job: its hook has disabled trackers in its environment."""
        self.environment["WANDB_MODE"] = "online"
        hooked = {
            "SEQPOINT_CHANGED": "WANDB_MODE,NEPTUNE_MODE",
            "SEQPOINT_BEFORE_WANDB_MODE": "online",
        }
        self.trains("measure", WANDB_MODE="disabled", NEPTUNE_MODE="debug", **hooked)


class Abandoned(Job):
    """The caller ends while the job runs."""

    def abandon(self, verb, at, **more):
        """The result of a job whose caller ends at that batch."""
        os.makedirs(self.path("run"), exist_ok=True)
        self.await_job()
        self.write(f"wait-at-{at}", "")
        job = self.start(verb, **more)
        self.wait_for(at)
        self.report.close()
        shutil.rmtree(self.path("run"))
        time.sleep(1.1)  # the hook looks once a second
        os.remove(self.path(f"wait-at-{at}"))
        result = self.end(job)[0]
        self.require_left_alone(result)
        self.assertTrue(os.path.exists(self.path("model.pt")), "a real checkpoint")
        self.assertFalse(os.path.exists(self.path("run")), "nothing of the hook is made any more")
        os.remove(self.path("model.pt"))
        return result

    def test_before_the_plan(self):
        """At its first batch: the hook has not taken the loop yet, and never does."""
        for verb in ("order", "measure", "record"):
            with self.subTest(verb=verb):
                result = self.abandon(verb, 1)
                self.assertEqual(sorted(result["trained"]), sorted(list(range(BATCHES)) * EPOCHS))
                os.remove(self.path("trained.0"))

    def test_in_a_record(self):
        result = self.abandon("record", 5)
        self.assertEqual(sorted(result["trained"]), sorted(list(range(BATCHES)) * EPOCHS))

    def test_in_the_plan(self):
        """The job has as many batches as without the hook, so that its schedule is right."""
        result = self.abandon("measure", 5)
        self.assertEqual(len(result["trained"]), BATCHES * EPOCHS)
        self.assertEqual(sorted(result["trained"][BATCHES:]), list(range(BATCHES)))

    def test_while_it_waits_for_its_plan(self):
        """It has written its order, and trains instead of ending."""
        self.await_job()
        files = {"GOES_ON": "measured.csv", "PLAN": "to-come.json"}
        paths = {f"SEQPOINT_{name}": self.path("run", file) for name, file in files.items()}
        job = self.start("order", SEQPOINT_MODE="measure", **paths)
        end = time.monotonic() + 100
        while b'"ordered"' not in self.events():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        self.report.close()
        shutil.rmtree(self.path("run"))
        result = self.end(job)[0]
        self.require_left_alone(result)
        self.assertEqual(len(result["trained"]), BATCHES * EPOCHS)
        self.assertEqual(sorted(result["trained"][BATCHES:]), list(range(BATCHES)))
        self.assertTrue(os.path.exists(self.path("model.pt")), "a real checkpoint")

    def events(self):
        with open(self.path("run", "events"), "rb") as file:
            return file.read()

    def test_after_its_first_epoch(self):
        result = self.abandon("record", BATCHES)
        self.assertEqual(len(result["trained"]), BATCHES * EPOCHS)

    def test_two_ranks_leave_together(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = str(taken.getsockname()[1])
        self.plan_of_two_ranks()
        self.await_job()
        self.write("wait-at-5", "")
        common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        jobs = [self.start("measure", RANK=str(rank), **common) for rank in range(2)]
        for rank in range(2):
            self.wait_for(5, rank)
        self.report.close()
        time.sleep(1.1)
        os.remove(self.path("wait-at-5"))
        for rank, job in enumerate(jobs):
            result = self.end(job)[0]
            self.assertEqual(len(result["trained"]), BATCHES * EPOCHS)
            self.assertEqual(result["trained"][BATCHES:], list(range(rank, 2 * BATCHES, 2)))

    def plan_of_two_ranks(self):
        steps = [{**step, "rows": [2, 3], "rank_ends": [1, 2]} for step in PLAN["steps"]]
        for step in steps:
            step.update(batch_size=2, src_len=7)
        self.write("plan.json", json.dumps({**PLAN, "steps": steps, "world_size": 2}))


if __name__ == "__main__":
    unittest.main()
