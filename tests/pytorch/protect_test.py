"""A job that is observed changes no checkpoint of its user's:

    protect_test.py SOURCE_DIR
"""

import os
import sys
import tempfile
import unittest

from hook_test import PYTHON, SCRIPTS, HookedJob

JOB = [PYTHON, "-W", "ignore", os.path.join(SCRIPTS, "saves.py")]
CHECKPOINTS = ("last.pt", "weights.pth", "best.ckpt", "exit.pt", "steps/step-1/model.pt")


class Untouched(HookedJob):
    """Checkpoints of an earlier run are there, and stay as they are: bytes, times and names."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("steps/step-1"))
        for name in CHECKPOINTS:
            self.write(name, f"weights of an earlier run, {name}")
        os.symlink("best.ckpt", self.path("latest"))
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.before = self.state()

    def state(self):
        """{path: identity, times and content} of all that is in the folder of the job."""
        found = {}
        for at, folders, names in os.walk(self.folder):
            found.update({os.path.join(at, name): None for name in folders})
            for path in (os.path.join(at, name) for name in names):
                stat = os.lstat(path)
                with open(path, "rb") as file:
                    found[path] = (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, file.read())
        return found

    def changed(self):
        after = self.state()
        names = {path for path in after.keys() | self.before.keys()}
        changed = {path for path in names if after.get(path, 0) != self.before.get(path, 0)}
        ours = {"out.csv", "report", "order.csv", "of-order", "plan.json", "seen.jsonl.0"}
        return {os.path.relpath(path, self.folder) for path in changed} - ours

    def run_it(self, verb, **more):
        return self.run_job(JOB, verb, SEQPOINT_SCRATCH=self.scratch.name, **more)

    def told(self):
        return [event["text"] for event in self.events("untouched")]

    def test_in_order_at_the_exit(self):
        self.run_it("order", SEQPOINT_LENGTHS="1")
        self.assertEqual(self.changed(), set())
        # The first batch is trained on: last.tmp, weights.pth, its step's model; then exit.pt.
        kept = "kept 1 older checkpoint that the job removed"
        self.assertEqual(self.told(), [f"4 checkpoints went to scratch; {kept}"])

    def test_in_record(self):
        done = self.run_it("record")
        self.assertEqual(self.changed(), {"metrics.json"})
        # Four times last.tmp, weights.pth and a step's model; then exit.pt. best.ckpt, the link
        # and step-1 are removed by the job.
        self.assertEqual(
            self.told(),
            ["13 checkpoints went to scratch; kept 3 older checkpoints that the job removed"],
        )
        self.assertIn("record disabled\n", done.stdout)

    def test_in_measure(self):
        more = {"SEQPOINT_OUTPUT": self.path("order.csv"), "SEQPOINT_REPORT": self.path("of-order")}
        self.run_it("order", SEQPOINT_LENGTHS="1", **more)
        self.run_it("measure", SEQPOINT_PLAN=self.plan(), SEQPOINT_PROCESS="0")
        self.assertEqual(self.changed() - {"metrics.json"}, set())
        self.assertIn("checkpoints went to scratch", self.told()[0])

    def test_a_second_process_finds_nothing_of_the_first(self):
        self.run_it("record")
        os.remove(self.path("report"))
        self.run_it("record")
        self.assertEqual(self.changed(), {"metrics.json"})

    def test_a_file_that_the_job_opens_by_itself_is_told_before(self):
        self.write("metrics.json", "earlier")
        self.run_it("record")
        self.assertIn(
            f"warning: the job itself writes into {os.path.realpath(self.path('metrics.json'))}; "
            "a script can leave that out if SEQPOINT_MODE is set",
            self.texts(),
        )
        (untouched,) = self.events("untouched")
        self.assertIn("metrics.json, into which the job itself writes", untouched["text"])

    def texts(self):
        return [event["text"] for event in self.events("note") if event["of_result"]]

    def test_a_file_that_no_function_of_ours_opens(self):
        """By os.open it is told before, by a library in C after; an own new file is not told."""
        self.write("state.json", "earlier")
        code = (
            "import ctypes, os, torch\n"
            "for name in ('state.json', 'new.json'):\n"
            "    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))\n"
            "os.close(os.open('last.pt', os.O_RDONLY))\n"
            "libc = ctypes.CDLL(None)\n"
            "libc.close(libc.creat(b'best.ckpt', 0o666))\n"
        )
        self.run_job([PYTHON, "-W", "ignore", "-c", code], "record")
        folder = os.path.realpath(self.folder)
        self.assertEqual(
            self.texts(),
            [
                f"warning: the job itself writes into {folder}/state.json; a script can leave that "
                "out if SEQPOINT_MODE is set",
                f"warning: {folder}/best.ckpt has changed: a library in C writes it, or another "
                "program",
            ],
        )

    def test_checkpoints_are_kept_on_request(self):
        os.remove(self.path("latest"))
        self.run_it("record", SEQPOINT_KEEP_CHECKPOINTS="1")
        self.assertLessEqual({"last.pt", "weights.pth", "exit.pt", "best.ckpt"}, self.changed())
        self.assertEqual(self.told(), [])

    def test_a_folder_of_its_own_is_deleted(self):
        self.run_job(JOB, "record", SEQPOINT_SCRATCH="", TMPDIR=self.scratch.name)
        self.assertEqual(os.listdir(self.scratch.name), [])
        self.assertEqual(self.changed(), {"metrics.json"})

    def test_trackers_are_disabled_unless_the_user_has_set_them(self):
        self.write("wandb.py", "import os; print(os.environ['WANDB_MODE'])")
        code = "import wandb, os; print(os.environ.get('NEPTUNE_MODE'))"
        done = self.run_job([PYTHON, "-c", code], "record")
        self.assertEqual(done.stdout, "disabled\ndebug\n")
        self.assertEqual(self.told(), ["Weights & Biases was disabled"])
        os.remove(self.path("report"))
        done = self.run_job([PYTHON, "-c", code], "record", WANDB_MODE="offline")
        self.assertEqual(done.stdout, "offline\ndebug\n")
        self.assertEqual(self.told(), [])


if __name__ == "__main__":
    unittest.main()
