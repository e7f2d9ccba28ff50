"""Old files of a job stay as they are, whatever its Python code does to them:

    files_test.py SOURCE_DIR
"""

import json
import os
import re
import sys
import tempfile
import unittest

from hook_test import PYTHON, HookedJob

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "files"))
from operations import FILES, FOLDERS, LINKS, MODES, OPERATIONS  # noqa: E402
from snapshots import snapshot  # noqa: E402

OPERATE = os.path.join(HERE, "files", "operate.py")
# Debian's torch.distributed.run needs a log with its own Python 3.11.
TORCHRUN = [
    *(PYTHON, "-W", "ignore", "-m", "torch.distributed.run", "--nproc_per_node", "2"),
    *("--standalone", "--redirects", "1", "--tee", "1", "--monitor_interval", "0.2"),
]


def make_old_files(folder):
    for name in FOLDERS:
        os.makedirs(os.path.join(folder, name))
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, MODES.get(name, 0o644))
    for name, target in LINKS.items():
        os.symlink(target, os.path.join(folder, name))


class OldFiles(HookedJob):
    def setUp(self):
        super().setUp()
        self.make_job(self.path(""))

    def make_job(self, folder):
        self.job, self.scratch = os.path.join(folder, "job"), os.path.join(folder, "run/scratch")
        os.makedirs(self.scratch)
        for number in range(len(OPERATIONS)):
            make_old_files(os.path.join(self.job, str(number)))
        self.before = snapshot(self.job)

    def operate(self, *command):
        """Runs the operations, which find what they have to, and compares the old files."""
        done = self.run_job(list(command), "record", SEQPOINT_SCRATCH=self.scratch)
        answers = [json.loads(text) for text in re.findall(r"\{.*\}", done.stdout)]
        self.assertGreaterEqual(len(answers), 1)
        for answer in answers:
            self.assertEqual(answer, {}, done.stderr)
        after = snapshot(self.job)
        changed = [path for path in self.before if after.get(path) != self.before[path]]
        self.assertEqual(changed, [])

    def test_in_the_main_process_and_one_after_it(self):
        self.operate(PYTHON, OPERATE, self.path("job"), "main")
        self.operate(PYTHON, OPERATE, self.path("job"), "look")

    def test_in_the_file_system_of_memory(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            self.make_job(folder)
            self.operate(PYTHON, OPERATE, self.job, "main")

    def test_in_a_worker_of_a_loader(self):
        self.operate(PYTHON, "-W", "ignore", OPERATE, self.path("job"), "worker")

    def test_in_a_spawned_child(self):
        self.operate(PYTHON, OPERATE, self.path("job"), "spawned")

    def test_under_bash(self):
        job = f"{PYTHON} {OPERATE} {self.path('job')}"
        self.operate("bash", "-c", f"{job} main && {job} look")

    def test_under_torchrun(self):
        self.operate(*TORCHRUN, OPERATE, self.path("job"), "ranks")

    def test_without_the_protection_the_oracle_sees_changes(self):
        done = self.run_job([PYTHON, OPERATE, self.path("job"), "main"], "", SEQPOINT_HOOK="")
        self.assertEqual(json.loads(done.stdout), {})
        after = snapshot(self.path("job"))
        changed = {path for path in self.before if after.get(path) != self.before[path]}
        folders = {os.path.relpath(path, self.path("job")).split(os.sep)[0] for path in changed}
        self.assertGreater(len(folders), 80)


if __name__ == "__main__":
    unittest.main()
