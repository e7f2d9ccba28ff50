"""`seqpoint run` of jobs without PyTorch, with and without `seqpoint.iterate`:

    iterate_run_test.py PROGRAM SOURCE_DIR
"""

import csv
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
PACKAGES = os.path.join(SOURCE, "python")
sys.path.insert(0, PACKAGES)
os.environ["SEQPOINT_PROGRAM"] = PROGRAM
import seqpoint  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

# The body takes as long as the batch says, without a load of the machine.
JOB = """
import random, time
import seqpoint

def batches(shuffle=random.Random(3).shuffle):
    lengths = [4 + n % 12 for n in range(600)]
    shuffle(lengths)
    return [[[1] * length] for length in lengths]

def train(batch):
    time.sleep(0.002 + 0.0004 * len(batch[0]) * SLOWER)

SLOWER = 1
"""
LOOP = "for batch in seqpoint.iterate(batches(), lambda batch: len(batch[0])): train(batch)\n"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_it(self, *words, status=0):
        done = subprocess.run(
            [PROGRAM, "run", *words],
            env={**os.environ, "PYTHONPATH": f"{self.folder}:{PACKAGES}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self, name):
        with open(os.path.join("seqpoint-run", name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Runs(Folder):
    def test_a_list(self):
        self.write("job.py", JOB + LOOP)
        done = self.run_it("-v", "--max-processes", "2", "--", sys.executable, "job.py")
        self.assertRegex(done.stdout, r"(?m)^epoch +[\d.]+ m?s")
        self.assertIn(
            "iterate at job.py:14: 600 batches, 12 shapes; length = <lambda>", done.stderr
        )
        self.assertRegex(done.stderr, r"; \d\d batches in a row: predicted")
        lengths = [int(row["src_len"]) for row in self.rows("order.csv")]
        for name in ("run-1.csv", "run-1.stretch.csv", "run-2.csv"):
            rows = self.rows(name)
            own = [lengths[int(row["iteration"])] for row in rows]
            self.assertEqual([int(row["src_len"]) for row in rows], own)

    def test_a_stream_has_no_stretch(self):
        self.write("job.py", JOB + LOOP.replace("batches(),", "iter(batches()),"))
        done = self.run_it("--max-processes", "2", "--", sys.executable, "job.py")
        self.assertNotIn("in a row", done.stderr)
        self.assertEqual(len(self.rows("order.csv")), 600)

    def test_a_whole_epoch(self):
        self.write("job.py", JOB + LOOP)
        done = self.run_it("--record", "--", sys.executable, "job.py")
        self.assertIn("in 600 batches", done.stderr)

    def test_an_order_that_is_another_at_each_start(self):
        """Batches are found by their lengths. The job sleeps: an epoch is known to 3 % or so."""
        epoch_s = sum(0.002 + 0.0004 * (4 + n % 12) for n in range(600))
        for batches in ("batches(random.Random().shuffle)", "iter(batches(random.shuffle))"):
            with self.subTest(batches):
                self.write("job.py", JOB + LOOP.replace("batches()", batches))
                folder = f"of-{len(batches)}"
                words = ["--points", "12", "--", sys.executable, "job.py"]
                done = self.run_it("-o", folder, *words)
                self.assertIn("no seed: each start draws other batches", done.stderr)
                with open(os.path.join(folder, "projection.json"), encoding="utf-8") as file:
                    (configuration,) = json.load(file)["configurations"]
                value = configuration["metrics"]["runtime_s"]["value"]
                self.assertGreater(value, 0.95 * epoch_s)
                self.assertLess(value, 1.4 * epoch_s)
                self.assertEqual(configuration["missing_points"], [])
                with open(os.path.join(folder, "order.csv"), encoding="utf-8") as file:
                    planned = {row["iteration"]: row["src_len"] for row in csv.DictReader(file)}
                with open(os.path.join(folder, "run-2.csv"), encoding="utf-8") as file:
                    for row in csv.DictReader(file):
                        self.assertEqual(row["src_len"], planned[row["iteration"]])

    @unittest.skipUnless(numpy, "no NumPy here")
    def test_arrays_that_are_padded_to_one_size(self):
        loop = """
import numpy as np
def padded():
    for batch in batches():
        array = np.zeros((2, 16), int)
        array[0, : len(batch[0])] = 7
        array[1, :3] = 7
        yield array
for batch in seqpoint.iterate(padded(), pad=0): train([batch[0].nonzero()[0]])
"""
        self.write("job.py", JOB + loop)
        self.run_it("--max-processes", "2", "--", sys.executable, "job.py")
        expected = [4 + n % 12 for n in range(600)]
        rows = self.rows("order.csv")
        self.assertEqual(sorted(int(row["src_len"]) for row in rows), sorted(expected))
        self.assertEqual(sum(int(row["tokens"]) for row in rows), sum(expected) + 3 * 600)
        self.assertEqual({row["batch_size"] for row in rows}, {"2"})


class Without(Folder):
    """Jobs whose loop cannot be found."""

    def says(self, *texts, words=(), status=3):
        done = self.run_it(*words, "--", sys.executable, "job.py", status=status)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_at_its_end(self):
        self.write("jax.py", "")
        self.write("job.py", "import jax")
        self.says("the job imported jax, and no PyTorch", "for batch in seqpoint.iterate(batches):")

    def test_after_a_tenth_of_the_start_timeout(self):
        self.write("tensorflow.py", "")
        self.write("job.py", "import time, tensorflow; time.sleep(300)")
        timeout = ("--start-timeout", "20s")
        self.says("the job imported tensorflow, and no PyTorch", words=timeout)

    def test_a_job_that_prepares_is_waited_for(self):
        self.write("prepare.py", "import time, json; time.sleep(4)")
        self.write("job.py", JOB + LOOP)
        command = f"{sys.executable} prepare.py && {sys.executable} job.py"
        done = self.run_it("--max-processes", "2", "--start-timeout", "20s", "--", command)
        said = "order.log: so far no training loop was found"
        self.assertEqual(done.stderr.count(said), 1, done.stderr)

    def test_a_job_that_imports_none(self):
        self.write("job.py", "")
        self.says("the job imported no PyTorch", "for batch in seqpoint.iterate(batches):")

    def test_a_job_with_pytorch(self):
        self.write("torch.py", "")
        self.write("jax.py", "")
        self.write("job.py", "import jax, torch")
        self.says(
            "the job used no PyTorch DataLoader for training",
            "for batch in seqpoint.iterate(batches):",
        )

    def test_a_job_that_iterates_later_than_others_import(self):
        self.write("jax.py", "")
        self.write("job.py", JOB + "import jax\nbatches = batches()\n" + LOOP.replace("()", ""))
        self.run_it("--max-processes", "2", "--", sys.executable, "job.py")

    def test_a_python_of_our_own_environment(self):
        import venv

        venv.create("own", with_pip=False)
        packages = f"own/lib/python3.{sys.version_info[1]}/site-packages"
        os.symlink(PROGRAM, "own/bin/seqpoint")
        subprocess.run(["cp", "-r", f"{PACKAGES}/seqpoint_companion", packages], check=True)
        self.write("job.py", "import a_library_of_the_job")
        done = subprocess.run(
            ["own/bin/seqpoint", "run", "--", "own/bin/python", "job.py"],
            env={**os.environ, "SEQPOINT_COMPANION": packages},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn("is of seqpoint's own environment, and has no a_library", done.stderr)
        self.assertIn("uv run --with WHEEL seqpoint run -- ...", done.stderr)


class ByHand(Folder):
    def seqpoint(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout

    def test_a_loop_in_python(self):
        manifest = os.path.join(SOURCE, "examples", "data", "opennmt-sample.en.len")
        sampler = ("--sampler", "pytorch", "--seed", "1", "--batch-size", "16")
        self.write("batches.csv", self.seqpoint("scan", manifest, *sampler))
        self.seqpoint("select", "batches.csv", "--points", "8", "-o", "points.json")
        self.seqpoint("plan", "points.json", "-o", "plan")
        profiles = []
        for process in ("0", "1"):
            path = f"process-{process}.csv"
            profiles.append(f"--profile=job={path}")
            subprocess.run(
                [sys.executable, os.path.join(SOURCE, "examples", "by-hand", "measure.py"), path],
                env={**os.environ, "SEQPOINT_PLAN": "plan/plan.json", "SEQPOINT_PROCESS": process},
                check=True,
            )
            self.require_plan(path, process)
        done = json.loads(self.seqpoint("project", "points.json", *profiles, "--json"))
        (build,) = done["configurations"]
        self.assertEqual(len(build["processes"]), 2)

    def require_plan(self, path, process):
        with open("plan/plan.json", encoding="utf-8") as file:
            steps = json.load(file)["steps"]
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        planned = [step for step in steps if str(step["process"]) == process]
        self.assertEqual(
            [int(row["iteration"]) for row in rows], [step["iteration"] for step in planned]
        )
        points = {row["point"] for row in rows if row["execution"] == "measured"}
        self.assertEqual(points, {step["id"] for step in planned if not step["warmup"]})


class FromPython(Folder):
    def setUp(self):
        super().setUp()
        os.environ["PYTHONPATH"] = PACKAGES
        self.write("job.py", JOB + LOOP)
        self.write("slow.py", JOB.replace("SLOWER = 1", "SLOWER = 3") + LOOP)

    def measure(self, command, **options):
        return seqpoint.measure(command, max_processes=2, precision=0.5, points=12, **options)

    def test_a_command(self):
        done = self.measure([sys.executable, "job.py"], folder="mine")
        with open("mine/projection.json", encoding="utf-8") as file:
            (build,) = json.load(file)["configurations"]
        values = build["metrics"]["runtime_s"]
        epoch = done.epoch
        self.assertEqual(
            [epoch.value, epoch.low, epoch.high], [values[n] for n in ("value", "low", "high")]
        )
        self.assertEqual(
            [each.name for each in done.processes], ["mine/run-1.csv", "mine/run-2.csv"]
        )
        self.assertEqual(
            [each.epoch.value for each in done.processes],
            [each["estimate"] for each in build["processes"]],
        )
        self.assertEqual(done.phases, {})  # a list is there: only the step takes time
        self.assertRegex(done.text, r"(?m)^epoch +[\d.]+ m?s")
        self.assertTrue(done.report.exists())
        more = self.measure([sys.executable, "job.py"], folder="mine", resume=True)
        self.assertEqual(more.epoch, done.epoch)

    def test_builds(self):
        builds = {
            "old": [sys.executable, "job.py"],
            "new": f"{shlex.quote(sys.executable)} slow.py",
        }
        with self.assertRaises(seqpoint.LimitExceeded) as raised:
            self.measure(builds, max_regression="5%")
        self.assertRegex(str(raised.exception), r"FAIL +new is .* slower than old")
        result = raised.exception.result
        self.assertEqual(list(result.builds), ["old", "new"])
        self.assertLess(result.builds["new"].speedup.high, 1)
        with self.assertRaisesRegex(ValueError, "builds\\['old'\\]"):
            print(result.epoch)

    def test_errors(self):
        with self.assertRaises(seqpoint.Error) as raised:
            self.measure([sys.executable, "-c", ""])
        self.assertEqual(raised.exception.status, 3)
        self.assertIn("seqpoint-run/order.log: no training loop was found", str(raised.exception))

    def test_the_program_as_a_module(self):
        done = [
            subprocess.run(command, capture_output=True, check=True).stdout
            for command in ([sys.executable, "-m", "seqpoint", "--version"], [PROGRAM, "--version"])
        ]
        self.assertEqual(*done)
        self.assertEqual(f"seqpoint {seqpoint.__version__}\n".encode(), done[0])


if __name__ == "__main__":
    unittest.main()
