"""`seqpoint run` with PyTorch and the companion, under launchers:

    torch_jobs_test.py PROGRAM SOURCE_DIR

Exit status 77 (skipped) if PyTorch cannot be imported.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import ending

try:
    import torch  # noqa: F401  the companion needs it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PROGRAM, SOURCE = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
SCRIPTS = os.path.join(SOURCE, "tests", "pytorch", "scripts")
sys.path += [os.path.join(SOURCE, "tests", *of) for of in (("pytorch", "files"), ("warm",))]
import warm  # noqa: E402
from snapshots import snapshot  # noqa: E402

PYTHON = f"{sys.executable} -W ignore"
PLAIN = f"{PYTHON} {SCRIPTS}/plain.py 1"
SEVERAL = f"""
set -e
{PYTHON} -c 'print("prepared")'
{PLAIN}
{PYTHON} -c 'print("evaluated")'
"""


NO_SEED = r"no seed: each start draws other batches, and epochs differ by ± [\d.]+ %"
FREE_PORT = 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
# Debian's torch.distributed.run needs a log with its own Python 3.11, where other values of
# --redirects are not recognised.
TORCHRUN = [
    *(sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--nproc_per_node", "2"),
    *("--rdzv_backend", "c10d", "--rdzv_endpoint", "localhost:0"),
    *("--redirects", "1", "--tee", "1", "--monitor_interval", "0.2"),
]
RANKS = f"""
export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
MASTER_PORT=$({sys.executable} -c '{FREE_PORT}')
export MASTER_PORT
RANK=1 LOCAL_RANK=1 {PYTHON} {SCRIPTS}/distributed.py &
RANK=0 LOCAL_RANK=0 {PYTHON} {SCRIPTS}/distributed.py
wait
"""


class JobFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_it(self, *words, grace="1s", statuses=(0, 1), points="4"):
        options = ["--max-processes", "2", "--points", points, "--grace", grace]
        done = subprocess.run(
            [PROGRAM, "run", *options, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=250,
        )
        self.assertIn(done.returncode, statuses, done.stdout + done.stderr)
        return done

    def rows(self, name):
        with open(self.path("seqpoint-run", name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


# A script that begins anew, and cannot begin if a process before it has left its folder.
BEGIN_ANEW = """
import os, runpy, shutil, sys
shutil.rmtree("runs/exp1")
os.makedirs("runs/exp1")
os.makedirs("runs/exp2")
open("state.tmp", "w").write("new")
os.replace("state.tmp", "state.json")
os.remove("history.csv")
sys.argv = ["plain.py", "1"]
"""
# Native code that writes into an old file.
DATABASE = """
import runpy, sqlite3, sys
with sqlite3.connect("metrics.db") as database:
    database.execute("create table if not exists metrics (step)")
    database.execute("insert into metrics values (1)")
sys.argv = ["plain.py", "1"]
"""


class Files(JobFolder):
    """What was in the folder before `run` is there afterwards, and nothing else of the job's."""

    def make(self, *names):
        for name in names:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(f"of an earlier run, {name}\n")

    def before_plain(self, code):
        """The command of plain.py, with code that runs before it."""
        train = f"sys.path.insert(0, {SCRIPTS!r}); runpy.run_path('{SCRIPTS}/plain.py')"
        with open(self.path("train.py"), "w", encoding="utf-8") as file:
            file.write(f"{code}{train}\n")
        return [sys.executable, "-W", "ignore", "train.py"]

    def check(self, *job):
        before = snapshot(self.folder)
        done = self.run_it("--", *job)
        after = snapshot(self.folder)
        ours = self.path("seqpoint-run")
        self.assertEqual({p: of for p, of in after.items() if not p.startswith(ours)}, before)
        return done

    def test_a_script_that_begins_anew(self):
        self.make("runs/exp1/best.pkl", "state.json", "history.csv")
        done = self.check(*self.before_plain(BEGIN_ANEW))
        kept = "history.csv, runs/exp1 and state.json stayed as they were"
        self.assertIn(f"\nfiles      {kept}\n", done.stdout)

    def test_a_job_that_keeps_checkpoints(self):
        self.make("out/checkpoint-3/model.bin", "best/step=0.ckpt", "best/last.ckpt", "state.pkl")
        self.make("rotated.pt", "logs/events", "history.csv")
        done = self.check(sys.executable, "-W", "ignore", f"{SCRIPTS}/keeping.py")
        self.assertRegex(done.stdout, r"\nfiles      .* others stayed as they were\n")

    def test_a_database_that_native_code_writes(self):
        self.make("runs/exp1/best.pkl")
        job = self.before_plain(DATABASE)
        subprocess.run(job, cwd=self.folder, check=True, capture_output=True, timeout=250)
        done = self.run_it("--", *job, statuses=(3,))
        self.assertIn("order.log: metrics.db was changed, by native code of the job", done.stderr)
        done = self.run_it("--resume", "seqpoint-run", "--allow-writes", "--", *job)
        self.assertRegex(done.stdout, r"\nfiles      .* as they were; metrics.db was changed\n")


