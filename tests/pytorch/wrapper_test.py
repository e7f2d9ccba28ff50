"""Training scripts without any seqpoint code, from their batches to a projection by the wrapper:

    wrapper_test.py SOURCE_DIR EXE [TEST...]

The scripts (in scripts/) print the batches that they trained on, which are compared with the output
files. If transformers and Lightning are not installed, stand-ins for them are used (frameworks/),
and the output names them.
"""

import collections
import contextlib
import csv
import glob
import importlib.util
import io
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

EXE = os.path.abspath(sys.argv.pop(2))
from plans import SOURCE, InFolder, companion, torch, without_repeats

from seqpoint_companion import saying
from seqpoint_companion.loop import axes, frameworks
from seqpoint_companion.memory import PeakMemory
from seqpoint_companion.shapes import shapes_in

SCRIPTS, PACKAGE = os.path.join(SOURCE, "tests", "pytorch", "scripts"), os.path.join(
    SOURCE, "python"
)
sys.path.insert(0, SCRIPTS)
import corpus

LENGTHS = ("src_len", "tgt_len", "batch_size")
RECORDED = ("train.csv", "--sampler", "recorded:order=order.csv")
# `target`: whether the batch contains the target.
Script = collections.namedtuple(
    "Script", "name arguments ranks rows target", defaults=((), 1, True, True)
)
UNTOUCHED = [
    Script("plain", ("2",)),
    Script("accumulating"),
    Script("hugging_face"),
    Script("in_lightning"),
    Script("distributed", ranks=2),
    Script("streaming", rows=False, target=False),
]


def paths():
    """The path on which scripts find frameworks and the companion."""
    missing = any(importlib.util.find_spec(name) is None for name in ("transformers", "lightning"))
    stand_ins = [os.path.join(SOURCE, "tests", "pytorch", "frameworks")] if missing else []
    return os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), PACKAGE, *stand_ins])


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ranks_of(row):
    return [list(map(int, rows.split())) for rows in row["rows"].split("|")]


def lengths_of(row):
    return tuple(int(row.get(column) or 0) for column in LENGTHS)


