"""`pip install .` in fresh virtual environments: wheel_test.py SOURCE SEQPOINT

The wheel of this source tree is built once, by pip. Its program, its companion and `seqpoint run`
are used from a virtual environment, from `pip install --target`, and for a job in an environment
other than its own. With --wheel FILE, a wheel that was made elsewhere is tested instead.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()
#: The companion sets these, so that a measurement starts no run of an experiment tracker.
TRACKERS = {
    "CLEARML_OFFLINE_MODE",
    "COMET_AUTO_LOG_DISABLE",
    "DISABLE_MLFLOW_INTEGRATION",
    "DVCLIVE_TEST",
    "NEPTUNE_MODE",
    "SWANLAB_MODE",
    "WANDB_MODE",
}
#: Another Python, which may have PyTorch: the system's.
SYSTEM = "/usr/bin/python3"
#: Prints what the job's process sees: its environment, and the shared libraries that it has loaded.
JOB = """
import os, json
maps = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(json.dumps({"environment": dict(os.environ), "libraries": sorted(maps)}))
"""


def done(*command, **more):
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,
    )


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="seqpoint-wheel-test-")
        cls.folder = Path(cls.scratch.name)
        cls.environment = cls.folder / "environment"
        venv.create(cls.environment, with_pip=True)
        cls.python = cls.environment / "bin" / "python"
        cls.program = cls.environment / "bin" / "seqpoint"
        cls.wheel = cls.given_wheel() or cls.built_wheel()
        installed = done(cls.python, "-m", "pip", "install", "-q", "--no-deps", cls.wheel)
        assert installed.returncode == 0, installed.stdout

    @staticmethod
    def given_wheel():
        return Path(sys.argv[4]) if sys.argv[3:4] == ["--wheel"] else None

    @classmethod
    def built_wheel(cls):
        built = done(cls.python, "-m", "pip", "wheel", SOURCE, "--no-deps", "-w", cls.folder)
        assert built.returncode == 0, built.stdout
        (wheel,) = cls.folder.glob("*.whl")
        return wheel

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_job(self, program, python):
        """`seqpoint run` of a job that trains nothing, and what the job saw."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "job.py").write_text(JOB)
        said = done(program, "run", "-o", "run", "--", python, "job.py", cwd=folder).stdout
        log = next((folder / "run").glob("*.log")).read_text()
        return said, log

    def test_script_is_the_program(self):
        self.assertEqual(self.program.read_bytes()[:4], b"\x7fELF")
        self.assertIn("seqpoint ", done(self.program, "--version").stdout)

    def test_run_finds_its_companion(self):
        said, log = self.run_job(self.program, self.python)
        self.assertNotIn("is not installed", said)
        self.assertIn("the job imported no PyTorch", said)  # the hook has seen that

    def test_job_in_another_environment(self):
        """The job sees the hook's variables and files, and nothing else of this installation."""
        other = self.folder / "other"
        venv.create(other)
        python = other / "bin" / "python"
        said, log = self.run_job(self.program, python)
        self.assertIn("the job imported no PyTorch", said)
        hooked = json.loads(next(line for line in log.splitlines() if line.startswith("{")))
        alone = json.loads(done(python, "-c", JOB).stdout)
        before, after = alone["environment"], hooked["environment"]
        names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        others = {name for name in names if not name.startswith("SEQPOINT_")}
        self.assertEqual(others, {"PYTHONPATH", *TRACKERS})
        self.assertEqual(
            Path(after["PYTHONPATH"]),
            next(self.environment.glob("lib/python3*/site-packages/seqpoint_companion/hook")),
        )
        # Python's own modules that the hook imports are among the libraries: they are the job's.
        ours = [name for name in hooked["libraries"] if name.startswith(str(self.environment))]
        self.assertEqual(ours, [])
        added = set(hooked["libraries"]) - set(alone["libraries"])
        self.assertEqual({name for name in added if "/lib-dynload/" not in name}, set())

    def test_training_in_another_environment(self):
        if done(SYSTEM, "-c", "import torch").returncode:
            self.skipTest("the system's Python has no PyTorch")
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copy(SOURCE / "examples" / "pytorch" / "minimal.py", folder / "train.py")
        ran = done(self.program, "run", "--", SYSTEM, "train.py", "8", cwd=folder)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertRegex(ran.stdout, r"(?m)^epoch +[\d.]+ m?s")
        self.assertTrue((folder / "seqpoint-run" / "report.html").exists())

    def test_target(self):
        target = self.folder / "target"
        done(self.python, "-m", "pip", "install", "-q", "--no-deps", "--target", target, self.wheel)
        said, _ = self.run_job(target / "bin" / "seqpoint", self.python)
        self.assertIn("the job imported no PyTorch", said)

    def test_measure_by_hand(self):
        said = done(self.python, "-m", "seqpoint_companion", "measure", "--help", cwd="/")
        self.assertIn("PLAN -- SCRIPT|-m MODULE", said.stdout)

    def test_documents_that_messages_name(self):
        documents = self.environment / "share" / "doc" / "seqpoint" / "docs"
        for name in ("run.md", "companion.md", "profiles.md", "formats.md"):
            self.assertTrue((documents / name).exists(), name)

    def test_package_without_numpy(self):
        """Pytest loads the plug-in in every test of the environment, with or without NumPy."""
        said = done(self.python, "-c", "import seqpoint; print(seqpoint.program())", cwd="/")
        self.assertEqual(said.stdout.strip(), str(self.program))
        said = done(self.python, "-c", "import seqpoint; seqpoint.scan([1, 2], batch_size=1)")
        self.assertIn("pip install numpy", said.stdout)

    def test_uninstall(self):
        other = self.folder / "removed"
        venv.create(other, with_pip=True)
        before = sorted(other.rglob("*"))
        python = other / "bin" / "python"
        done(python, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", self.wheel)
        self.assertTrue((other / "bin" / "seqpoint").exists())
        done(python, "-m", "pip", "uninstall", "-q", "-y", "seqpoint")
        left = {path for path in other.rglob("*") if "pip" not in path.parts} - set(before)
        # pip leaves the empty folders of data files.
        self.assertEqual(
            {path for path in left if path.is_file() and "__pycache__" not in path.parts}, set()
        )


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    os.environ.pop("SEQPOINT_COMPANION", None)
    unittest.main(argv=sys.argv[:1])
