"""Jobs of any launcher, observed through the hook's environment variables only:

    hook_test.py SOURCE_DIR
"""

import csv
import gzip
import json
import os
import socket
import subprocess
import sys
import time
import unittest
from unittest import mock

from plans import SOURCE, InFolder

sys.path.insert(0, os.path.join(SOURCE, "tests", "warm"))
import warm  # noqa: E402

HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
SCRIPTS = os.path.join(SOURCE, "tests", "pytorch", "scripts")
PYTHON = sys.executable
# Programs that run before, during and after the one that trains; the last one also trains.
SEVERAL = f"""
{PYTHON} -c 'print("prepared")'
{PYTHON} -W ignore {SCRIPTS}/plain.py 1
echo "status $?"
{PYTHON} -W ignore {SCRIPTS}/plain.py 1
"""


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


# A job that leaves its loop after two of five batches.
LEAVES = """
import torch
loader = torch.utils.data.DataLoader(torch.ones(10, 3), batch_size=2)
model = torch.nn.Linear(3, 1)
optimiser = torch.optim.SGD(model.parameters(), 0.1)
for number, batch in enumerate(loader):
    model(batch).sum().backward()
    optimiser.step()
    if number == 1:
        break
"""


class HookedJob(InFolder):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def environment(self, verb, **more):
        own = {
            "PYTHONPATH": HOOK,
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": self.path("out.csv"),
            "SEQPOINT_REPORT": self.path("report"),
        }
        return {**os.environ, **own, **more}

    def run_job(self, command, verb, folder="", status=0, **more):
        done = subprocess.run(
            command,
            cwd=self.path(folder),
            env=self.environment(verb, **more),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def events(self, *kinds):
        with open(self.path("report"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return [event for event in events if event["event"] in kinds]

    def rows(self, name="out.csv"):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def job(self, script, *arguments):
        """A start with PyTorch imported; those of SEVERAL and of two ranks import it."""
        path = os.path.join(SCRIPTS, script)
        return [warm.python(path), "-W", "ignore", path, *arguments]

    def plain(self, *arguments):
        return self.job("plain.py", *arguments)

    def plan(self):
        """A plan of two points over the batches of the script's own order."""
        order = self.rows("order.csv")
        steps = []
        for index, (iteration, warmup) in enumerate([(3, True), (5, False), (9, False)]):
            rows = [int(row) for row in order[iteration]["rows"].split()]
            lengths = {name: int(order[iteration][name]) for name in ("src_len", "tgt_len")}
            steps.append({"index": index, "id": f"sp{index}", "iteration": iteration, "repeat": 0})
            steps[-1].update(warmup=warmup, batch_size=len(rows), rows=rows, weight=1, **lengths)
        self.write("plan.json", json.dumps({"schema": "seqpoint/plan/2", "steps": steps}))
        return self.path("plan.json")


class OnImport(HookedJob):
    def test_modules_that_are_looked_for_before_they_are_imported(self):
        """As packages do to know what is installed; one is a folder without a module."""
        self.write("looked_for.py", "value = 1")
        os.mkdir(self.path("only_a_folder"))
        self.write(
            "job.py",
            f"""
import importlib.util, sys
sys.path.append({os.path.join(SOURCE, "python")!r})
from seqpoint_companion.on_import import change_on_import
seen = []
change_on_import({{"looked_for": seen.append, "only_a_folder": seen.append}})
assert importlib.util.find_spec("looked_for") and importlib.util.find_spec("only_a_folder")
import looked_for, only_a_folder
assert seen == [looked_for], seen
""",
        )
        subprocess.run([PYTHON, self.path("job.py")], check=True)


class Hook(HookedJob):
    def test_a_shell_script_of_several_programs(self):
        done = self.run_job(["bash", "-c", SEVERAL], "order", SEQPOINT_LENGTHS="1")
        self.assertIn("prepared\n", done.stdout)
        self.assertIn("status 0\n", done.stdout)
        self.assertEqual(len(self.rows()), 20)
        self.assertEqual(len(self.events("started")), 3)
        self.assertEqual([event["batches"] for event in self.events("held")], [20])
        self.assertEqual([event["rows"] for event in self.events("done")], [20])
        (lengths,) = self.events("lengths")
        counted = "input_ids axis 1 + labels axis 1"
        self.assertEqual((lengths["counted"], lengths["uncounted"]), (counted, ""))
        self.assertFalse(os.path.exists(self.path("checkpoint")), "nothing was trained")

    def test_a_plan_is_measured_and_a_program_behind_it_trains_nothing(self):
        more = {"SEQPOINT_OUTPUT": self.path("order.csv"), "SEQPOINT_REPORT": self.path("of-order")}
        self.run_job(self.plain("1"), "order", SEQPOINT_LENGTHS="1", **more)
        self.run_job(
            ["bash", "-c", SEVERAL], "measure", SEQPOINT_PLAN=self.plan(), SEQPOINT_PROCESS="0"
        )
        measured = [row["point"] for row in self.rows() if row["warmup"] == "0"]
        self.assertEqual(measured, ["sp1", "sp2"])
        self.assertEqual(len(self.events("done")), 1)
        self.assertEqual(self.events("error"), [])
        self.assertFalse(os.path.exists(self.path("checkpoint")))

    def start_to_go_on(self, command):
        """A job that has made its order and waits for the plan."""
        variables = {
            "SEQPOINT_OUTPUT": self.path("order.csv"),
            "SEQPOINT_GOES_ON": self.path("out.csv"),
            "SEQPOINT_PLAN": self.path("plan.json"),
            "SEQPOINT_STRETCH": self.path("out.stretch.csv"),
            "SEQPOINT_PROCESS": "0",
            "SEQPOINT_LENGTHS": "1",
        }
        running = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment("order", **variables),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + 100
        while not (os.path.exists(self.path("report")) and self.events("ordered", "error")):
            self.assertIsNone(running.poll(), "it has not waited")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(self.events("error", "done"), [])
        return running

    def end_of(self, running):
        told = running.communicate(timeout=100)[1]
        self.assertEqual(running.returncode, 0, told)
        self.assertFalse(os.path.exists(self.path("checkpoint")), "nothing was trained")

    def test_an_order_goes_on_to_its_plan(self):
        """The rows are those of two starts, with workers that persist and without any."""
        for workers in ("0", "2"):
            with self.subTest(workers=workers), mock.patch.dict(os.environ, WORKERS=workers):
                running = self.start_to_go_on(self.plain("2"))
                self.assertFalse(os.path.exists(self.path("out.csv")))
                self.plan()
                self.end_of(running)
                order = self.rows("order.csv")
                kinds = [event["event"] for event in self.events("ordered", "goes on", "done")]
                self.assertEqual(kinds, ["ordered", "goes on", "done"])
                measured = [row for row in self.rows() if row["warmup"] == "0"]
                found = [(row["point"], row["iteration"]) for row in measured]
                self.assertEqual(found, [("sp1", "5"), ("sp2", "9")])
                stretch = self.rows("out.stretch.csv")
                iterations = [int(row["iteration"]) for row in stretch]
                self.assertEqual(iterations, list(range(20))[-len(stretch) :])
                self.assertGreater(len(stretch), 15)
                for row in stretch:
                    planned = order[int(row["iteration"])]
                    for name in ("rows", "src_len", "tgt_len", "batch_size"):
                        self.assertEqual(row[name], planned[name])
                alone = {"SEQPOINT_OUTPUT": self.path("alone.csv"), "SEQPOINT_LENGTHS": "1"}
                self.run_job(self.plain("1"), "order", SEQPOINT_REPORT="", **alone)
                self.assertEqual(self.rows("alone.csv"), order)
            for name in ("report", "out.csv", "order.csv", "plan.json"):
                os.remove(self.path(name))

    def test_a_loader_that_has_another_data_set_while_it_is_iterated(self):
        running = self.start_to_go_on(self.job("another_within.py"))
        self.plan()
        self.end_of(running)
        points = [row["point"] for row in self.rows() if row["warmup"] == "0"]
        self.assertEqual(points, ["sp1", "sp2"])
        self.assertGreater(len(self.rows("out.stretch.csv")), 15)

    def test_an_empty_plan_ends_it(self):
        running = self.start_to_go_on(self.plain("1"))
        self.write("plan.json", "")
        self.end_of(running)
        self.assertEqual(self.events("goes on", "done"), [])
        self.assertEqual(len(self.rows("order.csv")), 20)

    def test_a_job_that_cannot_go_on_ends_with_its_order(self):
        """It leaves its loop after two batches."""
        self.write("train.py", LEAVES)
        more = {"SEQPOINT_GOES_ON": self.path("other.csv"), "SEQPOINT_LENGTHS": "1"}
        self.run_job([PYTHON, "-W", "ignore", self.path("train.py")], "order", **more)
        self.assertEqual([event["rows"] for event in self.events("done")], [5])
        self.assertEqual(self.events("ordered"), [])

    def test_each_point_has_a_trace_and_no_row_of_it(self):
        more = {"SEQPOINT_OUTPUT": self.path("order.csv"), "SEQPOINT_REPORT": self.path("of-order")}
        self.run_job(self.plain("1"), "order", SEQPOINT_LENGTHS="1", **more)
        traces = {"SEQPOINT_TRACES": self.path("traces")}
        plan = {"SEQPOINT_PLAN": self.plan(), "SEQPOINT_PROCESS": "0"}
        self.run_job(self.plain("1"), "measure", **plan, **traces)
        self.assertNotIn("traced", [row["execution"] for row in self.rows()])
        self.assertEqual(
            sorted(os.listdir(self.path("traces"))), [f"out.sp{n}.json.gz" for n in (1, 2)]
        )
        for point in ("sp1", "sp2"):
            with gzip.open(self.path(f"traces/out.{point}.json.gz"), "rt") as file:
                trace = json.load(file)
            events = trace if isinstance(trace, list) else trace["traceEvents"]
            names = [event.get("name") for event in events]
            self.assertEqual(names.count(point), 1)
            self.assertTrue(any("backward" in str(name).lower() for name in names))

    def test_a_job_that_is_recorded_runs_to_its_own_end(self):
        self.run_job(self.plain("1", "3"), "record", status=3)
        self.assertEqual(len(self.rows()), 20)
        self.assertEqual([event["rows"] for event in self.events("done")], [20])
        self.assertTrue(os.path.exists(self.path("checkpoint")))

    def test_a_job_that_is_recorded_ends_after_an_epoch(self):
        self.run_job(self.plain("2", "3"), "record")
        self.assertEqual(len(self.rows()), 20)
        self.assertEqual([event["rows"] for event in self.events("done")], [20])
        self.assertFalse(os.path.exists(self.path("checkpoint")))

    def unheld(self, kind):
        return self.job("unheld.py", kind)

    def test_a_job_that_goes_into_the_background_is_held_there(self):
        self.run_job(self.unheld("daemon"), "order", SEQPOINT_LENGTHS="1")
        self.assertEqual(len(self.rows()), 20)
        (started,), (held,) = self.events("started"), self.events("held")
        self.assertNotEqual(started["pid"], held["pid"])

    def test_of_two_loaders_in_step_the_first_is_held_and_the_other_is_noted(self):
        self.run_job(self.unheld("two_loaders"), "record")
        self.assertEqual(len(self.rows()), 20)
        self.assertEqual({row["interrupted"] for row in self.rows()}, {""})
        texts = [event["text"] for event in self.events("note")]
        self.assertTrue(any("its time is in the row, its length is not" in of for of in texts))
        self.assertTrue(all(of["of_result"] for of in self.events("note")))

    def test_a_job_that_replaces_pythonpath_is_not_seen(self):
        command = ["env", "PYTHONPATH=/nowhere", *self.unheld("no_training")]
        self.run_job(command, "order", SEQPOINT_LENGTHS="1")
        self.assertFalse(os.path.exists(self.path("report")))

    def test_two_ranks(self):
        ranks = []
        port = free_port()
        for rank in ("0", "1"):
            more = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": "2"}
            more.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, SEQPOINT_LENGTHS="1")
            script = os.path.join(SCRIPTS, "distributed.py")
            command = [PYTHON, "-W", "ignore", script]
            environment = self.environment("order", **more)
            ranks.append(subprocess.Popen(command, cwd=self.folder, env=environment))
        self.assertEqual([rank.wait(timeout=120) for rank in ranks], [0, 0])
        self.assertIn("|", self.rows()[0]["rows"])
        self.assertEqual(sorted(event["rank"] for event in self.events("done")), [0, 1])
        self.assertEqual({event["world_size"] for event in self.events("held")}, {2})
        for row in self.rows():
            row = {name: int(value) for name, value in row.items() if name != "rows"}
            self.assertEqual((row["batch_size"], row["samples"], row["ranks"]), (4, 8, 2))
            one = 4 * (row["src_len"] + row["tgt_len"])  # of the rank with the longest batch
            self.assertLess(one, row["padded_tokens"])
            self.assertLessEqual(row["padded_tokens"], 2 * one)

    def test_a_sampler_that_draws_at_once_has_the_order_of_the_job(self):
        command = [PYTHON, "-W", "ignore", os.path.join(SCRIPTS, "eager_batches.py")]
        self.run_job(command, "")
        with open(self.path("seen.jsonl.0"), encoding="utf-8") as file:
            seen = [json.loads(line)["rows"] for line in file]
        self.run_job(command, "order", SEQPOINT_LENGTHS="1")
        order = [list(map(int, row["rows"].split())) for row in self.rows()]
        self.assertEqual(order, seen)

    def test_another_sitecustomize_runs_as_if_this_were_not_there(self):
        os.mkdir(self.path("own"))
        self.write("own/sitecustomize.py", "import sys\nsys.own = __name__, __file__\n")
        code = (
            "import sys, sitecustomize; print(sys.own, sitecustomize.__file__, 'torch' in "
            "sys.modules)"
        )
        path = os.pathsep.join([HOOK, self.path("own")])
        done = self.run_job([PYTHON, "-c", code], "order", PYTHONPATH=path)
        own = self.path("own/sitecustomize.py")
        self.assertEqual(done.stdout, f"{('sitecustomize', own)} {own} False\n")

    def test_the_job_finds_the_modules_that_it_finds_without(self):
        code = "import sys; print(sys.path)"
        with_hook = self.run_job([PYTHON, "-c", code], "order").stdout
        without = self.run_job([PYTHON, "-c", code], "").stdout
        self.assertEqual(with_hook, without)

    def test_a_process_that_trains_nothing_says_nothing(self):
        done = self.run_job([PYTHON, "-c", "print('own')"], "measure", SEQPOINT_PLAN="no.json")
        self.assertEqual((done.stdout, done.stderr), ("own\n", ""))
        self.assertEqual(
            [event["event"] for event in self.events("started", "held", "error")], ["started"]
        )

    def test_a_loader_that_is_left_alone_is_noted(self):
        self.run_job(self.unheld("no_loader"), "order")
        self.assertEqual(self.events("held"), [])

    def test_variables_that_are_wrong_end_the_process(self):
        for verb, more, said in (
            ("ordr", {}, "SEQPOINT_HOOK is 'ordr'"),
            ("measure", {}, "SEQPOINT_PLAN is not set"),
            ("order", {"SEQPOINT_BATCHES": "x"}, "SEQPOINT_BATCHES is 'x'"),
            ("order", {"SEQPOINT_OUTPUT": ""}, "SEQPOINT_OUTPUT is not set"),
        ):
            done = self.run_job([PYTHON, "-c", "print('own')"], verb, status=2, **more)
            self.assertIn(f"seqpoint: error: {said}\n  hint: set it to", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_plan_that_is_not_the_jobs_is_an_event(self):
        self.write("plan.json", "{}")
        self.run_job(self.plain("1"), "measure", status=3, SEQPOINT_PLAN=self.path("plan.json"))
        fault = f"{self.path('plan.json')}: schema is None, not 'seqpoint/plan/2'"
        events = [
            (event["fault"].split(": give")[0], event["status"]) for event in self.events("error")
        ]
        self.assertEqual(events, [(fault, 3)])


if __name__ == "__main__":
    unittest.main()
