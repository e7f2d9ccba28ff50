"""What libraries save leaves files of an earlier run as they are.

    protect_test.py SOURCE_DIR EXE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv[1])
del sys.argv[1:3]
HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
JOB = os.path.join(SOURCE, "tests", "frameworks", "jobs", "saving", "job.py")
# Files of an earlier run in the same folders.
EARLIER = (
    "final/model.safetensors",
    "final/config.json",
    "final/tokenizer.json",
    "final.ckpt",
    "model.safetensors",
    "out/checkpoint-5/model.safetensors",
    "out/checkpoint-5/tokenizer.json",
    "out/checkpoint-5/trainer_state.json",
    "out/last.ckpt",
    "out/model.safetensors",
    "out/optimizer.bin",
    "out/.metadata",
    "out/__0_0.distcp",
)


class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "job")
        self.scratch = os.path.join(folder.name, "run", "scratch")
        os.makedirs(self.scratch)
        self.report = os.path.join(folder.name, "report")
        for name in EARLIER:
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"of an earlier run: {name}")
        self.before = self.files()

    def files(self):
        """{path: (identity, time of change, content)}"""
        found = {}
        for at, _, names in os.walk(self.folder):
            for path in (os.path.join(at, name) for name in names):
                stat = os.lstat(path)
                with open(path, "rb") as file:
                    found[path] = stat.st_ino, stat.st_ctime_ns, file.read()
        return found

    def run_job(self, kind, verb):
        more = {
            "PYTHONPATH": HOOK,
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": f"{self.report}.csv",
            "SEQPOINT_REPORT": self.report,
            "SEQPOINT_LENGTHS": "1",
            "SEQPOINT_SCRATCH": self.scratch,
        }
        command = [sys.executable, "-W", "ignore", JOB, kind]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.report, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return done.stdout, [of["path"] for of in events if of["event"] == "kept"]

    def test_a_whole_epoch_and_what_comes_after_it(self):
        for kind in ("transformers", "lightning", "accelerate", "distributed", "safetensors"):
            with self.subTest(kind):
                out, kept = self.run_job(kind, "record")
                self.assertIn("trained", out)
                self.assertNotEqual(kept, [])
                after = self.files()
                self.assertEqual({path: after.get(path) for path in self.before}, self.before)
                os.remove(self.report)


if __name__ == "__main__":
    unittest.main()
