"""`seqpoint run` with a job whose times are made up, from its first start to its result:

    run_test.py PROGRAM SOURCE_DIR [TEST...]
"""

import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import ending
from ending import keepers_of, processes_of, wait_for

PROGRAM, SOURCE = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
FAKE = os.path.join(SOURCE, "tests", "run", "fake_job.py")
PYTHON = sys.executable
MADE = ("order.csv", "points.json", "plan.json", "projection.json", "report.html", "run.json")


def job(*options):
    """The command of a fake job."""
    return [PYTHON, FAKE, *options]


def build(name, *options):
    return f"{name}={shlex.join(job(*options))}"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def start(self, *words, cwd="", **environment):
        return subprocess.Popen(
            [PROGRAM, "run", *words],
            cwd=self.path(cwd),
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
        )

    def run_it(self, *words, status=0, **environment):
        running = self.start(*words, **environment)
        out, told = running.communicate(timeout=400)
        self.assertEqual(running.returncode, status, out + told)
        running.stdout, running.stderr = out, told
        return running

    def seqpoint(self, *words):
        return subprocess.run(
            [PROGRAM, *words],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def read(self, name):
        with open(self.path("seqpoint-run", name), "rb") as file:
            return file.read()

    def record(self):
        return json.loads(self.read("run.json"))

    def names(self):
        return sorted(os.listdir(self.path("seqpoint-run")))


class Whole(Folder):
    def test_one_job(self):
        done = self.run_it("--precision", "15%", "--", *job("--seed", "whole"))
        for step in ("epoch ", "cost ", "stopped ", "next "):
            self.assertIn("\n" + step, "\n" + done.stdout)
        self.assertRegex(done.stderr, r"(?m)^order +400 batches, \d+ shapes, padding \d+ %")
        self.assertRegex(done.stderr, r"\nmeasure +process 1 +[\d.]+ s, in a row [\d.]+ s\n")
        self.assertRegex(done.stderr, r"\n +process 2 +[\d.]+ s, in a row [\d.]+ s; epoch from all")
        parts = [f"run-{n}.{part}" for n in (1, 2) for part in ("csv", "log", "stretch.csv")]
        self.assertEqual(self.names(), sorted([".lock", *MADE, "order.log", *parts]))
        starts = self.record()["starts"]
        self.assertEqual([of["verb"] for of in starts], ["order", "measure", "measure"])
        self.assertEqual(self.record()["stopped"], "aim")
        self.assertEqual(starts[1]["environment"]["SEQPOINT_PROCESS"], "0")

    def test_files_are_those_of_the_commands(self):
        self.run_it("--points", "6", "--max-processes", "2", "--", *job())
        ours = "seqpoint-run"
        self.seqpoint("select", f"{ours}/order.csv", "--points", "6", "-o", "points.json")
        self.seqpoint("plan", f"{ours}/points.json", "--processes", "2", "-o", "plan")
        profiles = [f"--profile=run={ours}/run-{n}.csv" for n in (1, 2)]
        results = ["-o", "projection.json"]
        self.seqpoint(
            "project", f"{ours}/points.json", "--metric", "runtime_s", *profiles, *results
        )
        os.rename(self.path("plan", "plan.json"), self.path("plan.json"))
        for name in ("points.json", "plan.json", "projection.json"):
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(), self.read(name), name)

    def test_an_order_that_is_there(self):
        self.run_it("--", *job())
        os.rename(self.path("seqpoint-run"), self.path("before"))
        self.run_it("--max-processes", "2", "--order", "before/order.csv", "--", *job())
        self.assertNotIn("order.csv", self.names())
        self.assertEqual([of["verb"] for of in self.record()["starts"]], ["measure"] * 2)

    def test_a_whole_epoch_beside_it(self):
        self.run_it("--", *job())
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertRegex(done.stderr, r"recorded +run: .* in 400 batches")
        self.assertRegex(done.stdout, r"in the interval\nrun .* yes\n")
        projected = json.loads(self.read("projection.json"))["configurations"][0]
        self.assertIn("measured", json.dumps(projected))
        self.assertNotIn("outside the interval", done.stderr)

    def test_a_whole_epoch_that_takes_longer(self):
        self.run_it("--", *job("--times", "epoch-of-run=1.3"))
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertRegex(
            done.stderr,
            r"run: runtime_s of .* adds up to .* s, outside the interval; .* projected\n",
        )
        done = self.run_it("--resume", "seqpoint-run", "--precision", "0.1%")
        self.assertIn("outside the interval", done.stderr)
        self.assertNotIn("--record", done.stdout + done.stderr)
        page = self.read("report.html").decode()
        self.assertIn("outside the interval", page)
        self.assertRegex(page, r"<h1>.*, but a measured one took .* s</bdi></h1>")

    def test_a_whole_epoch_of_a_loop_that_ends_early(self):
        self.run_it("--", *job("--do", "leave"))
        done = self.run_it("--record", "--resume", "seqpoint-run", status=3)
        self.assertIn("has 200 batches, that of the points 400: the job's loop", done.stderr)
        self.assertIn("-o NEWFOLDER --batches 200\n", done.stderr)

    def test_a_whole_epoch_of_the_batches_that_the_loop_takes(self):
        self.run_it("--batches", "200", "--", *job("--do", "leave"))
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertRegex(done.stderr, r"recorded +run: .* in 200 batches")

    def test_a_whole_epoch_beside_epochs_that_were_measured(self):
        """It is compared with the result, which is not that of the points before."""
        job_of_40 = job("--batches", "40")
        before = self.run_it("--max-processes", "2", "--", *job_of_40).stdout.splitlines()[0]
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertEqual(done.stdout.splitlines()[0], before)
        self.assertRegex(done.stdout, r"in the interval\nrun +runtime_s ")

    def test_a_whole_epoch_alone(self):
        done = self.run_it("--record", "--", *job())
        self.assertRegex(done.stdout, r"^epoch +run: .* in [0-9]+ batches")
        done = self.run_it("--record", "-o", "again", "--export", "csv=a.csv", "--", *job())
        self.assertIn("nothing is exported", done.stderr)

    def test_stretches_are_added_up(self):
        done = self.run_it("-v", "--max-processes", "3", "--precision", "0.01%", "--", *job())
        self.assertRegex(done.stdout, r"\nin a row +3 stretches: predicted .*, took .* \([+-]")

    def test_results_for_programs(self):
        done = self.run_it("--json", "--export", "csv=table.csv", "--", *job())
        self.assertEqual(done.stdout.encode(), self.read("projection.json"))
        self.assertTrue(os.path.exists(self.path("table.csv")))

    def test_one_word_is_a_shell_command(self):
        self.run_it(f"echo begin; {shlex.join(job())}; echo end")
        self.assertIn(b"begin\nthe job begins\n", self.read("run-1.log"))

    def test_the_price_is_said(self):
        done = self.run_it("--max-processes", "2", "--", *job("--pace", "0.09"))
        self.assertRegex(done.stderr, r"(?m)^machine +\d+ cores?, load [\d.e+]+")
        line = re.search(
            r"\ncost +points: \d+ batches in two processes, about ([\d.]+) s in all, at most "
            r"([\d.]+) s; an epoch: 400 batches, about 3\d s\n",
            done.stderr,
        )
        self.assertIsNotNone(line, done.stderr)
        said = self.record()["said"]
        self.assertAlmostEqual(float(line[1]) / said["about_s"], 1, delta=0.05)
        self.assertAlmostEqual(float(line[2]), said["most_s"], msg="what is printed is kept")
        self.assertGreater(self.record()["starts"][1]["machine"]["cores"], 0)
        done = self.run_it("-o", "b", "--max-processes", "2", "--", *job())
        self.assertRegex(
            done.stderr,
            r"\ncost +points: \d+ batches in two processes; an epoch: 400 batches\n",
            "what a batch takes is not known",
        )

    def test_the_price_of_a_comparison_is_that_of_three_processes(self):
        builds = [build(name, "--pace", "0.09") for name in ("old", "new")]
        done = self.run_it("--max-regression", "3%", *builds)
        self.assertRegex(
            done.stderr,
            r"\ncost +points: \d+ batches in three processes of each build, "
            r"batch by batch in turns, about [\d.]+ s in all, "
            r"up to 6 processes about [\d.]+ (s|min); ",
        )
        self.assertNotIn("said", self.record(), "a limit asks for more")

    def rows_of(self, *names):
        return sum(self.read(name).count(b"\n") - 1 for name in names)

    def test_the_cost_is_that_of_all(self):
        """Of starts that fail, too, and of all sittings; alike on the page and in run.json."""
        words = ["--max-processes", "2", "--precision", "0.01%"]
        begun = time.monotonic()
        failing = job("--do", "crash", "--in", "run-2.csv", "--start", "0.3")
        both = when("fixed", failing, job("--start", "0.3"))
        self.run_it(*words, both, status=3)
        paid = self.record()["cost"]
        self.assertEqual((paid["starts"], paid["orders"]), (3, 1))
        with open(self.path("fixed"), "w", encoding="utf-8"):
            pass
        done = self.run_it("--resume", "seqpoint-run", *words)
        cost = self.record()["cost"]
        self.assertLess(cost["seconds"], time.monotonic() - begun)
        self.assertGreater(cost["seconds"], 4 * 0.3)
        self.assertGreater(cost["seconds"], paid["seconds"])
        measured = [f"run-{n}{part}.csv" for n in (1, 2) for part in ("", ".stretch")]
        self.assertEqual(
            (cost["starts"], cost["orders"], cost["batches"]), (4, 1, self.rows_of(*measured))
        )
        line = re.search(
            r"\ncost +([\d.]+) s in all: 4 starts, (\d+) of 400 batches; an epoch takes ([\d.]+) "
            r"times as long\n",
            done.stdout,
        )
        self.assertIsNotNone(line, done.stdout)
        self.assertAlmostEqual(float(line[1]) / cost["seconds"], 1, delta=0.006)  # of three digits
        self.assertEqual(int(line[2]), cost["batches"])
        epoch = json.loads(self.read("projection.json"))["configurations"][0]["metrics"][
            "runtime_s"
        ]
        self.assertAlmostEqual(float(line[3]) / (epoch["value"] / cost["seconds"]), 1, delta=0.05)
        self.assertIn(line[0].split(None, 1)[1].strip(), self.read("report.html").decode())

    def test_the_orders_of_several_builds_are_paid_each(self):
        builds = [build(name, "--start", "0.2") for name in ("a", "b", "c")]
        done = self.run_it("--max-processes", "2", *builds)
        self.assertRegex(done.stderr, r"\norder +400 batches, .* in 3 starts, one of each build\n")
        self.assertRegex(done.stdout, r"\ncost .*: 9 starts, 3 of them for orders, \d+ batches; ")
        self.assertEqual(self.record()["cost"]["orders"], 3)

    def test_a_recorded_epoch_is_paid_too(self):
        self.run_it("--max-processes", "2", "--", *job())
        before = self.record()["cost"]
        done = self.run_it("--record", "--resume", "seqpoint-run")
        cost = self.record()["cost"]
        self.assertEqual(cost["batches"], before["batches"] + 400)
        self.assertRegex(done.stdout, r"\ncost .* in all: 4 starts, \d+ batches; an epoch takes ")

    def test_a_gpu_is_described(self):
        """By a stand-in for nvidia-smi, of a GPU that another program heats."""
        answers = {"gpu": "NVIDIA H200, 1095, 500.00, 700.00, 0x40", "compute-apps": "4711"}
        lines = [
            f"case $1 in --query-{k}=*) echo {shlex.quote(v)};; esac" for k, v in answers.items()
        ]
        with open(self.path("nvidia-smi"), "w", encoding="utf-8") as file:
            print("#!/bin/sh", *lines, sep="\n", file=file)
        os.chmod(self.path("nvidia-smi"), 0o755)
        path = f"{self.folder}:{os.environ['PATH']}"
        done = self.run_it("--max-processes", "2", "--", *job(), PATH=path)
        self.assertIn(
            "; NVIDIA H200, 1,095 MHz, limited to 500 of 700 W, slowed by temperature, "
            "1 other program on it\n",
            done.stderr,
        )
        (gpu,) = self.record()["starts"][1]["machine"]["gpus"]
        self.assertEqual(gpu["slowed_by"], ["temperature"])
        self.assertNotIn("MFU", done.stdout)
        words = ["--resume", "seqpoint-run", "--max-processes", "2", "--flops-per-token", "1e10"]
        done = self.run_it(*words, PATH=path)
        (shown,) = re.findall(r", MFU ([\d.]+) %", done.stdout)
        (epoch,) = json.loads(self.read("projection.json"))["configurations"]
        mfu = 1e10 * epoch["throughput"]["tokens_per_s"] / 989e12
        self.assertAlmostEqual(float(shown) / (100 * mfu), 1, delta=0.05)
        self.assertAlmostEqual(epoch["throughput"]["mfu"], mfu, delta=1e-6)
        self.assertIn(b"<dt>MFU", self.read("report.html"))

    def test_two_processes_that_are_apart_are_no_reason_to_stop(self):
        """The second takes 30 % longer: the third shows that it was disturbed."""
        done = self.run_it("--", *job("--times", "run-2=1.3"))
        self.assertGreaterEqual(len(self.record()["starts"]), 4, done.stderr)
        (epoch,) = json.loads(self.read("projection.json"))["configurations"]
        time_of = epoch["metrics"]["runtime_s"]
        self.assertLess(time_of["high"], 1.15 * time_of["value"])

    def test_batches_in_a_row_that_agree(self):
        done = self.run_it("-v", "--max-processes", "2", "--", *job())
        self.assertRegex(done.stderr, r"; 20 batches in a row: predicted .* s, took .* s\n")
        self.assertNotIn("points predict", done.stderr)
        stretch = self.record()["starts"][1]["stretch"]
        self.assertEqual(stretch["batches"], 20)
        self.assertAlmostEqual(stretch["predicted_s"] / stretch["took_s"], 1, delta=0.05)

    def test_batches_in_a_row_that_do_not(self):
        """The batches of an epoch take 1.6 times as long as those of the plan."""
        done = self.run_it("--max-processes", "2", "--", *job("--stretch", "1.6"))
        self.assertRegex(
            done.stderr,
            r"process 1: 20 batches in a row took .*, [4-6]\d % longer than the points " r"predict",
        )
        self.assertIn("which is the epoch's time cannot be told", done.stderr)
        (epoch,) = json.loads(self.read("projection.json"))["configurations"]
        time_of, processes = epoch["metrics"]["runtime_s"], epoch["processes"]
        self.assertFalse(epoch["processes_agree"])
        self.assertLess(time_of["low"], 1.02 * min(of["estimate"] for of in processes))
        self.assertGreater(time_of["high"], 0.98 * max(of["in_a_row"] for of in processes))

    def test_the_epoch_takes_longer_than_the_plan(self):
        """By 12 % in every process: the plan's batches have a bias, and those in a row none."""
        words = ["--max-processes", "3", "--precision", "0.01%", "--max-time", "1h", "--"]
        quiet = ["--level", "0.002", "--noise", "0.004"]
        epochs = []
        for folder, factor in (("a", "1"), ("b", "1.12")):
            self.run_it("-o", folder, *words, *job("--stretch", factor, *quiet))
            with open(self.path(folder, "projection.json"), encoding="utf-8") as file:
                (epoch,) = json.load(file)["configurations"]
            epochs.append(epoch["metrics"]["runtime_s"])
        plan, longer = epochs
        self.assertAlmostEqual(longer["value"] / plan["value"] / 1.12, 1, delta=0.04)
        self.assertLess(longer["low"], 1.12 * plan["value"])
        self.assertGreater(longer["high"], 1.12 * plan["value"])

    def test_the_steps_that_a_trainer_counts(self):
        """Beside a pass of 400 batches: their time is in proportion to their number."""
        for stated, line in ((600, "training"), (100, "pass")):
            words = ["-o", line, "--max-processes", "2", "--"]
            done = self.run_it(*words, *job("--stated", str(stated), "--level", "0"))
            with open(self.path(line, "projection.json"), encoding="utf-8") as file:
                (epoch,) = json.load(file)["configurations"]
            shown = re.search(rf"(?m)^{line} +([\d.]+) (s|min)   95 %: ", done.stdout)
            self.assertTrue(shown, done.stdout)
            times = max(stated / 400, 400 / stated)
            expected = times * epoch["metrics"]["runtime_s"]["value"]
            value = float(shown[1]) * {"s": 1, "min": 60}[shown[2]]
            self.assertAlmostEqual(value, expected, delta=0.01 * expected)

    def test_a_stretch_of_other_lengths(self):
        done = self.run_it("--max-processes", "2", "--", *job("--do", "grow"), status=3)
        self.assertRegex(
            done.stderr,
            r"run-1.stretch.csv: iteration 20 has src_len (\d+), .*"
            r"iteration 20 of .*order.csv, with the same rows, has src_len (\d+)",
        )
        self.assertIn("depend on the rows alone, not on the step", done.stderr)
        (advised,) = re.findall("`seqpoint run (.*)` times a whole epoch", done.stderr)
        self.run_it(*shlex.split(advised), "--", *job("--do", "grow"))

    def test_what_contradicts_the_epoch_is_beside_the_result(self):
        done = self.run_it("--max-processes", "2", "--", *job("--do", "doubt"))
        self.assertEqual(done.stderr.count("the loop at train.py:9 ends early"), 1)
        self.assertIn("hint: measure anew: -o NEWFOLDER --batches 60\n", done.stderr)
        self.assertRegex(
            done.stdout, r"(?m)^next +seqpoint run -o NEWFOLDER --batches 60 -- .*fake_job.py"
        )
        result = json.loads(self.read("projection.json"))
        self.assertEqual(result["contradictions"], ["the loop at train.py:9 ends early"])
        self.assertIn(b"the loop at train.py:9 ends early", self.read("report.html"))
        again = self.run_it("--resume", "seqpoint-run")
        self.assertIn("the loop at train.py:9 ends early", again.stderr)
        done = self.run_it("-o", "b", "--batches", "60", "--", *job("--do", "doubt"))
        self.assertNotIn("ends early", done.stderr, "it is settled")

    def test_the_next_command_runs_as_it_stands(self):
        done = self.run_it("--max-processes", "2", "--", *job("--do", "doubt"))
        (line,) = re.findall(r"\nnext +seqpoint (run .*)", done.stdout)
        words = shlex.split(line.replace("NEWFOLDER", "new"))[1:]
        self.assertNotIn("ends early", self.run_it(*words).stderr)
        done = self.run_it("-o", "my run", "--precision", "15%", "--", *job("--seed", "whole"))
        (line,) = re.findall(r"\nnext +seqpoint (run --resume .*)", done.stdout)
        self.run_it(*shlex.split(line)[1:])

    def test_a_number_that_is_not_known_is_in_no_command(self):
        for number, option in enumerate(("--batches 0", "--batches N", "--epochs N")):
            doubt = job("--do", "doubt", f"--settles={option}")
            done = self.run_it("-o", f"run-{number}", "--max-processes", "2", "--", *doubt)
            self.assertIn("the loop at train.py:9 ends early", done.stderr)
            self.assertNotIn("NEWFOLDER", done.stderr)
            self.assertNotRegex(done.stdout, r"(?m)^next .*(NEWFOLDER|--batches|--epochs)")

    def test_the_command_that_settles_it_is_whole(self):
        words = ["--max-regression", "90%", "--on-inconclusive", "fail", "--max-processes", "2"]
        builds = [build(name, "--do", "doubt") for name in ("old", "new")]
        done = self.run_it(*words, "--batches", "70", *builds)
        (line,) = re.findall(r"\nnext +(.*)", done.stdout)
        limit = "--batches 60 --max-regression 90% --on-inconclusive fail -- "
        self.assertIn(f"seqpoint run -o NEWFOLDER {limit}", line)
        self.assertNotIn("--batches 70", line)
        secret = [*job("--do", "doubt"), "--seed", "token=hf_abcdefghijklmnopqrstuvwxyz012345"]
        done = self.run_it("-o", "b", "--max-processes", "2", "--", *secret)
        self.assertIn("\nnext       the same with -o NEWFOLDER --batches 60\n", done.stdout)

    def test_an_epoch_is_as_long_as_the_job_makes_it(self):
        words = ["--batches", "40", "--do", "leave", "--level", "0"]
        done = self.run_it("--max-processes", "2", "--", *job(*words))
        self.assertIn("leaves its loader after 20 of 40 batches, which are the epoch", done.stderr)
        self.assertEqual(done.stderr.count("\norder "), 1)
        lines = self.read("order.csv").decode().splitlines()
        self.assertEqual(len(lines), 21)
        true = sum(0.02 + 0.001 * int(line.split(",")[2]) for line in lines[1:])
        result = json.loads(self.read("projection.json"))
        self.assertEqual(result["run"]["iterations"], 20)
        time_of = result["configurations"][0]["metrics"]["runtime_s"]
        self.assertAlmostEqual(time_of["value"] / true, 1, delta=0.05)
        builds = [build(name, *words) for name in ("old", "new")]
        done = self.run_it("-o", "b", *builds, status=3)
        self.assertIn("-o NEWFOLDER --batches 20\n", done.stderr)

    def test_a_job_that_resumes_times_no_whole_epochs(self):
        """Its points are right: whole epochs would be the rest of one."""
        done = self.run_it("--max-processes", "2", "--", *job("--batches", "40", "--do", "resume"))
        self.assertNotIn("whole epochs are timed", done.stderr)
        self.assertIn("run-1.csv", self.names())

    def test_batches_without_a_training_step(self):
        done = self.run_it("--max-processes", "2", "--points", "8", "--", *job("--do", "skip"))
        self.assertRegex(
            done.stderr, r"run: \d of 8 points, with lengths from 3\d\d to \d+, ran no"
        )
        self.assertNotIn("off what the other points suggest", done.stderr)
        rows = [line.split(",") for line in self.read("order.csv").decode().splitlines()[1:]]
        padded = [int(row[2]) * int(row[3]) for row in rows]
        trained = sum(n for n, row in zip(padded, rows) if int(row[2]) <= 300)
        (epoch,) = json.loads(self.read("projection.json"))["configurations"]
        total = epoch["metrics"]["runtime_s"]["value"]
        share = epoch["throughput"]["padded_tokens_per_s"] * total / sum(padded)
        self.assertAlmostEqual(share, trained / sum(padded), delta=0.1)

    def test_v_shows_what_the_job_prints(self):
        done = self.run_it("-v", "--", *job())
        self.assertIn("the job begins\n", done.stderr)
        self.assertNotIn("the job begins", self.run_it("-o", "b", "--", *job()).stderr)

    def test_the_companion_from_elsewhere(self):
        done = self.run_it("--", *job(), status=2, SEQPOINT_COMPANION=self.folder)
        self.assertIn("SEQPOINT_COMPANION: ", done.stderr)
        self.run_it("--resume", "seqpoint-run", SEQPOINT_COMPANION=os.path.join(SOURCE, "python"))


