"""A job that is observed changes no file of its user's:

    protect_test.py SOURCE_DIR
"""

import json
import os
import shutil
import sys
import unittest

from hook_test import PYTHON, SCRIPTS, HookedJob

sys.path.append(os.path.join(os.path.dirname(SCRIPTS), "files"))
from snapshots import snapshot  # noqa: E402

JOB = [PYTHON, "-W", "ignore", os.path.join(SCRIPTS, "saves.py")]
KEEPING = [PYTHON, "-W", "ignore", os.path.join(SCRIPTS, "keeping.py")]
WANDB = """
import os

print(os.environ["WANDB_MODE"])


def init(mode=None):
    print(mode)
"""
OLD = ("last.pt", "weights.pth", "best.ckpt", "exit.pt", "steps/step-1/model.pt")
OLD_OF_KEEPING = (
    "out/checkpoint-3/model.bin",
    "out/checkpoint-5/trainer_state.json",
    "best/step=0.ckpt",
    "best/last.ckpt",
    "state.pkl",
    "rotated.pt",
    "rotated.previous.pt",
    "logs/events.out.tfevents.1",
    "history.csv",
)


class Untouched(HookedJob):
    """Files of an earlier run are there, and stay as they are: bytes, times and names."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("job"))
        self.scratch = self.path("run/scratch")
        os.makedirs(self.scratch)

    def make(self, *names):
        for name in names:
            os.makedirs(os.path.dirname(self.path(f"job/{name}")), exist_ok=True)
            self.write(f"job/{name}", f"of an earlier run, {name}\n")

    def run_it(self, command, verb, **more):
        """Runs the job, and compares the old files."""
        before = snapshot(self.path("job"))
        more = {"SEQPOINT_SCRATCH": self.scratch, **more}
        done = self.run_job(command, verb, "job", **more)
        after = snapshot(self.path("job"))
        self.assertEqual({path: after.get(path) for path in before}, before)
        return done

    def kept(self):
        folder = os.path.realpath(self.path("job"))
        return {os.path.relpath(event["path"], folder) for event in self.events("kept")}

    def test_in_order_at_the_exit(self):
        self.make(*OLD)
        self.run_it(JOB, "order", SEQPOINT_LENGTHS="1")
        self.assertEqual(self.kept(), {"last.pt", "weights.pth", "exit.pt"})

    def test_in_record(self):
        self.make(*OLD, "metrics.json")
        os.symlink("best.ckpt", self.path("job/latest"))
        done = self.run_it(JOB, "record")
        self.assertLessEqual({"latest", "metrics.json", "best.ckpt", "steps/step-1"}, self.kept())
        self.assertIn("record disabled\n", done.stdout)

    def test_in_measure(self):
        self.make(*OLD)
        more = {"SEQPOINT_OUTPUT": self.path("order.csv"), "SEQPOINT_REPORT": self.path("of-order")}
        self.run_it(JOB, "order", SEQPOINT_LENGTHS="1", **more)
        for folder in (self.path("job"), self.scratch):
            shutil.rmtree(folder)
            os.mkdir(folder)
        self.make(*OLD)
        self.run_it(JOB, "measure", SEQPOINT_PLAN=self.plan(), SEQPOINT_PROCESS="0")
        self.assertIn("weights.pth", self.kept())

    def test_the_job_sees_what_it_would_see_by_itself(self):
        """The same job in a copy of the folder, without the hook, is the oracle."""
        self.make(*OLD_OF_KEEPING)
        shutil.copytree(self.path("job"), self.path("alone"))
        alone = self.run_job(KEEPING, "", "alone", SEQPOINT_HOOK="")
        done = self.run_it(KEEPING, "record")
        self.assertEqual(json.loads(done.stdout), json.loads(alone.stdout))
        self.assertLessEqual({"history.csv", "state.pkl", "out/checkpoint-3"}, self.kept())

    def test_of_an_empty_file_nothing_is_told(self):
        """As of the locks of a cache: it stays as it is, and has nothing to lose."""
        self.make("data.lock", "log.csv")
        self.write("job/data.lock", "")
        code = "for name in ('data.lock', 'log.csv'):\n    open(name, 'w').write('x')\n"
        self.run_it([PYTHON, "-c", code], "record")
        self.assertEqual(self.kept(), {"log.csv"})

    def test_a_file_that_is_opened_past_the_replaced_functions(self):
        """Outside of what the inventory lists it is reported as it was before."""
        self.make("old.db", "other.db")
        state = os.stat(self.path("job/old.db"))
        code = (
            "import posix, sqlite3, tempfile\n"
            "sqlite3.connect('old.db').close()\n"
            "posix.close(posix.open('new.json', posix.O_WRONLY | posix.O_CREAT))\n"
            "posix.close(posix.open('other.db', posix.O_RDONLY))\n"
            "tempfile.TemporaryFile(dir='.').close()\n"
        )
        self.run_it([PYTHON, "-c", code], "record")
        (touched,) = self.events("touched")
        self.assertEqual(touched["path"], os.path.realpath(self.path("job/old.db")))
        found = [touched["inode"], touched["size"], touched["mtime"]]
        self.assertEqual(found, [state.st_ino, state.st_size, state.st_mtime_ns])

    def test_new_files_are_listed_unless_they_are_caches(self):
        self.make("old/file")
        code = (
            "import os, tempfile\n"
            "os.makedirs('new/deep'); open('new/deep/x', 'w'); open('old/y', 'w'); os.mkdir('.z')\n"
            "open('.z/x', 'w'); open(tempfile.mkstemp()[1], 'w'); open('../cache/x', 'w')\n"
            "open('../elsewhere', 'w')\n"
        )
        os.mkdir(self.path("cache"))
        self.run_it(
            [PYTHON, "-c", code], "record", XDG_CACHE_HOME=self.path("cache"), TMPDIR="/tmp"
        )
        with open(f"{self.scratch}/made", encoding="utf-8") as file:
            listed = list(filter(None, file.read().split("\0")))
        made = [self.path(f"job/{name}") for name in ("new", "new/deep", "new/deep/x", "old/y")]
        self.assertEqual(listed, [os.path.realpath(path) for path in made])

    def test_a_job_whose_run_has_gone_is_left_alone(self):
        """The scratch folder is removed while it runs, as a job may outlive its run."""
        self.make("state.json")
        code = (
            "import os, shutil, subprocess\n"
            "subprocess.run(['rm', '-r', os.environ['SEQPOINT_SCRATCH']])\n"
            "open('state.json', 'w').write('trained'); os.replace('state.json', 'last.json')\n"
        )
        self.run_job([PYTHON, "-c", code], "record", "job", SEQPOINT_SCRATCH=self.scratch)
        with open(self.path("job/last.json"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "trained")

    def test_a_folder_of_its_own_is_deleted(self):
        self.make(*OLD)
        os.mkdir(self.path("tmp"))
        self.run_it(JOB, "record", SEQPOINT_SCRATCH="", TMPDIR=self.path("tmp"))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def told(self):
        return [event["text"] for event in self.events("untouched")]

    def test_trackers_are_disabled_unless_the_user_has_set_them(self):
        self.write("wandb.py", WANDB)
        code = "import wandb, os; print(os.environ.get('NEPTUNE_MODE')); wandb.init(mode='online')"
        done = self.run_job([PYTHON, "-c", code], "record")
        self.assertEqual(done.stdout, "disabled\ndebug\ndisabled\n")
        self.assertEqual(self.told(), ["Weights & Biases was disabled"])
        os.remove(self.path("report"))
        done = self.run_job([PYTHON, "-c", code], "record", WANDB_MODE="offline")
        self.assertEqual(done.stdout, "offline\ndebug\nonline\n")
        self.assertEqual(self.told(), [])


if __name__ == "__main__":
    unittest.main()