class Jobs(InFolder):
    def start(self, words, seen, workers=0, ranks=1, module=(), **variables):
        """The processes of a job, as torchrun starts them."""
        together = (
            {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
            if ranks > 1
            else {}
        )
        for rank in range(ranks):
            said = {
                "SEEN": seen,
                "WORKERS": str(workers),
                "PYTHONPATH": paths(),
                "SEQPOINT_PROCESS": "0",
                **together,
                **variables,
            }
            yield subprocess.Popen(
                [sys.executable, "-W", "ignore", *module, *words],
                cwd=self.folder,
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={
                    **os.environ,
                    **said,
                    **({"RANK": str(rank), "LOCAL_RANK": str(rank)} if ranks > 1 else {}),
                },
            )

    def run_job(self, words, seen="seen", status=0, **how):
        """(output, errors) of the first process; all processes have to end with that status."""
        ends = [
            (job, *job.communicate(timeout=120)) for job in list(self.start(words, seen, **how))
        ]
        for job, out, errors in ends:
            self.assertEqual(job.returncode, status, f"{words}: {out}{errors}")
        return ends[0][1:]

    def wrapped(self, words, script, seen="seen", **how):
        return self.run_job(
            [*words, "--", os.path.join(SCRIPTS, f"{script.name}.py"), *script.arguments],
            seen,
            ranks=script.ranks,
            module=("-m", "seqpoint_companion"),
            **how,
        )

    def seqpoint(self, *words):
        done = subprocess.run(
            [EXE, "-q", *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write_manifest(self, samples=160):
        """The lengths of the scripts' data, row by row."""
        with open(self.path("train.csv"), "w", encoding="utf-8") as file:
            print(
                "src_len,tgt_len",
                *(f"{src},{tgt}" for src, tgt in corpus.Pairs(samples).lengths),
                sep="\n",
                file=file,
            )

    def plan(self, *run, points=3):
        self.seqpoint(
            "select", *run, "--points", str(points), "--processes", "1", "-o", "points.json"
        )
        shutil.rmtree(self.path("plan"), ignore_errors=True)
        self.seqpoint("plan", "points.json", "-o", "plan")
        with open(self.path(os.path.join("plan", "plan.json")), encoding="utf-8") as file:
            return json.load(file)["steps"]

    def saw(self, name):
        """The batches that each rank of a script reported, one by one."""
        ranks = []
        for path in sorted(glob.glob(self.path(f"{name}.[0-9]"))):
            with open(path, encoding="utf-8") as file:
                ranks.append([json.loads(line) for line in file])
        return list(zip(*ranks))


class Untouched(Jobs):
    def check_first_batches(self, name, bare):
        """An order trains until the optimiser has stepped and on two more, at most on six."""
        trained = self.saw(name)
        self.assertEqual(trained, bare[: len(trained)])
        self.assertLessEqual(len(trained), 6)

    def check(self, script, workers):
        """Compared with the script alone with as many workers.

        Persistent workers draw one random number less for a second epoch.
        """
        how = {"workers": workers}
        target = lambda told: told.get("tgt_len", 0) if script.target else 0
        lengths = lambda ranks: max(
            ((told["src_len"], target(told), told["batch_size"]) for told in ranks),
            key=lambda of: (of[0] + of[1]) * of[2],
        )
        rows = lambda ranks: [told["rows"] for told in ranks] if script.rows else [[]]
        self.run_job(
            [os.path.join(SCRIPTS, f"{script.name}.py"), *script.arguments],
            "bare",
            ranks=script.ranks,
            **how,
        )
        bare = self.saw("bare")

        self.wrapped(["record", "-o", "epoch.csv"], script, "recorded", **how)
        epoch = table(self.path("epoch.csv"))
        self.assertEqual(list(map(ranks_of, epoch)), list(map(rows, bare)))
        self.assertEqual(list(map(lengths_of, epoch)), list(map(lengths, bare)))
        self.assertEqual(self.saw("recorded"), bare, "it was not another run")
        first = sum(row["epoch"] == "0" for row in epoch)
        self.seqpoint("select", "epoch.csv", "--points", "2", "-o", "of-epoch.json")

        if script.rows and not workers:
            self.wrapped(["order", "-o", "order.csv"], script, "ordered", **how)
            self.check_first_batches("ordered", bare)
            self.assertEqual(
                list(map(ranks_of, table(self.path("order.csv"))))[:first],
                list(map(rows, bare))[:first],
            )
        self.wrapped(["order", "--lengths", "-o", "run.csv"], script, "read", **how)
        self.check_first_batches("read", bare)
        order = table(self.path("run.csv"))
        self.assertEqual(list(map(ranks_of, order))[:first], list(map(rows, bare))[:first])
        self.assertEqual(list(map(lengths_of, order))[:first], list(map(lengths, bare))[:first])

        self.write_manifest()
        steps = self.plan(*(RECORDED if script.rows and not workers else ["run.csv"]))
        self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"],
            script,
            "measured",
            **how,
        )
        self.assertEqual(
            [(row["point"], row["warmup"]) for row in without_repeats(table(self.path("new.csv")))],
            [
                (
                    "warm-up" if step["warmup"] and "first" not in step else step["id"],
                    str(int(step["warmup"])),
                )
                for step in steps
            ],
        )
        ran = iter([(rows(ranks), lengths(ranks)) for ranks in self.saw("measured")])
        for step in steps:
            planned = order[step["iteration"]]
            # This consumes `ran` up to the batch; repeated batches may come before it.
            self.assertIn((ranks_of(planned), lengths_of(planned)), ran)
        self.assertEqual(list(ran), [], "the process ends with the plan")
        profiles = ["new.csv", *(f"new.rank{rank}.csv" for rank in range(1, script.ranks))]
        self.seqpoint(
            "project",
            "points.json",
            "--allow-partial",
            *(word for path in profiles for word in ("--profile", f"new={path}")),
        )

    def test_scripts_go_through_the_commands_as_they_are(self):
        for script, workers in itertools.product(UNTOUCHED, (0, 2)):
            with self.subTest(
                script=script.name, workers=workers
            ), tempfile.TemporaryDirectory() as self.folder:
                self.check(script, workers)


class Interrupted(Jobs):
    """A script that validates in every seventh iteration of an epoch and saves in every tenth."""

    script = Script("interrupting")

    def test_a_trace_says_what_came_between(self):
        errors = self.wrapped(["record", "-o", "epoch.csv"], self.script)[1]
        between = {6: "validation", 13: "validation", 9: "checkpoint", 19: "checkpoint"}
        self.assertEqual(
            [row["interrupted"] for row in table(self.path("epoch.csv"))],
            [between.get(number, "") for number in range(20)] * 2,
        )
        for kind in ("validation", "checkpoint"):
            self.assertRegex(errors, f"marked: 4 iterations with {kind} in them, .* s in all")

    def test_a_plan_runs_such_batches_again(self):
        self.wrapped(["order", "--lengths", "-o", "run.csv"], self.script)
        steps = self.plan("run.csv")
        plan = os.path.join("plan", "plan.json")
        errors = self.wrapped(["measure", plan, "-o", "new.csv"], self.script)[1]
        rows = table(self.path("new.csv"))
        between = [row for row in rows if row["interrupted"]]
        self.assertGreater(len(between), 0)
        self.assertEqual({row["warmup"] for row in between}, {"1"})
        self.assertRegex(errors, r"left out: \d+ iterations with validation in them")
        planned = sorted(step["id"] for step in steps if not step["warmup"])
        measured = sorted(row["point"] for row in rows if row["warmup"] == "0")
        self.assertEqual(measured, planned)


class OwnOrder(Jobs):
    """A batch sampler that `seqpoint` does not know: its points and its epoch."""

    script, samples = Script("own_batches"), 800

    def test_an_order_of_ones_own_is_projected(self):
        self.write_manifest(self.samples)
        self.wrapped(["record", "-o", "epoch.csv"], self.script, "recorded")
        epoch = table(self.path("epoch.csv"))
        self.wrapped(["order", "-o", "order.csv"], self.script)
        self.assertEqual(
            [row["rows"] for row in table(self.path("order.csv"))], [row["rows"] for row in epoch]
        )
        steps = self.plan(*RECORDED, points=8)
        self.assertLess(len(steps), len(epoch) / 2)
        self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], self.script, "measured"
        )
        ran = [told["rows"] for told, in self.saw("measured")][1:]  # without the job's own first
        planned = [step["rows"] for step in steps]
        at = next(n for n, step in enumerate(steps) if not step["warmup"])  # repeated before it
        self.assertEqual(ran[: at - 1], planned[: at - 1])
        self.assertEqual(ran[at - len(steps) :], planned[at:])
        self.check_time(epoch)
        self.check_noiseless_cost(epoch, steps)

    def total(self, profile, metric):
        told = json.loads(
            self.seqpoint(
                "project",
                "points.json",
                "--profile",
                f"new={profile}",
                "--metric",
                metric,
                "--json",
                "--allow-partial",
            )
        )
        return told["configurations"][0]["metrics"][metric]["value"]

    def check_time(self, epoch):
        """Checks times with wide limits, because the machine may be shared."""
        projected, ran = self.total("new.csv", "runtime_s"), sum(
            float(row["runtime_s"]) for row in epoch
        )
        print(
            f"an order of one's own: {ran:.3f} s an epoch, {projected:.3f} s projected",
            file=sys.stderr,
        )
        self.assertTrue(ran / 3 < projected < ran * 3, (projected, ran))

    def check_noiseless_cost(self, epoch, steps):
        """The same rows with a cost that is a product of padded lengths."""
        lengths = corpus.Pairs(self.samples).lengths

        def cost(rows):
            src, tgt = (max(lengths[row][side] for row in rows) for side in (0, 1))
            return len(rows) * (1 + 0.1 * src + 0.2 * tgt + 0.01 * src * tgt)

        measured = without_repeats(table(self.path("new.csv")))
        with open(self.path("priced.csv"), "w", newline="", encoding="utf-8") as file:
            print(
                "point,warmup,cost",
                *(
                    f"{row['point']},{row['warmup']},{cost(step['rows'])}"
                    for row, step in zip(measured, steps)
                ),
                sep="\n",
                file=file,
            )
        self.assertAlmostEqual(
            self.total("priced.csv", "cost") / sum(cost(*ranks_of(row)) for row in epoch),
            1,
            delta=0.03,
        )