def warm_job(script, *arguments):
    """A job whose PyTorch is there; those of a script, of ranks and of other programs import it."""
    path = os.path.join(SCRIPTS, script)
    return [warm.python(path), "-W", "ignore", path, *arguments]


class Jobs(JobFolder):
    def check(self, batches, rank=""):
        """The order is the epoch's; two processes measure the plan; nothing is trained."""
        self.assertEqual(len(self.rows("order.csv")), batches)
        with open(self.path("seqpoint-run", "plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        for session in (0, 1):
            wanted = [
                step["id"]
                for step in plan["steps"]
                if step["process"] == session and not step["warmup"]
            ]
            measured = self.rows(f"run-{session + 1}{rank}.csv")
            found = [row["point"] for row in measured if row["warmup"] == "0"]
            self.assertEqual(found, wanted)
        self.assertFalse(os.path.exists(self.path("checkpoint")), "nothing was trained")

    def test_a_script(self):
        done = self.run_it("--", *PLAIN.split())
        self.assertIn("epoch ", done.stdout)
        self.check(20)

    def test_a_record_is_of_one_epoch(self):
        """The job trains three; the truth is compared with the projection of one."""
        job = warm_job("plain.py", "3")
        self.run_it("--", *job)
        done = self.run_it("--record", "--resume", "seqpoint-run", "--", *job)
        self.assertEqual(len(self.rows("epoch-of-run.csv")), len(self.rows("order.csv")))
        self.assertRegex(done.stdout, r"\nrun +runtime_s .* %")

    def test_an_epoch_of_the_first_batches(self):
        """The job has 20 batches. None beyond the 15th is measured or recorded."""
        words = ["--batches", "15", "--", *warm_job("plain.py", "1")]
        self.run_it(*words)
        stretch = [int(row["iteration"]) for row in self.rows("run-1.stretch.csv")]
        self.assertTrue(stretch)
        self.assertLess(max(stretch), 15)
        self.run_it("--record", "--resume", "seqpoint-run", *words)
        self.assertEqual(len(self.rows("epoch-of-run.csv")), 15)

    def test_a_makefile_and_a_shell_script_of_several_programs(self):
        with open(self.path("train.sh"), "w", encoding="utf-8") as file:
            file.write(SEVERAL)
        with open(self.path("Makefile"), "w", encoding="utf-8") as file:
            file.write("train:\n\tbash train.sh\n")
        self.run_it("--", "make", "train", grace="60s")
        self.check(20)
        # The first process may be that of the order, where starts are slow.
        with open(self.path("seqpoint-run", "run-2.log"), encoding="utf-8") as file:
            log = file.read()
        self.assertIn("prepared\n", log)
        self.assertIn("evaluated\n", log)

    def test_two_ranks(self):
        with open(self.path("ranks.sh"), "w", encoding="utf-8") as file:
            file.write(RANKS)
        self.run_it("--", "bash", "ranks.sh")
        self.check(20)
        self.check(20, ".rank1")

    def test_two_builds(self):
        plain = " ".join(warm_job("plain.py", "1"))
        done = self.run_it("--max-regression", "90%", f"old={plain}", f"new=exec {plain}")
        self.assertIn("vs old", done.stdout)
        self.assertRegex(done.stdout, r"\nwhere  ")
        self.assertEqual(len(self.rows("old-order.csv")), 20)
        self.check_duets()

    def check_duets(self):
        """Both builds have run the same batches, in turns."""
        with open(self.path("seqpoint-run", "run.json"), encoding="utf-8") as file:
            starts = json.load(file)["starts"]
        measured = [of for of in starts if of["verb"] == "measure"]
        self.assertEqual([of["build"] for of in measured[:4]], ["old", "new", "new", "old"])
        self.assertTrue(all(of["in_duet"] and of["waited_s"] > 0 for of in measured))
        for process in (1, 2):
            old, new = (
                [(row["point"], row["iteration"]) for row in self.rows(f"{name}-{process}.csv")]
                for name in ("old", "new")
            )
            points = len([point for point, _ in old if point != "warm-up"])
            self.assertGreater(points, 0)
            self.assertEqual(old[-points // 2 :], new[-points // 2 :])

    def test_two_builds_of_two_ranks(self):
        with open(self.path("ranks.sh"), "w", encoding="utf-8") as file:
            file.write(RANKS)
        self.run_it("--max-regression", "90%", "old=bash ranks.sh", "new=exec bash ranks.sh")
        self.check_duets()

    def projection(self):
        with open(self.path("seqpoint-run", "projection.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_operations_and_phases_of_an_epoch(self):
        done = self.run_it("--by", "operator", "--", *warm_job("plain.py", "1"))
        self.check(20)
        with open(self.path("seqpoint-run", "points.json"), encoding="utf-8") as file:
            points = [point["id"] for point in json.load(file)["points"]]
        traces = [f"run-{process}.{point}.json.gz" for process in (1, 2) for point in points]
        self.assertEqual(sorted(os.listdir(self.path("seqpoint-run", "traces"))), sorted(traces))
        result = self.projection()
        self.assertEqual(result["breakdown"]["by"], "operator")
        rows = result["breakdown"]["configurations"][0]["rows"]
        self.assertTrue(any("mm" in row["name"] and row["calls"] >= 20 for row in rows))
        (configuration,) = result["configurations"]
        seconds = [phase["seconds"] for phase in configuration["phases"].values()]
        total = configuration["metrics"]["runtime_s"]["value"]
        self.assertAlmostEqual(sum(seconds), total, delta=0.01 * total)
        self.assertGreater(configuration["phases"]["backward_s"]["seconds"], 0)
        self.assertIn("backward", done.stdout)
        seconds = result["breakdown"]["configurations"][0]["seconds"]
        slowdown = result["breakdown"]["configurations"][0]["slowdown"]
        self.assertAlmostEqual(slowdown, seconds / total, places=5)
        self.assertIn(
            f"\nprofiler   under it a batch takes {slowdown:.2f} times as long: seconds by ",
            done.stdout,
        )

    def loops(self, kind):
        done = self.run_it("--", *warm_job("loops.py", kind))
        with open(self.path("seqpoint-run", "points.json"), encoding="utf-8") as file:
            return done, json.load(file)

    def test_batches_of_one_shape(self):
        done, selection = self.loops("images")
        self.check(20)
        self.assertEqual(len(selection["points"]), 1)
        metric = self.projection()["configurations"][0]["metrics"]["runtime_s"]
        self.assertLess(metric["low"], metric["value"])
        self.assertIn("20 batches, 1 shape;", done.stderr)

    def test_samples_that_are_cropped_anew_each_time(self):
        """All batches count as one shape, whatever comes."""
        done, selection = self.loops("crops")
        self.check(20)
        self.assertEqual(len(selection["points"]), 1)
        self.assertRegex(done.stderr, "The lengths that came, [0-9]+ to [0-9]+, are a sample")

    def test_phases_can_be_left_out(self):
        self.run_it("--no-phases", "--", *warm_job("plain.py", "1"))
        self.assertNotIn("phases", self.projection()["configurations"][0])
        self.assertNotIn("forward_s", self.rows("run-1.csv")[0])


class Seedless(Jobs):
    """The same jobs as most people write them: each start draws other batches."""

    def run_it(self, *words, **more):
        with mock.patch.dict(os.environ, SEEDLESS="1"):
            return super().run_it(*words, **more)

    def test_that_it_is_said(self):
        done = self.run_it("--", *warm_job("plain.py", "1"))
        self.assertRegex(done.stderr, NO_SEED)
        ran = [row["rows"] for row in self.rows("order.csv")]
        row = [row["rows"] for row in self.rows("run-1.stretch.csv")]
        self.assertFalse(set(ran) & set(row), "this start has drawn the order's batches")
        (configuration,) = self.projection()["configurations"]
        self.assertGreater(configuration["draws"], 0)

    def test_whole_epochs(self):
        """None of them has the shapes of the order; each is whole."""
        job = warm_job("plain.py", "3")
        self.run_it("--", *job)
        done = self.run_it("--record", "--resume", "seqpoint-run", "--", *job)
        self.assertNotIn("not measured", done.stdout + done.stderr)

    def test_a_random_split(self):
        """Rows are other samples at each start: batches with the lengths of points are found."""
        self.check_split("40")

    def test_a_random_split_of_texts_that_are_cut(self):
        """Most batches are as long as a text may be, also the first ones of the plan by chance."""
        self.check_split("30")

    def check_split(self, longest):
        os.mkdir(self.path(".seen"))
        with mock.patch.dict(os.environ, SEEN=self.path(".seen", "log")):
            done = self.run_it("--", *warm_job("split.py", "1", longest), points="12")
        self.assertIn("rows are other samples than in the order", done.stderr)
        planned = {row["iteration"]: int(row["src_len"]) for row in self.rows("order.csv")}
        measured = [planned[row["iteration"]] for row in self.rows("run-2.csv")]
        row = [int(row["src_len"]) for row in self.rows("run-2.stretch.csv")]
        before, ends = len(row) + 1, []  # a batch brings the loader into its stride
        for log in os.scandir(self.path(".seen")):  # of each process, also of one that is repeated
            with open(log.path, encoding="utf-8") as file:
                ran = [json.loads(line)["src_len"] for line in file]
            ends.append((ran[-len(measured) - before : -before], ran[-len(row) :]))
        self.assertIn((measured, row), ends)

    def test_a_stream(self):
        """A stream that is shuffled without a seed: batches are found by their lengths."""
        done = self.run_it("--", *warm_job("streaming.py", "shuffled"), points="12")
        self.assertRegex(done.stderr, NO_SEED)
        planned = {row["iteration"]: row for row in self.rows("order.csv")}
        for row in self.rows("run-2.csv"):
            of_plan = planned[row["iteration"]]
            self.assertEqual(row["src_len"], of_plan["src_len"])


class Killed(JobFolder):
    """Runs that end at moments that a number determines, with the companion and a training job."""

    MOMENTS = int(os.environ.get("MOMENTS", "2"))
    TOGETHER = 4  # moments that one run survives before it is finished
    OPTIONS = ["--precision", "0.01%", "--max-processes", "2", "--points", "4", "--grace", "1s"]

    def start(self, job):
        begun = os.path.exists(self.path("seqpoint-run", "run.json"))
        resume = ["--resume", "seqpoint-run"] if begun else []
        return subprocess.Popen(
            [PROGRAM, "run", *resume, *self.OPTIONS, "--", *job],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, job):
        """Lets a run end by itself, and returns what does not depend on times."""
        running = self.start(job)
        told = running.communicate(timeout=600)[1]
        self.assertEqual(running.returncode, 0, told)
        self.assertEqual(ending.processes_of(self.folder), [])
        made = {}
        for name in sorted(os.listdir(self.path("seqpoint-run"))):
            made[name] = None
            if name in ("order.csv", "points.json", "plan.json"):
                with open(self.path("seqpoint-run", name), "rb") as file:
                    made[name] = file.read()
            elif name == "run-1.log":
                del made[name]  # only where the order did not go on
            elif name.endswith(".csv"):
                rows = self.rows(name)  # times decide how often a batch of a plan is repeated
                made[name] = sorted({(row.get("point", ""), row["iteration"]) for row in rows})
        shutil.rmtree(self.path("seqpoint-run"))
        return made

    def files_of_the_job(self):
        found = {}
        for name in os.listdir(self.folder):
            if os.path.isfile(self.path(name)):
                with open(self.path(name), "rb") as file:
                    found[name] = file.read()
        return found

    def kill(self, job):
        subprocess.run(job, cwd=self.folder, check=True, capture_output=True, timeout=600)
        own = self.files_of_the_job()
        self.assertIn("model.pt", own)
        begun = time.monotonic()
        files = self.finish(job)
        whole = time.monotonic() - begun
        for moment in range(self.MOMENTS):
            with self.subTest(moment=moment):
                running = self.start(job)
                time.sleep((0.37 + moment * 0.618034) % 1 * whole)
                ending.end(running, self.folder, moment)
                self.assertEqual(self.files_of_the_job(), own)
                if moment % self.TOGETHER == self.TOGETHER - 1 or moment == self.MOMENTS - 1:
                    self.assertEqual(self.finish(job), files)
                    print(f"{moment + 1} moments", file=sys.stderr, flush=True)
        self.assertEqual(self.files_of_the_job(), own)

    def test_one_program(self):
        self.kill([sys.executable, "-W", "ignore", f"{SCRIPTS}/resuming.py", "1"])

    @unittest.skipIf(MOMENTS <= TOGETHER, "each of its starts takes 11 s")
    def test_one_start(self):
        words = f"sleep 11; exec {sys.executable} -W ignore {SCRIPTS}/resuming.py 1"
        self.kill(["bash", "-c", words])

    def test_torchrun(self):
        self.kill([*TORCHRUN, "--log_dir", self.path("logs"), f"{SCRIPTS}/resuming.py", "0"])


if __name__ == "__main__":
    unittest.main()