class Stopping(Folder):
    def test_a_short_epoch_is_timed(self):
        """An epoch of 40 batches, where a process of points runs more."""
        done = self.run_it("--max-processes", "2", "--", *job("--batches", "40"))
        self.assertRegex(done.stderr, r"\ncost +points: .* 40 batches: whole epochs are timed")
        self.assertIn("epoch-1-of-run.csv", self.names())
        self.assertEqual([of["verb"] for of in self.record()["starts"][1:]], ["record"] * 2)

    def test_select_does_not_compare_prices_as_well(self):
        done = self.run_it("--points", "12", "--", *job("--batches", "41"))
        points = ["--points", "12", "--processes", "2", "-o", "points.json"]
        (warning,) = self.seqpoint(
            "select", "-q", "seqpoint-run/order.csv", *points
        ).stderr.splitlines()
        self.assertNotIn(warning.split(": ")[2], done.stderr)

    def test_an_epoch_that_costs_less_than_a_process_of_points(self):
        """A job that starts for longer than its epoch takes. One process cannot show how far
        processes differ, so there are two."""
        short = job("--scale", "0.001", "--start", "0.3", "--pace", "0.0001")
        done = self.run_it("--", *short)
        self.assertRegex(done.stderr, r"s in all; an epoch: .*: whole epochs are timed")
        verbs = [of["verb"] for of in self.record()["starts"]]
        self.assertEqual(verbs, ["order", "record", "record"])
        self.assertEqual(self.record()["way"], "epochs")
        self.assertNotIn("longer than the epoch", done.stderr)
        self.assertEqual(self.record()["stopped"], "price")
        self.assertIn("stopped    another process would cost more", done.stdout)
        done = self.run_it("-o", "points", "--points", "8", "--", *short)
        self.assertIn("than more processes: seqpoint run --resume points --record\n", done.stdout)

    def test_a_start_that_costs_more_than_the_epoch(self):
        """Known from the order's first batch, before anything is measured."""
        done = self.run_it("--", *job("--start", "0.4", "--first", "0.0001"))
        self.assertRegex(done.stderr, r"; an epoch: 400 .*: whole epochs are timed")
        verbs = [of["verb"] for of in self.record()["starts"]]
        self.assertEqual(verbs[:2], ["order", "record"])
        self.assertGreater(self.record()["starts"][0]["ready_s"], 0.4)
        self.run_it("-o", "long", "--", *job("--start", "0.1", "--first", "0.1"))
        self.assertTrue(os.path.exists(self.path("long", "run-1.csv")))

    def test_an_epoch_that_turns_out_to_cost_less(self):
        """The order's batches took 0.2 s, those of the first process a thousandth of that."""
        done = self.run_it("--", *job("--scale", "0.001", "--start", "0.3", "--pace", "0.2"))
        self.assertIn("whole epochs cost less than another process of points: they", done.stderr)
        outputs = [of["output"] for of in self.record()["starts"]]
        self.assertEqual(
            outputs, ["order.csv", "run-1.csv", "epoch-1-of-run.csv", "epoch-2-of-run.csv"]
        )
        self.assertEqual(self.record()["way"], "epochs")
        self.assertRegex(done.stdout, r"^epoch ")

    def test_a_price_that_is_said_is_kept(self):
        """Processes take longer than the order foresaw: no third one is started."""
        slow = job("--noise", "0.1", "--pause", "0.3", "--pace", "0.001")
        done = self.run_it("--points", "4", "--", *slow)
        self.assertEqual(
            [of["verb"] for of in self.record()["starts"]], ["order"] + ["measure"] * 2
        )
        self.assertEqual(self.record()["stopped"], "said")
        (most,) = re.findall(r"\ncost .*, at most ([\d.]+ s); an epoch", done.stderr)
        self.assertIn(
            f"\nstopped    another process may end after {most}, which was said to be the most; ",
            done.stdout,
        )
        overrun = (
            rf"\ncost .*; at most {most} was said: batches took [\d.]+ times as long as in the "
        )
        self.assertRegex(done.stdout, overrun + "order\n")
        self.assertIn(f"at most {most} was said", self.read("report.html").decode())
        following = re.search(r"\nnext +seqpoint run (.*--max-processes \d+)\n", done.stdout)
        self.assertIsNotNone(following, done.stdout)

    def test_batches_that_take_longer_than_the_order_said(self):
        slow = job("--real", "--scale", "0.02", "--pace", "0.0001", "--times", "run-1=40,run-2=40")
        done = self.run_it("--points", "4", "--", *slow)
        self.assertEqual(len(self.record()["starts"]), 3)
        self.assertRegex(done.stdout, r"\ncost .* was said: batches took [\d.]+ times as long ")

    def test_options_ask_for_more_than_was_said(self):
        slow = job("--noise", "0.1", "--pause", "0.3", "--pace", "0.001")
        options = {"a": ["--precision", "0.1%"], "b": ["--max-processes", "3"]}
        words = ["--points", "4", "--max-time", "8s", "--", *slow]
        both = [self.start("-o", folder, *more, *words) for folder, more in options.items()]
        for folder, running in zip(options, both):
            told = running.communicate(timeout=400)
            self.assertEqual(running.returncode, 0, told)
            with open(self.path(folder, "run.json"), encoding="utf-8") as file:
                record = json.load(file)
            self.assertNotIn("said", record)
            self.assertIn(record["stopped"], ("time", "processes"))

    def test_the_way_stays_when_a_run_goes_on(self):
        words = job("--pace", "0.05")
        self.run_it("--max-processes", "2", "--", *words)
        self.assertEqual(self.record()["way"], "points")
        self.run_it("--resume", "seqpoint-run", "--max-processes", "3", "--precision", "0.01%")
        self.assertEqual(self.record()["starts"][-1]["verb"], "measure")

    def test_builds_with_short_epochs(self):
        short = ["--batches", "40"]
        builds = [build("old", *short), build("new", *short, "--slower", "0.08")]
        done = self.run_it("--max-regression", "3%", *builds, status=1)
        self.assertRegex(done.stdout, r"(?m)^FAIL ")
        self.assertIn("epoch-3-of-new.csv", self.names())

    def test_another_process_would_not_narrow_it(self):
        done = self.run_it("--", *job("--level", "0.06"))
        self.assertEqual(self.record()["stopped"], "gain")
        self.assertRegex(
            done.stderr, r"warning: ± 2.0 % \(--precision\) is out of reach: processes"
        )

    def test_precision(self):
        self.run_it("--precision", "0.01%", "--max-processes", "3", "--", *job())
        self.assertEqual(self.record()["stopped"], "processes")
        self.assertEqual(len(self.record()["starts"]), 4)

    def test_the_processes_that_a_precision_takes(self):
        noisy = job("--noise", "0.1", "--level", "0.001", "--seed", "a")
        done = self.run_it("--precision", "5%", "--max-processes", "2", "--", *noisy)
        found = re.search(r"wanted ± 5 %: about (\d+) more processes, [\d.]+ m?s\n", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        enough = str(2 + int(found[1]))
        more = ("--precision", "5%", "--max-processes", enough)
        self.assertIn(
            f"\nnext       seqpoint run --resume seqpoint-run {' '.join(more)}\n", done.stdout
        )
        self.run_it("--resume", "seqpoint-run", *more)
        self.assertEqual(self.record()["stopped"], "aim")

    ASSUMED = "; one process cannot show how far processes differ: that is assumed; "

    def test_time(self):
        done = self.run_it("--precision", "0.01%", "--max-time", "0", "--", *job())
        self.assertEqual(self.record()["stopped"], "time")
        self.assertEqual(len(self.record()["starts"]), 2)
        wanted = rf"{self.ASSUMED}± [\d.]+ %, wanted ± 0.01 %\n"
        self.assertRegex(done.stdout, r"\(--max-time\)" + wanted)
        builds = [build("old", "--level", "0.1"), build("new", "--level", "0.1")]
        self.run_it("-o", "b", "--max-regression", "3%", "--max-time", "0", *builds)
        with open(self.path("b", "run.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["starts"]), 2 + 4, "two of each build decide")

    def test_what_fits_into_the_time_is_planned(self):
        """A start takes 0.3 s, a batch 0.02 s; two processes run 21 in a row each."""
        real = job("--pace", "0.02", "--start", "0.2")
        self.run_it("-o", "free", "--max-processes", "2", "--", *real)
        self.run_it("--max-time", "4s", "--max-processes", "2", "--", *real)

        def planned(folder):
            with open(self.path(folder, "points.json"), encoding="utf-8") as file:
                return json.load(file)["method"]["repeats"]["executions"]

        most = min(planned("free"), 2 * (4 / 2 - 0.2) / 0.02 - 42)
        self.assertLessEqual(planned("seqpoint-run"), most)
        self.run_it("-o", "short", "--max-time", "1s", "--max-processes", "2", "--", *real)
        self.assertLessEqual(planned("short"), 32)
        self.assertGreater(planned("short"), 16)
        self.run_it("-o", "own", "--points", "9", "--max-time", "1s", "--", *real)
        self.run_it("-o", "own_free", "--points", "9", "--max-processes", "2", "--", *real)
        self.assertEqual(planned("own"), planned("own_free"), "the user's choice stays")

    def test_a_long_start_is_paid_once_less(self):
        """The process that makes the order goes on to measure, and its rows are the same."""
        words = ["-v", "--max-processes", "1", "--points", "6", "--"]
        done = self.run_it(*words, *job("--start", "10.5"))
        self.assertRegex(done.stderr, r"\n +\d+ batches, [\d.]+ m?s after the order; ")
        self.assertEqual(self.record()["cost"]["starts"], 1)
        order, measured = self.record()["starts"]
        self.assertEqual((order["verb"], measured["verb"]), ("order", "measure"))
        self.assertTrue(measured["after_order"])
        self.assertGreater(measured["machine"]["cores"], 0)
        self.assertRegex(done.stdout, r"\ncost .* s in all: 1 start, ")
        self.run_it("-o", "short", *words, *job())
        with open(self.path("short", "run-1.csv"), "rb") as file:
            self.assertEqual(file.read(), self.read("run-1.csv"))

    def test_it_goes_on_after_a_crash_behind_the_order(self):
        crash = job("--start", "10.5", "--do", "crash", "--in", "run-1.csv")
        self.run_it("--max-processes", "1", when("fixed", crash, job()), status=3)
        self.assertEqual([of["verb"] for of in self.record()["starts"]], ["order"])
        self.assertNotIn("run-1.csv", self.names())
        with open(self.path("fixed"), "w", encoding="utf-8"):
            pass
        self.run_it("--resume", "seqpoint-run", "--max-processes", "1")
        self.assertEqual([of["verb"] for of in self.record()["starts"]], ["order", "measure"])
        self.assertNotIn("after_order", self.record()["starts"][1])

    def test_a_job_that_cannot_go_on(self):
        done = self.run_it("-v", "--max-processes", "1", "--", *job("--do", "end with order"))
        self.assertEqual(self.record()["cost"]["starts"], 2)
        self.assertIn("with start-up", done.stderr)

    def test_a_part_of_a_long_epoch(self):
        """Its totals are those of the epoch, and the interval knows what is missing."""
        words = ["--batches", "8000", "--level", "0", "--noise", "0.001", "--seed", "part"]
        self.run_it("-o", "all", "--max-processes", "2", "--points", "12", "--", *job(*words))
        part = job(*words, "--part", "500")
        done = self.run_it("--max-processes", "2", "--points", "12", "--", *part)
        self.assertRegex(done.stderr, r"\norder +8,000 batches, \d+ shapes.*, by 500 of them")
        self.assertEqual(self.read("order.csv").count(b"\n"), 501)
        results = []
        for folder in ("all", "seqpoint-run"):
            with open(self.path(folder, "projection.json"), encoding="utf-8") as file:
                results.append(json.load(file))
        whole, by_part = (of["configurations"][0]["metrics"]["runtime_s"] for of in results)
        self.assertEqual(results[1]["run"]["iterations"], 8000)
        self.assertAlmostEqual(by_part["value"] / whole["value"], 1, delta=0.1)
        self.assertGreater(by_part["high"], whole["value"])
        self.assertLess(by_part["low"], whole["value"])
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertRegex(done.stdout, r"in the interval\nrun .* yes\n")

    def test_an_epoch_is_not_begun_that_ends_too_late(self):
        words = job("--start", "0.4", "--pace", "0.001")
        self.run_it("-o", "free", "--max-processes", "1", "--", *words)
        self.assertTrue(os.path.exists(self.path("free", "epoch-1-of-run.csv")))
        self.run_it("--max-time", "1s", "--", *words)
        self.assertEqual(self.record()["way"], "points")

    def test_one_process(self):
        done = self.run_it("--max-processes", "1", "--", *job())
        self.assertEqual([of["verb"] for of in self.record()["starts"]], ["order", "measure"])
        self.assertIn(f"stopped    1 process (--max-processes){self.ASSUMED}±", done.stdout)
        epoch = json.loads(self.read("projection.json"))["configurations"][0]["metrics"]
        self.assertLess(epoch["runtime_s"]["low"], 0.98 * epoch["runtime_s"]["value"])
        again = self.run_it("--resume", "seqpoint-run", "--max-processes", "2")
        self.assertNotIn("is assumed", again.stdout)
        limit = ("--max-regression", "3%", "--max-processes", "1")
        done = self.run_it("-o", "b", *limit, build("old"), build("new"), status=2)
        self.assertIn("--max-processes 1: a comparison needs two of each build", done.stderr)

    def test_builds_take_turns(self):
        builds = [build("old"), build("new", "--slower", "0.1")]
        done = self.run_it("--max-regression", "3%", *builds, status=1)
        measured = [
            (of["build"], of["process"])
            for of in self.record()["starts"]
            if of["verb"] == "measure"
        ]
        turns = ["old", "new", "new", "old", "old", "new"]
        self.assertEqual(measured, list(zip(turns, (1, 1, 2, 2, 3, 3))))
        self.assertEqual(self.record()["stopped"], "aim")
        self.assertRegex(done.stdout, r"(?m)^FAIL  new is [\d.]+ % slower than old \(")

    def test_builds_take_turns_batch_by_batch(self):
        """Levels of processes differ by 30 %, those of both builds of a round alike."""
        levels = "old-1=1.3,new-1=1.3,old-2=1,new-2=1,old-3=1.15,new-3=1.15"
        builds = [build("old", "--times", levels), build("new", "--times", levels)]
        done = self.run_it("--max-regression", "3%", *builds)
        self.assertIn("in three processes of each build, batch by batch in turns", done.stderr)
        changes = re.findall(r"new against old, in turns: ([+-][\d.]+) % ± ", done.stderr)
        self.assertEqual(len(changes), 3)
        self.assertLess(max(abs(float(change)) for change in changes), 2)
        self.assertRegex(done.stdout, r"(?m)^PASS ")
        measured = [of for of in self.record()["starts"] if of["verb"] == "measure"]
        self.assertEqual([of["in_duet"] for of in measured], [True] * 6)
        sides = [of["environment"]["SEQPOINT_SIDE"] for of in measured]
        self.assertEqual(sides, ["0", "1"] * 3)
        self.assertFalse([name for name in self.names() if "duet" in name])

    def test_builds_take_turns_process_by_process(self):
        builds = [build("old"), build("new")]
        done = self.run_it("--no-duet", "--max-regression", "3%", *builds)
        self.assertNotIn("in turns", done.stderr)
        self.assertNotIn("SEQPOINT_DUET", self.record()["starts"][-1]["environment"])
        done = self.run_it("-o", "three", *builds, build("third"))
        self.assertNotIn("in turns", done.stderr)

    def test_builds_that_do_not_fit_beside_each_other(self):
        """Each alone does; processes take turns then."""
        builds = [build("old"), build("new", "--do", "crowd")]
        done = self.run_it("--max-regression", "3%", *builds)
        self.assertRegex(done.stderr, r"new 1 beside the other build: .* status 1")
        self.assertNotIn("new against old, in turns", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^PASS ")

    def test_builds_of_the_same_rows(self):
        """Neither has a seed: both run the batches that the first one has drawn."""
        self.run_it(build("old", "--seedless"), build("new", "--seedless"))
        self.assertIn("points.json", self.names())
        self.run_it("-o", "b", build("old", "--seedless"), build("new", "--seed", "another"))
        self.assertFalse(os.path.exists(self.path("b", "points.json")))

    def test_builds_that_are_equal(self):
        done = self.run_it("--max-regression", "3%", build("old"), build("new"))
        self.assertRegex(done.stdout, r"(?m)^PASS ")
        self.assertRegex(done.stdout, r"95 %, two-sided +vs old +95 %, two-sided +throughput\n")
        self.assertRegex(
            done.stdout, r"\ncost .*, \d+ batches; an epoch of each takes [\d.]+ times "
        )
        self.assertNotIn("\nbut ", done.stdout)

    def test_a_verdict_beside_processes_that_disagree(self):
        """Two of four processes of each build take 40 % longer, not those of one round."""
        times = {"old": "old-1=1.4,old-2=1.4", "new": "new-3=1.4,new-4=1.4"}
        builds = [build(name, "--times", slow) for name, slow in times.items()]
        limit = ["--max-regression", "3%", "--max-processes", "4", "--ci", "github"]
        done = self.run_it(*limit, *builds)
        self.assertRegex(done.stdout, r"(?m)^INCONCLUSIVE .*processes of a build disagree")
        self.assertRegex(done.stdout, r"\n::warning .*processes of a build disagree")
        page = self.read("report.html").decode()
        self.assertRegex(page, r"<h1>.*processes of a build disagree: measure in more</bdi></h1>")

    def test_totals_differ_by_the_change_beside_them(self):
        """On a machine that slows down from round to round, and in one round for one build only."""
        times = {
            "old": "old-2=1.15,old-3=1.3,old-4=1.45",
            "new": "new-1=1.06,new-2=1.22,new-3=1.65,new-4=1.54",
        }
        builds = [build(name, "--phases", "--times", slow) for name, slow in times.items()]
        limit = ["--max-regression", "1%", "--on-inconclusive", "pass", "--max-processes", "4"]
        done = self.start(*limit, "--export", "csv=table.csv", *builds)
        told, _ = done.communicate(timeout=400)
        self.assertIn(done.returncode, (0, 1), told)
        old, new = json.loads(self.read("projection.json"))["configurations"]
        before, after = (of["metrics"]["runtime_s"] for of in (old, new))
        change = after["value"] / before["value"] - 1
        self.assertAlmostEqual(1 / new["speedup"]["runtime_s"]["value"] - 1, change, places=6)
        self.assertAlmostEqual(
            sum(phase["change"] for phase in new["phases"].values()), change, places=6
        )
        self.assertAlmostEqual(
            sum(phase["seconds"] for phase in new["phases"].values()), after["value"], places=4
        )
        shown = re.search(r"\nnew +[\d.]+ s +[\d.]+ to [\d.]+ s +([+-][\d.]+) % ", told)
        self.assertIsNotNone(shown, told)
        self.assertAlmostEqual(float(shown[1]), 100 * change, delta=0.51)

    def test_an_undecided_limit_needs_a_new_folder(self):
        limit = ["--max-regression", "3%", "--max-processes", "2"]
        differ = ["--level", "0.05", "--batches", "4000"]
        builds = [build("old", *differ), build("new", *differ, "--slower", "0.08")]
        done = self.run_it(*limit, "--export", "junit=gate.xml", *builds)
        self.assertRegex(done.stdout, r"(?m)^INCONCLUSIVE ")
        self.assertRegex(done.stdout, r"; the smallest slowdown to be found is [\d.]+ %\n")
        self.assertIn('<testsuite name="seqpoint.run" ', self.gate())
        self.assertIn('<skipped message="INCONCLUSIVE  new is ', self.gate())
        self.assertRegex(
            done.stdout, r"\nnext +the same with --max-processes \d+ and another folder \(-o\): "
        )
        resume = ["--resume", "seqpoint-run", "--max-processes", "4"]
        again = self.run_it(*resume)
        self.assertIn("earlier looks have used up the 5 % chance", again.stderr)
        self.assertRegex(again.stdout, r"(?m)^INCONCLUSIVE ")
        self.run_it(*resume, "--on-inconclusive", "fail", status=1)

    def test_a_comparison_that_was_interrupted_has_no_verdict(self):
        """After a process of each build; then whole epochs are timed."""
        slow = ["--slower", "0.5"]
        builds = [build("old", "--do", "sleep", "--in", "old-2.csv"), build("new", *slow)]
        running = self.start("--no-duet", "--max-regression", "3%", *builds)
        wait_for(lambda: os.path.exists(self.path("seqpoint-run", "new-2.csv")))
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        os.remove(self.path("seqpoint-run", "new-2.csv"))
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertRegex(done.stdout, r"(?m)^INCONCLUSIVE ")

    def test_another_kind_of_machine(self):
        self.run_it("--max-processes", "1", "--", *job())
        record = self.record()
        record["starts"][1]["machine"]["cores"] += 1
        with open(self.path("seqpoint-run", "run.json"), "w", encoding="utf-8") as file:
            json.dump(record, file)
        done = self.run_it("--resume", "seqpoint-run", "--max-processes", "2")
        self.assertIn("warning: process 1 was measured on another machine: ", done.stderr)

    def test_no_more_processes_than_whole_epochs_take(self):
        limit = ["--max-regression", "3%", "--max-processes", "2"]
        near = build("new", "--level", "0.05", "--slower", "0.08")
        done = self.run_it(*limit, build("old", "--level", "0.05"), near)
        self.assertRegex(
            done.stdout,
            r"\nnext +the same with --max-processes \d+ and another folder \(-o\): ",
        )

    def gate(self):
        with open(self.path("gate.xml"), encoding="utf-8") as file:
            return file.read()

    def test_a_disturbed_process_is_named(self):
        """The baseline's first process takes twice as long, so that anything would pass."""
        slow = build("old", "--do", "slow", "--in", "old-1.csv")
        limit = ["--no-duet", "--max-regression", "3%", "--max-processes", "3"]
        done = self.run_it(*limit, slow, build("new"))
        self.assertIn("old: runtime_s: 1 of 4 processes was disturbed: ", done.stderr)
        self.assertIn("old 1 (2x); the interval is that of an undisturbed process", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^PASS ")

    def test_a_disturbed_process_is_measured_again(self):
        limit = ["--max-regression", "90%", "--max-processes", "2"]
        new = build("new", "--do", "stray once", "--in", "new-1.csv")
        done = self.run_it(*limit, build("old"), new)
        self.assertIn("no batch takes no time", done.stderr)
        self.assertIn("new 1 is measured once more", done.stderr)
        self.assertIn("new-1.refused.csv", self.names())
        verbs = [of["output"] for of in self.record()["starts"] if of["verb"] == "measure"]
        self.assertEqual(verbs.count("new-1.csv"), 1)
        old = build("old", "--do", "stray once", "--in", "old-1.csv")
        done = self.run_it(*limit, "-o", "old", old, build("new"))
        self.assertIn("old 1 is measured once more", done.stderr)
        new = build("new", "--do", "stray", "--in", "new-1.csv")
        done = self.run_it(*limit, "-o", "always", build("old"), new, status=3)
        self.assertIn("seqpoint run --resume always measures new-1.csv again", done.stderr)

    def test_builds_with_orders_of_their_own(self):
        builds = [build("old"), build("new", "--seed", "another", "--slower", "0.2")]
        wanted = ("--export", "junit=checks.xml", "--ci", "github")
        done = self.run_it("--max-regression", "3%", *wanted, *builds, status=1)
        self.assertIn("old and new draw different batches: each gets its own points", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^::error .*the builds draw different batches")
        checks = self.read("../checks.xml").decode()
        self.assertIn("the builds draw different batches", checks)
        self.assertIn("FAIL ", done.stdout)
        for name in ("old-points.json", "new-points.json", "new-projection.json"):
            self.assertIn(name, self.names())
        self.assertNotIn("points.json", self.names())
        done = self.run_it("--json", "-o", "other", *builds, status=2)
        self.assertIn("--export json and html are of one set of points", done.stderr)


class Disturbed(Folder):
    """Factors of processes' times stand for other programs beside them."""

    RULE = ("--precision", "8%", "--max-processes", "4")
    WORDS = ("--points", "6", *RULE)
    OUTPUTS = ["run-1.csv", "run-2.csv", "run-3.csv", "run-2.anew.csv"]

    def outputs(self, folder="seqpoint-run"):
        with open(self.path(folder, "run.json"), encoding="utf-8") as file:
            starts = json.load(file)["starts"]
        return [of["output"] for of in starts if of["verb"] == "measure"]

    def seconds(self):
        (epoch,) = json.loads(self.read("projection.json"))["configurations"]
        return epoch["metrics"]["runtime_s"]["value"]

    def test_it_is_kept_and_measured_anew_once(self):
        self.run_it("-o", "quiet", *self.WORDS, "--", *job())
        done = self.run_it(*self.WORDS, "--", *job("--times", "run-2=20"))
        self.assertEqual(self.outputs(), self.OUTPUTS)
        self.assertIn("process 2 was disturbed: it is kept, and measured anew once\n", done.stderr)
        self.assertRegex(done.stderr, r"\n +process 2 again   .* s, in a row ")
        self.assertIn("1 of 4 processes was disturbed: process 2 (20x)", done.stderr)
        self.assertNotIn("process 2:", done.stderr, "one sentence is enough")
        self.assertNotIn("the machine changed its speed", done.stderr)
        for start in self.record()["starts"][1:]:  # each is compared with points of its own
            stretch = start["stretch"]
            self.assertAlmostEqual(stretch["predicted_s"] / stretch["took_s"], 1, delta=0.05)
        self.assertEqual(self.record()["stopped"], "aim")
        disturbed = self.seconds()
        os.rename(self.path("seqpoint-run"), self.path("disturbed"))
        os.rename(self.path("quiet"), self.path("seqpoint-run"))
        self.assertAlmostEqual(disturbed / self.seconds(), 1, delta=0.03)
        again = self.run_it("--resume", "disturbed", *self.RULE)
        self.assertEqual(self.outputs("disturbed"), self.OUTPUTS)
        self.assertEqual(again.stdout.split("\n")[0], done.stdout.split("\n")[0])

    def test_it_is_disturbed_again(self):
        """Half of the processes are: which cannot be told, and nothing is repeated any more."""
        times = ("--times", "run-2=3,run-2.anew=3.1,run-4=3")
        done = self.run_it(*self.WORDS, "--", *job(*times))
        self.assertEqual(self.outputs(), [*self.OUTPUTS, "run-4.csv"])
        self.assertIn("which of them were disturbed cannot be told", done.stderr)
        self.assertEqual(self.record()["stopped"], "processes", "nothing is decided")

    def test_it_goes_on_after_a_crash_in_the_repetition(self):
        slow = ("--times", "run-2=3")
        crash = job(*slow, "--do", "crash", "--in", "run-2.anew.csv")
        self.run_it(*self.WORDS, when("fixed", crash, job(*slow)), status=3)
        self.assertEqual(self.outputs(), self.OUTPUTS[:3])
        with open(self.path("fixed"), "w", encoding="utf-8"):
            pass
        self.run_it("--resume", "seqpoint-run", *self.RULE)
        resumed = self.read("projection.json")
        os.rename(self.path("seqpoint-run"), self.path("resumed"))
        self.run_it(*self.WORDS, "--", *job(*slow))
        self.assertEqual(self.read("projection.json"), resumed)

    def test_there_is_no_time_for_it(self):
        times = ("--times", "run-2=3")
        self.run_it(*self.WORDS, "--", *job(*times))
        os.remove(self.path("seqpoint-run", "run-2.anew.csv"))
        self.run_it("--resume", "seqpoint-run", *self.RULE, "--max-time", "0")
        self.assertEqual(self.outputs(), self.OUTPUTS)
        self.assertNotIn("run-2.anew.csv", self.names())


class Resuming(Folder):
    def test_nothing_is_made_again(self):
        self.run_it("--points", "5", "--", *job())
        before = {
            name: os.stat(self.path("seqpoint-run", name)).st_mtime_ns for name in self.names()
        }
        self.run_it("--resume", "seqpoint-run", "--precision", "0.01%", "--max-processes", "3")
        for name in (
            "order.csv",
            "points.json",
            "plan.json",
            "run-1.csv",
            "run-2.csv",
            "run-2.log",
        ):
            after = os.stat(self.path("seqpoint-run", name)).st_mtime_ns
            self.assertEqual(after, before[name], name)
        self.assertIn("run-3.csv", self.names())

    def test_warnings_about_the_points_are_in_every_result(self):
        warning = "--points 4 is more than the run's 1 unique shape"
        self.run_it("--points", "4", "--max-processes", "2", "--", *job("--shapes", "1"))
        done = self.run_it("--resume", "seqpoint-run", "--max-processes", "3")
        self.assertIn(warning, done.stderr)
        with open(self.path("seqpoint-run", "report.html"), encoding="utf-8") as page:
            self.assertIn(warning, page.read())
        builds = [build(name, "--shapes", "1") for name in ("old", "new")]
        done = self.run_it("--points", "4", "--max-processes", "3", "-o", "two", *builds)
        self.assertEqual(done.stderr.count(warning), 1, "once for builds that share points")

    def test_more_processes_than_were_planned(self):
        self.run_it("--max-processes", "2", "--precision", "0.01%", "--", *job())
        self.run_it("--resume", "seqpoint-run", "--max-processes", "3", "--precision", "0.01%")
        environment = self.record()["starts"][-1]["environment"]
        self.assertEqual(environment["SEQPOINT_PROCESS"], "0")

    def test_another_command_line_is_refused(self):
        self.run_it("--points", "5", "--", *job())
        done = self.run_it("--resume", "seqpoint-run", "--", *job("--batches", "9"), status=2)
        self.assertIn(f"--points 5 -- {PYTHON} {FAKE}, and not -- {PYTHON}", done.stderr)
        self.assertIn("--batches 9\n", done.stderr)

    def test_a_folder_and_the_command_again(self):
        self.run_it("--", *job("--do", "fail"), status=3)
        done = self.run_it("--resume", "seqpoint-run", "--", *job(), status=2)
        self.assertIn("seqpoint-run is a run of another command line", done.stderr)

    def test_a_limit_that_is_named_again_keeps_the_rest(self):
        limit = ["--max-regression", "3%", "--max-processes", "2"]
        differ = ["--level", "0.05", "--batches", "4000"]
        builds = [build("old", *differ), build("new", *differ, "--slower", "0.08")]
        done = self.run_it(*limit, "--on-inconclusive", "fail", *builds, status=1)
        self.assertRegex(done.stdout, r"(?m)^INCONCLUSIVE ")
        self.run_it("--resume", "seqpoint-run", *limit, status=1)

    def test_what_an_inconclusive_limit_does_needs_a_limit(self):
        self.run_it("--max-processes", "1", "--", *job())
        for words in (["--resume", "seqpoint-run"], ["-o", "new", "--", *job()]):
            done = self.run_it("--on-inconclusive", "fail", *words, status=2)
            self.assertIn("error: --on-inconclusive requires --max-regression\n", done.stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_it_goes_on_in_its_own_folder(self):
        self.run_it("--", *job())
        done = self.run_it("--resume", "seqpoint-run", "-o", "other", status=2)
        self.assertIn("--resume seqpoint-run and -o other name two folders", done.stderr)

    def test_epochs_decide_no_limit(self):
        builds = [build("old"), build("new")]
        done = self.run_it("--record", "--max-regression", "3%", *builds, status=2)
        self.assertIn("too few to decide a comparison", done.stderr)

    def test_a_folder_that_is_taken(self):
        self.run_it("--", *job())
        done = self.run_it("--", *job(), status=2)
        self.assertIn("seqpoint-run holds a run already", done.stderr)
        os.mkdir(self.path("full"))
        with open(self.path("full", "mine"), "w", encoding="utf-8"):
            pass
        done = self.run_it("-o", "full", "--", *job(), status=2)
        self.assertIn("is not empty", done.stderr)
        for name in ("full", "new"):
            done = self.run_it("--resume", name, status=2)
            self.assertRegex(done.stderr, f"--resume: there is no (run in|folder) '{name}'")
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_folder_in_which_only_a_start_failed(self):
        self.run_it("--", *job("--do", "fail"), status=3)
        self.run_it("--max-processes", "2", "--", *job())
        self.assertEqual(len(self.record()["starts"]), 3)

    def test_two_runs_in_one_folder(self):
        first = self.start("--", *job("--do", "sleep"))
        wait_for(lambda: os.path.exists(self.path("seqpoint-run", "order.log")))
        done = self.run_it("--resume", "seqpoint-run", "--", *job(), status=2)
        self.assertIn("another run is at work in this folder", done.stderr)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)


def when(condition, first, then):
    """A shell command: `then` once that file exists, else `first`."""
    return f"if test -e {condition}; then {shlex.join(then)}; else {shlex.join(first)}; fi"


class State(Folder):
    """Files that do not belong to the run, and another place, are never used."""

    def touch(self, name):
        with open(self.path(name), "ab") as file:
            file.write(b"\n")

    def test_files_of_another_job_are_made_anew(self):
        """As if a run had been killed between its files and the record of them."""
        self.run_it("-o", "other", "--", *job("--batches", "300"))
        self.run_it("--", *job("--do", "fail"), status=3)
        for name in ("order.csv", "points.json", "plan.json", "run-1.csv", "run-2.csv"):
            os.rename(self.path("other", name), self.path("seqpoint-run", name))
        self.run_it("--max-processes", "2", "--", *job())
        self.assertEqual(self.read("order.csv").count(b"\n"), 401)
        self.assertEqual(len(self.record()["starts"]), 3)
        listed = {*self.names(), ".lock", "run.json"} - {*self.record()["files"]}
        self.assertEqual(
            {name for name in listed if not name.endswith(".log")}, {".lock", "run.json"}
        )

    def test_the_first_start_fails_with_an_order(self):
        self.run_it("-o", "before", "--", *job())
        words = ["--max-processes", "2", "--order", "before/order.csv"]
        command = when("fixed", ["false"], job())
        self.run_it(*words, command, status=3)
        self.run_it(*words, command, status=3)
        self.run_it("--resume", "seqpoint-run", status=3)
        self.touch("fixed")
        self.run_it("--resume", "seqpoint-run", *words, command)
        self.assertEqual([of["verb"] for of in self.record()["starts"]], ["measure"] * 2)
        self.touch("before/order.csv")
        done = self.run_it("--resume", "seqpoint-run", status=3)
        self.assertIn("before/order.csv: has changed since the run began", done.stderr)

    def test_a_file_that_has_changed(self):
        self.run_it("--max-processes", "2", "--", *job())
        before = self.read("projection.json")
        os.remove(self.path("seqpoint-run", "run-2.csv"))
        os.remove(self.path("seqpoint-run", "points.json"))
        self.run_it("--resume", "seqpoint-run", "--max-processes", "2")
        self.assertEqual(self.read("projection.json"), before)
        self.assertEqual(len(self.record()["starts"]), 3)
        self.touch("seqpoint-run/order.csv")
        done = self.run_it("--resume", "seqpoint-run", status=3)
        self.assertIn("order.csv: has changed since the run made it", done.stderr)

    def test_an_order_that_is_made_again_and_differs(self):
        draw = when("changed", job(), job("--seed", "another"))
        self.run_it("--max-processes", "2", draw)
        before = self.read("points.json")
        self.touch("changed")
        os.remove(self.path("seqpoint-run", "order.csv"))
        self.run_it("--resume", "seqpoint-run", "--max-processes", "2")
        self.assertNotEqual(self.read("points.json"), before)
        self.assertEqual(len(self.record()["starts"]), 3)

    def test_another_place_is_refused(self):
        self.run_it("--max-processes", "2", "--", *job(), OMP_NUM_THREADS="3")
        os.mkdir(self.path("sub"))
        done = self.run_it("--resume", "../seqpoint-run", cwd="sub", status=2, OMP_NUM_THREADS="3")
        self.assertIn(f"begun in {self.folder}, and not in {self.path('sub')}", done.stderr)
        done = self.run_it("--resume", "seqpoint-run", status=2, OMP_NUM_THREADS="4")
        self.assertIn("with OMP_NUM_THREADS=3, and not with OMP_NUM_THREADS=4", done.stderr)
        path = f"{self.path('sub')}:{os.environ['PATH']}"
        os.symlink(PYTHON, self.path("sub", "python3"))
        done = self.run_it("--resume", "seqpoint-run", status=2, OMP_NUM_THREADS="3", PATH=path)
        self.assertIn(f"and not with python3={self.path('sub', 'python3')}", done.stderr)
        self.run_it("--resume", "seqpoint-run", OMP_NUM_THREADS="3", HF_TOKEN="secret", USER="else")
        self.assertNotIn(b"secret", self.read("run.json"))

    def test_what_is_no_folder_of_a_run_is_not_run(self):
        done = self.run_it("--resume", "touch ran", status=2)
        self.assertIn("--resume: there is no folder 'touch ran'", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_links_and_folders_of_others(self):
        self.run_it("--max-processes", "2", "--", *job())
        os.rename(self.path("seqpoint-run", "order.csv"), self.path("mine"))
        os.symlink(self.path("mine"), self.path("seqpoint-run", "order.csv"))
        done = self.run_it("--resume", "seqpoint-run", status=2)
        self.assertIn("order.csv is a symbolic link", done.stderr)
        if os.geteuid() == 0:
            os.mkdir(self.path("theirs"))
            os.chown(self.path("theirs"), 1, 1)
            done = self.run_it("-o", "theirs", "--", *job(), status=2)
            self.assertIn("theirs is another user's folder", done.stderr)

    def test_names_that_a_shell_would_split(self):
        done = self.run_it("-o", "it's mine", "--", *job())
        (command,) = re.findall(r"\nnext +seqpoint (.+)\n", done.stdout)
        self.run_it(*shlex.split(command)[1:])

    def test_a_name_that_is_no_utf_8(self):
        name = os.fsdecode(b"run\xff")
        os.mkdir(self.path(name))
        self.run_it("-o", name, "--", *job(), cwd=name)
        self.run_it("--resume", name, cwd=name)

    def test_what_the_companion_is_given_and_tells(self):
        words = [
            "--signature",
            "shapes:of",
            "--loader",
            "2",
            "--batches",
            "300",
            "--max-processes",
            "2",
        ]
        done = self.run_it("-v", *words, "--", *job("--do", "protect"))
        self.assertRegex(
            done.stderr,
            r"(?m)^order +DataLoader at train.py:41: 300 batches, .*; length = input_ids axis 1   ",
        )
        self.assertIn("order.log: the length leaves out labels axis 1\n", done.stderr)
        kept = "best.pt and runs/exp1 stayed as they were; 3 new files were removed"
        self.assertIn(f"\nfiles      {kept}\n", done.stdout)
        self.assertIn("\nuntouched  Comet was disabled\n", done.stdout)
        self.assertEqual(os.listdir(self.folder), ["seqpoint-run"], "what the job made is gone")
        order, measure, _ = [of["environment"] for of in self.record()["starts"]]
        wanted = {"HOOK": "order", "SIGNATURE": "shapes:of", "LOADER": "2", "BATCHES": "300"}
        for name, value in wanted.items():
            self.assertEqual(order[f"SEQPOINT_{name}"], value)
        self.assertEqual(order["SEQPOINT_MODE"], "measure", "it may go on")
        self.assertEqual(measure["SEQPOINT_MODE"], "measure")
        self.assertEqual(measure["SEQPOINT_BATCHES"], "300")
        self.assertEqual(
            (order["SEQPOINT_STRETCH"], order["SEQPOINT_PROCESS"]),
            (measure["SEQPOINT_STRETCH"], measure["SEQPOINT_PROCESS"]),
        )
        self.assertEqual(order["SEQPOINT_GOES_ON"], measure["SEQPOINT_OUTPUT"])
        self.assertIn("run-2.stretch.csv", self.record()["files"])
        self.assertNotIn("unfinished", self.names())

    def test_epochs(self):
        """An epoch of half the batches; the true seconds are those of fake_job.py's formula."""
        words = ["--epochs", "2", "--max-processes", "3", "--precision", "0.1%", "--points", "8"]
        done = self.run_it(*words, "--", *job("--level", "0", "--noise", "0.001"))
        rows = [line.split(",") for line in self.read("order.csv").decode().splitlines()[1:]]
        for epoch in (0, 1):
            true = sum(0.02 + 0.001 * int(row[2]) for row in rows if row[0] == str(epoch))
            (text,) = re.findall(rf"(?m)^epoch {epoch} +([\d.]+) s \(", done.stdout)
            self.assertAlmostEqual(float(text) / true, 1, delta=0.02)
        self.assertRegex(done.stdout, r"(?m)^2 epochs +[\d.]+ (s|min)")
        self.assertRegex(done.stdout, r"(?m)^cost .*; 2 epochs take ")


class Writes(Folder):
    """A program of the job changes old files: `run` stops after the first process."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("runs", "exp1"))
        for name in ("history.csv", "runs/exp1/best.pkl"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("1,2\n")

    def test_it_stops_and_names_them(self):
        done = self.run_it("--", *job("--do", "write"), status=3)
        changes = "history.csv was changed and runs was removed"
        self.assertIn(f"order.log: {changes}, by native code of the job", done.stderr)
        self.assertEqual(len(self.record()["starts"]), 1)
        self.assertEqual(self.record()["starts"][0]["changed"][0], "history.csv was changed")
        self.assertIn("--resume seqpoint-run --allow-writes", done.stderr)
        done = self.run_it("--resume", "seqpoint-run", "--max-processes", "2", status=3)
        self.assertIn("run-1.log: history.csv was changed, by native code", done.stderr)
        done = self.run_it("--resume", "seqpoint-run", "--allow-writes", "--max-processes", "2")
        self.assertIn(f"\nfiles      {changes}\n", done.stdout)

    def test_another_program_replaces_a_file(self):
        code = "echo new > x; mv x history.csv"
        command = f"sh -c '{code}' && {shlex.join(job())}"
        done = self.run_it("--", command, status=3)
        self.assertIn("history.csv was replaced, by native code", done.stderr)

    def test_new_files_are_removed_and_nothing_beside_them(self):
        """A folder that the job has made has a file of another program, which stays with it."""
        code = "import os; os.mkdir('out'); open('out/new', 'w').close(); os.mkdir('empty')"
        python = shlex.join([PYTHON, "-c", code])
        command = f"test -e out || {python}; sh -c 'echo mine > out/mine'; {shlex.join(job())}"
        self.run_it("--max-processes", "2", "--", command)
        self.assertEqual(os.listdir(self.path("out")), ["mine"])
        self.assertFalse(os.path.exists(self.path("empty")))

    def test_a_job_without_a_result_warns(self):
        command = f"sh -c 'echo 3 >> history.csv' && {shlex.join(job('--do', 'fail'))}"
        done = self.run_it("--", command, status=3)
        self.assertIn("warning: seqpoint-run/order.log: history.csv was changed\n", done.stderr)
        self.assertIn("before it trained on a batch", done.stderr)

    def test_files_that_other_programs_write_are_theirs(self):
        """The output of `run` itself, also through tee, and a log that another program has open."""
        for name in ("run.log", "other.log"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("earlier\n")
        options = "-v --max-processes 2 --precision 99%"
        script = (
            "exec 3>> other.log; (while echo x >&3; do sleep 0.05; done) & writer=$!\n"
            f"{PROGRAM} run {options} -- {shlex.join(job())} 2>&1 | tee -a run.log\n"
            "status=${PIPESTATUS[0]}; kill $writer; exit $status"
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=400,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("\nfiles ", done.stdout)

    def test_caches_and_new_files_are_no_changes(self):
        for name in (".cache", "__pycache__"):
            os.mkdir(self.path(name))
            with open(self.path(name, "x"), "w", encoding="utf-8") as file:
                file.write("earlier")
        code = "echo x > .cache/x; echo x > __pycache__/x; echo x > runs/new"
        done = self.run_it("--max-processes", "2", "--", f"{code}; {shlex.join(job())}")
        self.assertNotIn("\nfiles ", done.stdout)


class BadJobs(Folder):
    def fails(self, said, *options, status=3, words=()):
        done = self.run_it(*words, "--", *job(*options), status=status)
        self.assertIn(said, done.stderr)
        self.assertNotIn("internal", done.stderr)
        self.assertEqual(processes_of(self.folder), [])
        return done

    def test_a_command_that_does_not_exist(self):
        done = self.run_it("--", "no-such-program", "x", status=2)
        self.assertIn("no-such-program: there is no such program", done.stderr)
        self.assertFalse(os.path.exists(self.path("seqpoint-run")))
        done = self.run_it("a=no-such-program x", "b=true", status=3)
        self.assertIn("order.log: no-such-program: command not found\n", done.stderr)
        done = self.run_it("-o", "inner", "--", "bash", "no-such-script.sh", status=3)
        self.assertIn("a program or script of the job was not found (status 127)", done.stderr)
        done = self.run_it("-o", "inner", PYTHON, "train.py", "--lr", "1", status=2)
        self.assertIn("put -- before the command: seqpoint run -- COMMAND --lr\n", done.stderr)
        done = self.run_it("-o", "script", "--", "train.py", status=3)
        self.assertIn(": -- python3 train.py\n", done.stderr)
        done = self.run_it("-o", "again", "a=no-such-program x", "b=true", status=3)
        self.assertIn("  | sh: 1: no-such-program: not found\n", done.stderr)

    def test_a_crash_at_the_start(self):
        done = self.fails("the job ended with status 1 before it trained", "--do", "fail")
        self.assertIn("  | ModuleNotFoundError: no module named 'flash_attn'\n", done.stderr)
        self.assertIn("seqpoint-run/order.log: ", done.stderr)

    def test_a_corpus_on_standard_input(self):
        """The job gets none of it; a pipe without content, as of a shell in CI, says nothing."""
        for content, is_said in ((b"", False), (b"a sentence\n", True)):
            reading, writing = os.pipe()
            os.write(writing, content)
            command = [PROGRAM, "run", "-o", "given", "--", *job("--do", "fail")]
            done = subprocess.run(
                command, cwd=self.folder, stdin=reading, capture_output=True, text=True, check=False
            )
            os.close(reading)
            os.close(writing)
            self.assertEqual(done.returncode, 3)
            self.assertEqual("its standard input was empty" in done.stderr, is_said)
            self.assertEqual("let it read a file" in done.stderr, is_said)
            shutil.rmtree(self.path("given"))

    def test_a_crash_in_the_second_process(self):
        done = self.fails("run-2.log: the job ended with status 1 after", *CRASH)
        self.assertIn("  | Traceback: the GPU has fallen off the bus\n", done.stderr)
        self.assertIn("run-1.csv", self.names())
        self.assertNotIn("run-2.csv", self.names())

    def earlier_report(self):
        with open(self.path("gate.xml"), "w", encoding="utf-8") as file:
            file.write("<?xml version='1.0'?> of an earlier run, which passed")
        return self.path("gate.xml")

    def test_an_earlier_test_report_is_replaced_by_an_error(self):
        """If a signal ends the run, and if it is refused."""
        words = ["--export", "junit=gate.xml", "--", *job("--do", "sleep")]
        report = self.earlier_report()
        running = self.start("--grace", "1s", *words)
        wait_for(lambda: processes_of(self.folder))
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
        self.require_error(report)
        self.earlier_report()
        self.run_it("--resume", "nowhere", *words, status=2)
        self.require_error(report)
        with open(report, "w", encoding="utf-8") as file:
            file.write("of the user")
        self.run_it("--resume", "nowhere", *words, status=2)
        with open(report, encoding="utf-8") as file:
            self.assertEqual(file.read(), "of the user")

    def require_error(self, report):
        case = xml.etree.ElementTree.parse(report).getroot().find("testsuite/testcase")
        self.assertEqual(case.get("name"), "run: projected")
        self.assertIn("ended before it had a result", case.find("error").get("message"))

    def test_a_crash_is_an_error_in_the_test_report(self):
        report = self.earlier_report()
        builds = [build("old"), build("new", "--do", "crash", "--in", "new-2.csv")]
        done = self.run_it(
            "--max-regression",
            "3%",
            "--ci",
            "github",
            "--export",
            "junit=gate.xml",
            *builds,
            status=3,
        )
        suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("errors")), ("2", "1"))
        self.assertEqual(suite.find("testcase[1]/skipped").get("message"), "new failed")
        self.assertEqual(suite.find("testcase[2]").get("name"), "new: projected")
        self.assertIn("the job ended with status 1", suite.find("testcase/error").get("message"))
        self.assertIn("fallen off the bus", suite.find("testcase/error").get("message"))
        self.assertIn("the job ended with status 1", done.stderr)
        self.assertRegex(done.stdout, r"^::error .*the job ended with status 1")

    def test_a_job_that_is_killed(self):
        running = self.start("--", *job("--do", "hang", "--in", "run-1.csv"))
        wait_for(lambda: self.job_of("run-1.log") and "progress" in self.events())
        (pid,) = processes_of(self.folder)
        os.kill(pid, signal.SIGKILL)
        out, told = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 3, out + told)
        self.assertIn("the job was ended by signal 9 after", told)

    def events(self):
        for path in glob.glob(self.path("seqpoint-run", "unfinished", "events-*")):
            with open(path, encoding="utf-8") as file:
                return file.read()
        return ""

    def job_of(self, log):
        if not os.path.exists(self.path("seqpoint-run", log)):
            return 0
        return next(iter(processes_of(self.folder)), 0)

    def test_no_loader(self):
        self.fails("the job imported no PyTorch", "--do", "nothing")
        self.fails("for batch in seqpoint.iterate(batches):", "--do", "nothing")

    def test_no_hook(self):
        done = self.run_it("--", PYTHON, "-I", "-c", "print(1)", status=3)
        self.assertIn("the command started no Python that seqpoint could watch", done.stderr)
        self.assertIn("it must pass on PYTHONPATH", done.stderr)
        done = self.run_it("-o", "b", "--", "true", status=3)
        self.assertIn("the command started no Python that seqpoint could watch", done.stderr)

    def test_two_programs_at_once(self):
        self.fails("2 programs of the job train at once", "--do", "twice")

    def test_a_job_that_ends_before_its_plan(self):
        self.fails("the job ended before its plan", "--do", "end", "--in", "run-1.csv")

    def test_no_batch_comes(self):
        said = "the job fetched no batch within 3.000 s (--start-timeout) and was ended"
        self.fails(said, "--do", "sleep", words=["--start-timeout", "3s"])
        done = self.run_it(
            *("-o", "b", "--start-timeout", "3s", "--", *job("--do", "hang")), status=3
        )
        self.assertIn("no batch came for 3.000 s", done.stderr)

    def test_a_full_disk(self):
        self.fails("cannot be written: No space left", "--do", "full", status=4)

    def test_a_folder_that_is_read_only(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        os.mkdir(self.path("ro"), 0o555)
        self.run_it("-o", "ro/run", "--", *job(), status=4)
        self.run_it("-o", "ro", "--", *job(), status=4)

    def test_a_folder_that_cannot_be_made(self):
        done = self.run_it("-o", "no/such/place", "--", *job(), status=4)
        self.assertIn("no/such/place", done.stderr)

    def test_a_script_that_goes_on(self):
        """It would for 600 s, and `run_it` waits for 400 s."""
        self.run_it("--grace", "0.2s", "--", *job("--do", "go on"))
        self.assertEqual(processes_of(self.folder), [])

    def test_a_daemon(self):
        self.run_it("--", *job("--do", "daemon"))
        self.assertEqual(processes_of(self.folder), [])

    def test_usage(self):
        for said, *words in (
            ("the command of the job is missing",),
            ("two builds are called a", "a=true", "a=false"),
            ("a= has no command", "a="),
            ("and 'python3 x' does not", "a=true", "python3 x"),
            ("there is nothing to compare the job with", "--max-regression", "3%", "--", "true"),
            ("--max-time: 'soon' is no time", "--max-time", "soon", "--", "true"),
            ("--budget: what a batch takes is not known", "--budget", "15min", "--", "true"),
            ("unknown option --config", "python3", "train.py", "--config", "x"),
        ):
            self.assertIn(said, self.run_it(*words, status=2).stderr)
        self.assertEqual(os.listdir(self.folder), [])


CRASH = ("--do", "crash", "--in", "run-2.csv")


class Ends(Folder):
    """Signals at moments that a number determines, equal in every run of the test."""

    USUAL = 8
    MOMENTS = int(os.environ.get("MOMENTS", USUAL))

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            running = self.start("--grace", "1s", "--", *job("--do", "sleep"))
            wait_for(lambda: processes_of(self.folder))
            running.send_signal(number)
            running.communicate(timeout=30)
            self.assertEqual(running.returncode, 130)
            self.assertEqual(processes_of(self.folder), [])
            os.rename(self.path("seqpoint-run"), self.path(f"was-{number}"))

    def test_a_signal_leaves_the_estimate_and_the_way_on(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            running = self.start("--grace", "1s", "--", *job("--do", "hang", "--in", "run-2.csv"))
            wait_for(lambda: os.path.exists(self.path("seqpoint-run", "run-2.log")))
            running.send_signal(number)
            told = running.communicate(timeout=30)[1]
            self.assertRegex(told, r"(?m)^so far +epoch [\d.]+ ")
            self.assertRegex(told, r"(?m)^next +seqpoint run --resume seqpoint-run$")
            os.rename(self.path("seqpoint-run"), self.path(f"was-{number}"))

    def test_jobs_stay_in_the_session_and_so_in_its_group_of_the_scheduler(self):
        running = self.start("--", *job("--do", "sleep"))
        wait_for(lambda: processes_of(self.folder))
        self.assertEqual(os.getsid(processes_of(self.folder)[0]), os.getsid(running.pid))
        self.assertNotEqual(os.getpgid(processes_of(self.folder)[0]), os.getpgid(running.pid))
        running.terminate()
        running.communicate(timeout=30)

    def test_the_keeper_is_killed_as_well(self):
        sleeps = [PYTHON, "-c", "import time; time.sleep(600)"]
        running = self.start("--max-processes", "2", when("fixed", sleeps, job()) + "; true")
        wait_for(lambda: processes_of(self.folder))
        running.send_signal(signal.SIGSTOP)  # so that neither acts on the other's end
        for pid in (*keepers_of(running.pid), running.pid):
            os.kill(pid, signal.SIGKILL)
        running.communicate()
        (left,) = processes_of(self.folder)
        with open(self.path("fixed"), "w", encoding="utf-8"):
            pass
        # A killed keeper holds the folder until it is gone.
        wait_for(lambda: self.is_free("--max-processes", "2"))
        self.assertNotIn(left, processes_of(self.folder))

    def test_killed_at_any_moment(self):
        words = ["--precision", "0.01%", "--max-processes", "3", "--points", "4"]
        self.kill([*words, "--", *job("--pause", "0.004")])

    @unittest.skipIf(MOMENTS <= USUAL, "its starts take 11 s each")
    def test_killed_at_any_moment_of_one_start(self):
        words = ["--precision", "0.01%", "--max-processes", "2", "--points", "4"]
        self.kill([*words, "--", *job("--pause", "0.02", "--start", "10.5")])

    def kill(self, words):
        begun = time.monotonic()
        self.run_it(*words)
        whole, files = time.monotonic() - begun, self.made()
        os.rename(self.path("seqpoint-run"), self.path("undisturbed"))
        for n in range(self.MOMENTS):
            begun = os.path.exists(self.path("seqpoint-run", "run.json"))
            running = self.start(*(["--resume", "seqpoint-run"] if begun else []), *words)
            time.sleep((0.37 + n * 0.618034) % 1 * whole)
            ending.end(running, self.folder, n)
            if n % 4 == 3:
                self.finish(words, files)
        self.finish(words, files)
        self.assertEqual(processes_of(self.folder), [])

    def finish(self, words, files):
        if os.path.exists(self.path("seqpoint-run", "run.json")):
            wait_for(lambda: self.is_free(*words))
            self.assertEqual(self.made(), files)
            os.rename(self.path("seqpoint-run"), self.path(f"done-{time.monotonic_ns()}"))

    def is_free(self, *words):
        """Resumes the run; False if processes of the killed run have not ended yet."""
        running = self.start("--resume", "seqpoint-run", *words)
        out, told = running.communicate(timeout=400)
        if "has not ended yet" in told:
            return False
        self.assertEqual(running.returncode, 0, out + told)
        return True

    def made(self):
        """The bytes of all files, except those that contain dates or how long starts took."""
        names = [name for name in self.names() if not re.search(r"run\.json$|\.log$|\.html$", name)]
        return {name: self.read(name) for name in names}


if __name__ == "__main__":
    unittest.main()