class Ends(Jobs):
    """The exit status of the job's process, and its messages."""

    plain = Script("plain", ("2", "3"))

    def test_output_arguments_and_status_are_the_scripts_own(self):
        bare = self.run_job([os.path.join(SCRIPTS, "plain.py"), "2", "3"], status=3)
        self.assertEqual(self.wrapped(["record", "-o", "epoch.csv"], self.plain, status=3), bare)
        self.assertTrue(os.path.exists(self.path("checkpoint")))
        self.assertIn("'2', '3'] scripts __main__ True 1\nthe process ends\n", bare[0])

    def test_a_module_is_run_as_python_does(self):
        module = ["-m", "scripts.plain", "1"]
        run = lambda words, **how: self.run_job(
            [*words, *module],
            PYTHONPATH=os.pathsep.join([os.path.dirname(SCRIPTS), SCRIPTS, paths()]),
            **how,
        )
        self.assertEqual(
            run(["record", "-o", "epoch.csv", "--"], module=("-m", "seqpoint_companion")), run([])
        )
        self.assertEqual(len(table(self.path("epoch.csv"))), 20)

    def test_an_order_ends_without_a_checkpoint(self):
        for more in ([], ["--lengths"]):
            out, errors = self.wrapped(["order", *more, "-o", "order.csv"], self.plain, workers=2)
            self.assertEqual(out, "the process ends\n")
            counted = "seqpoint: length = input_ids axis 1 + labels axis 1"
            said = [
                line for line in errors.splitlines() if "the job itself writes into" not in line
            ]
            self.assertEqual(
                said,
                [counted] * len(more)
                + [
                    "seqpoint: order.csv: 20 batches of DataLoader at plain.py:28",
                    "seqpoint: 20 iterations are few to choose from: let `record` time them all",
                ],
            )
            self.assertEqual(
                sorted(os.listdir(self.folder)), ["order.csv", "seen.0", "training.log"]
            )

    def test_an_order_goes_through_a_link_and_replaces_nothing_but_a_file(self):
        os.symlink("real.csv", self.path("link.csv"))
        os.mkfifo(self.path("pipe"))
        self.wrapped(["order", "-o", "link.csv"], self.plain)
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(len(table(self.path("real.csv"))), 20)
        with subprocess.Popen(
            ["wc", "-l", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True
        ) as reader:
            self.wrapped(["order", "-o", "pipe"], self.plain)
            self.assertEqual(reader.communicate()[0], "21 pipe\n")

    def test_what_cannot_be_read_or_written_is_said_before_the_job_begins(self):
        for words, status, said in (
            (["order", "-o", "no/x.csv"], 4, "no/x.csv: cannot be written"),
            (["record", "-o", "no/x.csv"], 4, "no/x.csv: cannot be written"),
            (["measure", "plan.json", "-o", "x.csv"], 3, "plan.json: cannot be read"),
            (["order", "--batches", "0", "-o", "x.csv"], 2, "--batches: invalid"),
        ):
            out, errors = self.wrapped(words, self.plain, status=status)
            self.assertEqual(out, "")
            self.assertRegex(errors, f"error: .*{said}")
            self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_no_plan_is_said_by_its_name(self):
        for name, text in (
            ("run.csv", "epoch,iteration,rows\n0,0,1 2\n"),
            ("points.json", '{"schema": "seqpoint/seqpoints/2"}'),
            ("empty", ""),
        ):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
            errors = self.wrapped(["measure", name, "-o", "new.csv"], self.plain, status=3)[1]
            self.assertRegex(
                errors,
                (
                    f"^seqpoint: error: {name}: (is not a plan|schema is '.*', not).*\n"
                    "  hint: give the plan.json of `seqpoint plan`\n$"
                ),
            )

    def test_inputs_are_never_outputs(self):
        script = os.path.join(self.folder, "train.py")
        shutil.copy(os.path.join(SCRIPTS, "plain.py"), script)
        with open(script, "rb") as file:
            before = file.read()
        with open(self.path("plan.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": "seqpoint/plan/2"}')
        for words, said in (
            (["record", "-o", "train.py"], "train.py: is an input"),
            (["record", "-o", "./train.py"], "train.py: is an input"),
            (["measure", "plan.json", "-o", "plan.json"], "plan.json: is an input"),
        ):
            errors = self.run_job(
                [*words, "--", "train.py"], status=2, module=("-m", "seqpoint_companion")
            )[1]
            self.assertIn(f"{said} of this command\n  hint: give -o a file of its own", errors)
        for job in (["train.py", "plan.json"], ["train.py", "--data=plan.json"]):
            self.assertIn(
                "is an input",
                self.run_job(
                    ["order", "-o", "plan.json", "--", *job],
                    status=2,
                    module=("-m", "seqpoint_companion"),
                )[1],
            )
        errors = self.run_job(
            ["order", "-o", "plan.json", "--", "train.py"],
            status=2,
            module=("-m", "seqpoint_companion"),
        )[1]
        self.assertIn("plan.json: exists, and another program wrote it", errors)
        with open(script, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_a_script_that_is_not_there_is_said(self):
        errors = self.run_job(
            ["order", "-o", "x.csv", "--", "train.pt"],
            status=2,
            module=("-m", "seqpoint_companion"),
        )[1]
        self.assertIn("error: train.pt: is not a readable script", errors)

    def test_ctrl_c_before_the_first_batch_is_an_interruption_and_nothing_else(self):
        with open(self.path("slow.py"), "w", encoding="utf-8") as file:
            file.write("import signal\nsignal.raise_signal(signal.SIGINT)\n")
        out, errors = self.run_job(
            ["record", "-o", "x.csv", "--", "slow.py"],
            status=130,
            module=("-m", "seqpoint_companion"),
        )
        self.assertEqual(
            errors, "seqpoint: interrupted before a DataLoader was iterated: nothing was written\n"
        )

    def test_a_plan_ends_without_a_checkpoint_and_leaves_what_was_written(self):
        self.wrapped(["order", "--lengths", "-o", "run.csv"], self.plain, "ordered")
        with open(self.path("training.log"), encoding="utf-8") as file:
            written = file.read()
        steps = self.plan("run.csv")
        out, _ = self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], self.plain, workers=2
        )
        self.assertEqual(out, "the process ends\n")
        self.assertFalse(os.path.exists(self.path("checkpoint")))
        with open(self.path("training.log"), encoding="utf-8") as file:
            self.assertEqual(file.read(), written)
        ran = table(self.path("new.csv"))
        self.assertGreaterEqual(len(ran), len(steps))
        self.assertEqual(len(self.saw("seen")), 1 + len(ran), "the job's own first batch")

    def test_a_job_that_ends_before_its_plan_says_so(self):
        self.wrapped(["order", "--lengths", "-o", "run.csv"], self.plain)
        steps = self.plan("run.csv", points=12)
        short = Script("plain", ("1",))
        errors = self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], short
        )[1]
        said = [line for line in errors.splitlines() if "the job itself writes into" not in line]
        self.assertEqual(said, [], "an epoch that is shorter than the plan is no end")
        self.assertGreater(len(steps), 20)
        fails = Script("unheld", ("fails",))
        self.wrapped(["order", "--lengths", "-o", "run.csv"], fails)
        self.plan("run.csv")
        errors = self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], fails, status=1
        )[1]
        self.assertRegex(
            errors,
            (
                r"(?s)ArithmeticError: the job's own.*seqpoint: error: the job ended by "
                r"ArithmeticError: the job's own \(unheld.py:103\): 4 of \d+ batches of the plan "
                r"had run\n$"
            ),
        )

    def test_a_failing_job_keeps_what_was_recorded_and_its_traceback(self):
        bare = self.run_job([os.path.join(SCRIPTS, "unheld.py"), "fails"], status=1)
        out, errors = self.wrapped(
            ["record", "-o", "epoch.csv"], Script("unheld", ("fails",)), status=1
        )
        self.assertEqual((out, errors), bare)
        self.assertEqual(len(table(self.path("epoch.csv"))), 5)

    def test_a_job_that_is_interrupted_keeps_what_was_recorded(self):
        errors = self.wrapped(
            ["record", "-o", "epoch.csv"], Script("unheld", ("interrupted",)), status=130
        )[1]
        self.assertIn("KeyboardInterrupt", errors)
        self.assertEqual(len(table(self.path("epoch.csv"))), 5)

    def test_what_cannot_be_held_is_said(self):
        for kind, command, status, said in (
            (
                "no_loader",
                ["order"],
                1,
                (
                    r"no DataLoader was iterated in this process while gradients were on\n"
                    r"  hint: use Plan and Recorder in the script"
                ),
            ),
            ("no_loader", ["record"], 1, r"no DataLoader was iterated"),
            ("usage", ["order"], 2, r"the job ended with status 2 before it trained on a batch"),
            (
                "prefetching",
                ["record"],
                2,
                (
                    r"2 batches came before the first backward pass, and the job still had the "
                    r"others: if it fetches ahead, use Plan and Recorder"
                ),
            ),
            ("names", ["order"], 2, r"the sampler hands out no row numbers but \['n0', 'n1'"),
            (
                "endless",
                ["order"],
                2,
                r"the sampler of .* has delivered 1,000,00\d rows, and does not end",
            ),
            *(
                (
                    "no_training",
                    [verb],
                    1,
                    r"the job trained on no batch of a DataLoader: DataLoader at unheld.py:96 "
                    r"\(20 of 20 batches, no backward pass\)\n"
                    r"  hint: check that the command trains",
                )
                for verb in ("record", "order")
            ),
        ):
            with self.subTest(kind=kind, command=command):
                errors = self.wrapped(
                    [*command, "-o", "out.csv"], Script("unheld", (kind,)), status=status
                )[1]
                self.assertRegex(errors, f"seqpoint: error: {said}")
                self.assertFalse(os.path.exists(self.path("out.csv")))
        errors = self.wrapped(["order", "-o", "out.csv"], Script("streaming"), status=2)[1]
        self.assertIn(
            "error: Stream is an IterableDataset, which has no rows: say --lengths", errors
        )

    def test_a_pass_that_trains_nothing_is_not_recorded(self):
        for how in ([], ["--loader", "2"]):
            self.wrapped(
                ["record", *how, "-o", "epoch.csv"], Script("unheld", ("statistics_first",)), "seen"
            )
            rows = [ranks_of(row) for row in table(self.path("epoch.csv"))]
            self.assertEqual(rows, [[told["rows"]] for told, in self.saw("seen")][-20:])
            self.assertEqual({row["epoch"] for row in table(self.path("epoch.csv"))}, {"0"})
        self.wrapped(
            ["order", "--loader", "2", "-o", "order.csv"], Script("unheld", ("statistics_first",))
        )
        self.assertEqual([ranks_of(row) for row in table(self.path("order.csv"))], rows)

    def test_a_batch_that_one_rank_looks_at_alone_is_not_waited_for(self):
        for name, arguments in (("plain.csv", ()), ("looked.csv", ("look",))):
            self.wrapped(["record", "-o", name], Script("distributed", arguments, ranks=2))
        plain, looked = (
            [(row["epoch"], *ranks_of(row), *lengths_of(row)) for row in table(self.path(name))]
            for name in ("plain.csv", "looked.csv")
        )
        self.assertEqual(looked, plain)
        self.assertEqual(len({row[0] for row in plain}), 2)

    def test_ranks_with_other_numbers_of_batches_are_told(self):
        errors = self.wrapped(
            ["order", "--lengths", "-o", "run.csv"],
            Script("distributed", ("uneven",), ranks=2),
            status=2,
        )[1]
        self.assertIn(
            "seqpoint: error: the ranks of the job are at different batches: batch "
            "9, the end of the epoch. All ranks need the same number of batches",
            errors,
        )

    def test_as_many_batches_as_are_asked_for(self):
        for more in ([], ["--lengths"]):
            self.wrapped(
                ["order", *more, "--batches", "30", "-o", "order.csv"],
                Script("unheld", ("endless",)),
            )
            self.assertEqual(len(table(self.path("order.csv"))), 30)

    def test_lengths_by_a_function_of_the_jobs(self):
        with open(self.path("lengths_of_job.py"), "w", encoding="utf-8") as file:
            file.write(
                "def lengths(batch):\n    return {'tokens': batch['labels'].numel(), "
                "'batch_size': len(batch['rows'])}\n"
            )
        self.wrapped(
            ["order", "--lengths", "--signature", "lengths_of_job:lengths", "-o", "run.csv"],
            Script("plain", ("1",)),
            PYTHONPATH=os.pathsep.join([self.folder, paths()]),
        )
        self.assertEqual(
            list(table(self.path("run.csv"))[0]),
            ["epoch", "iteration", "rows", "tokens", "batch_size"],
        )

    def measured_in(self, name, old, new):
        """The error for the plan in that script after one of its words was replaced."""
        with open(os.path.join(SCRIPTS, f"{name}.py"), encoding="utf-8") as script, open(
            self.path("other.py"), "w", encoding="utf-8"
        ) as other:
            text = script.read()
            self.assertIn(old, text)
            other.write(text.replace(old, new))
        return self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"],
            Script(self.path("other"), ("1",)),
            status=3,
            PYTHONPATH=os.pathsep.join([SCRIPTS, paths()]),
        )[1]

    def test_another_batch_size_or_data_set_than_the_plans_is_refused(self):
        self.write_manifest()
        for name, said, data in (
            ("plain", "batch_size", "Pairs()"),
            ("hugging_face", "per_device_train_batch_size", "Pairs(152)"),
        ):
            self.wrapped(["order", "-o", "order.csv"], Script(name, ("1",)))
            self.plan(*RECORDED)
            for size in (4, 16):
                self.assertIn(
                    (
                        "plan.json has batches of 8 samples, this job has a batch size of "
                        f"{size}: start it with the plan's, or make order"
                    ),
                    self.measured_in(name, f"{said}=8", f"{said}={size}"),
                )
            self.assertRegex(
                self.measured_in(name, data, "Pairs(40)"),
                r"error: .*plan.json names row \d+, counted from 0; the data set has 40 samples",
            )

    def test_a_short_last_batch_may_be_all_of_a_plan(self):
        self.write_manifest()
        with open(self.path("order.csv"), "w", encoding="utf-8") as file:
            print("rows", "1 2 3", sep="\n", file=file)
        self.plan(*RECORDED, points=1)
        self.wrapped(["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], self.plain)

    def test_a_plan_of_a_longer_epoch_is_refused(self):
        self.wrapped(["order", "--lengths", "-o", "run.csv"], Script("streaming"))
        self.plan("run.csv", points=30)
        errors = self.wrapped(
            ["measure", os.path.join("plan", "plan.json"), "-o", "new.csv"], self.plain, status=3
        )[1]
        self.assertRegex(
            errors,
            (
                r"plan.json is of a longer epoch, with \d+ samples a batch: this job's has 20 "
                r"batches, 160 rows"
            ),
        )

    def test_peak_memory_without_a_gpu(self):
        self.wrapped(["record", "--peak-memory", "-o", "epoch.csv"], Script("plain", ("1",)))
        peaks = {
            int(row["peak_bytes"]): (int(row["src_len"]) + int(row["tgt_len"]))
            for row in table(self.path("epoch.csv"))
        }
        self.assertGreater(min(peaks), 4 * (50 * 8 + 50 * 8 + 50), "the parameters")
        self.assertGreater(peaks[max(peaks)], peaks[min(peaks)])

    def test_a_job_that_leaves_the_gpu_alone_is_not_profiled_for_its_being_there(self):
        with open(self.path("sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("import torch\ntorch.cuda.is_available = lambda: True\n")
        self.wrapped(
            ["record", "-o", "epoch.csv"],
            Script("plain", ("1",)),
            PYTHONPATH=os.pathsep.join([self.folder, paths()]),
        )
        self.assertNotIn("peak_bytes", table(self.path("epoch.csv"))[0])

    def test_the_job_has_to_be_there(self):
        errors = self.run_job(
            ["order", "-o", "order.csv"], status=2, module=("-m", "seqpoint_companion")
        )[1]
        self.assertIn("the job is missing: ... -- train.py ARGUMENTS", errors)


def lengths_in(batches, samples=None):
    """The result of Lengths for batches, after it has seen them."""
    found = axes.Lengths()
    for number, batch in enumerate(batches):
        if not found.ways:
            found.see(shapes_in(batch), samples[number] if samples else None)
    return [found.of(shapes_in(batch)) for batch in batches]


def zeros(*shape):
    return torch.zeros(shape)


class TakenLengths(unittest.TestCase):
    def check(self, batches, expected, samples=None):
        columns = (
            ["src_len", "tgt_len", "batch_size"]
            if len(expected[0]) == 3
            else ["src_len", "batch_size"]
        )
        self.assertEqual(lengths_in(batches, samples), [dict(zip(columns, of)) for of in expected])

    def test_tensors_that_are_named(self):
        batch = lambda n, m: {
            "labels": zeros(4, m),
            "input_ids": zeros(4, n),
            "attention_mask": zeros(4, n),
        }
        self.check([batch(7, 7), batch(9, 6)], [(7, 7, 4), (9, 6, 4)], [4, 4])
        self.check(
            [batch(n, n) for n in range(3, 13)], [(n, 4) for n in range(3, 13)], [4] * 10
        )  # a language model has no target

    def test_a_mask_of_heads_has_its_length_where_it_varies(self):
        self.check(
            [{"attention_mask": zeros(2, 1, n, n)} for n in range(5, 14)],
            [(n, 2) for n in range(5, 14)],
            [2] * 9,
        )

    def test_tuples_of_a_batch_and_of_two_samples(self):
        self.check(
            [(zeros(2, 8), zeros(2, 5)), (zeros(2, 6), zeros(2, 9))], [(8, 5, 2), (6, 9, 2)], [2, 2]
        )
        self.check(
            [(zeros(8, 4), zeros(5, 4)), (zeros(6, 4), zeros(9, 4))], [(8, 5, 4), (6, 9, 4)], [4, 4]
        )  # time first

    def test_features_are_no_lengths(self):
        self.check(
            [(zeros(4, 80, n), zeros(4, n // 2)) for n in (30, 50)],
            [(30, 15, 4), (50, 25, 4)],
            [4, 4],
        )
        self.check(
            [(zeros(4, n, 80), zeros(4)) for n in range(30, 39)],
            [(n, 4) for n in range(30, 39)],
            [4] * 9,
        )

    def test_samples_that_are_not_padded(self):
        self.check(
            [[zeros(n), zeros(n - 1), zeros(2)] for n in range(3, 12)],
            [(n, 3) for n in range(3, 12)],
            [3] * 9,
        )
        packed = lambda n: torch.nn.utils.rnn.pack_sequence([zeros(n), zeros(n - 1)])
        self.check([packed(n) for n in range(3, 12)], [(n, 2) for n in range(3, 12)], [2] * 9)

    def test_one_length_is_settled_after_some_batches(self):
        self.check([{"x": zeros(4, 16)}] * 9, [(16, 4)] * 9, [4] * 9)

    def test_batches_of_one_length_come_first(self):
        batches = [(zeros(4, 80, n), zeros(4)) for n in [300] * 8 + [290]]
        self.check(batches, [(300, 4)] * 8 + [(290, 4)], [4] * 9)

    def test_a_batch_without_lengths_is_said(self):
        one_length_first = [
            (zeros(4, 3, n), zeros(4)) for n in [5] * 1000 + [4]
        ]  # by then the features have been chosen as the length
        for batches in (
            one_length_first,
            [{"x": zeros(4)}],
            [{"x": zeros(5, 6)}],
            [{"input_ids": zeros(4, n)} for n in range(2, 10)] + [{"x": zeros(4, 3)}],
        ):
            with unittest.mock.patch.object(
                saying, "leave", side_effect=SystemExit
            ), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertRaises(SystemExit, lengths_in, batches, [4] * len(batches))
            self.assertIn("say --signature module:function", said.getvalue())


class Peaks(unittest.TestCase):
    def test_of_a_cpu_it_is_what_there_was_and_what_came(self):
        kept, memory = torch.zeros(1 << 20), PeakMemory()
        memory.begin()
        for _ in range(3):
            torch.zeros(1 << 18)
        first = memory.end()
        memory.begin()
        torch.zeros(1 << 19)
        self.assertEqual(memory.end() - first, 4 * (1 << 18))
        self.assertGreaterEqual(first, 4 * (kept.numel() + (1 << 18)))

    def test_an_iteration_that_is_left_leaves_no_profiler_behind(self):
        recorder = companion.Recorder(os.devnull, lambda batch: {"src_len": 1}, peak_memory=True)
        for _ in recorder([1, 2]):
            self.assertTrue(torch.autograd._profiler_enabled())
            break
        self.assertFalse(torch.autograd._profiler_enabled())

    def test_of_a_gpu_its_allocator_is_asked(self):
        cuda = unittest.mock.MagicMock()
        cuda.is_available.return_value = cuda.is_initialized.return_value = True
        cuda.max_memory_allocated.return_value = 4711
        with unittest.mock.patch.object(torch, "cuda", cuda):
            memory = PeakMemory()
            memory.begin()
            self.assertEqual(memory.end(), 4711)
        self.assertEqual(
            [call[0] for call in cuda.method_calls if "memory" in call[0]],
            ["reset_peak_memory_stats", "max_memory_allocated"],
        )


class Frameworks(unittest.TestCase):
    def test_trainers_are_known_by_their_modules(self):
        of = lambda module, name="Trainer": type(
            "Mine", (type(name, (), {"__module__": module}),), {}
        )()
        self.assertEqual(
            [
                frameworks.framework_of(of(module))
                for module in (
                    "transformers.trainer",
                    "lightning.pytorch.trainer",
                    "pytorch_lightning",
                )
            ],
            ["transformers", "lightning", "lightning"],
        )
        self.assertIsNone(frameworks.framework_of(of("mine")))
        self.assertIsNone(frameworks.framework_of(of("transformers", "Model")))
        self.assertIsNone(
            frameworks.framework_of(types.SimpleNamespace(trainer=of("transformers")))
        )


if __name__ == "__main__":
    if "frameworks" in paths():
        print("transformers and lightning are not installed: stand-ins for them", file=sys.stderr)
    unittest.main()
