"""Which loop of a job is held, and what is said of it:

    training_test.py SOURCE_DIR

The truth is what the job trains on without the companion, which it writes itself.
"""

import ast
import csv
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import types
import unittest
import unittest.mock

from plans import SOURCE, InFolder, torch  # noqa: F401

sys.path[:0] = [os.path.join(SOURCE, "tests", *of) for of in (("pytorch", "scripts"), ("warm",))]
import warm  # noqa: E402
from corpus import Network  # noqa: E402

from seqpoint_companion.loop import draws, early_end, position, stretch

HOOK = os.path.join(SOURCE, "python", "seqpoint_companion", "hook")
SCRIPT = os.path.join(SOURCE, "tests", "pytorch", "scripts", "loops.py")
BATCHES = 20  # of an epoch


def lines_of(text):
    """The numbers of the script's lines with this text."""
    with open(SCRIPT, encoding="utf-8") as file:
        return [n for n, of in enumerate(file, 1) if text in of]


class Jobs(InFolder):
    script = SCRIPT

    def run_job(self, kind, verb="", status=0, **more):
        """Runs a job under the hook. Its events are those of this run."""
        own = {
            "PYTHONPATH": HOOK,
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": self.path("out.csv"),
            "SEQPOINT_REPORT": self.path("report"),
            "SEQPOINT_LENGTHS": "1",
            "SEEN": self.path("seen"),
        }
        for name in ("report", "seen.0", "out.csv"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        done = subprocess.run(
            [warm.python(self.script), "-W", "ignore", self.script, kind],
            cwd=self.folder,
            env={**os.environ, **own, **more},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def events(self, kind):
        with open(self.path("report"), encoding="utf-8") as file:
            return [event for event in map(json.loads, file) if event["event"] == kind]

    def notes(self):
        """What reaches the user about the result."""
        notes = [event["text"] for event in self.events("note") if event["of_result"]]
        return notes + [text for text, _ in self.warnings()]

    def warnings(self):
        """[(what contradicts a result, the option that settles it)]"""
        return [(event["text"], event["option"]) for event in self.events("warning")]

    def seen(self):
        """The rows of each batch that the model got in training mode."""
        with open(self.path("seen.0"), encoding="utf-8") as file:
            return [json.loads(line)["rows"] for line in file]

    def table(self, name="out.csv"):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def rows(self, name="out.csv"):
        return [list(map(int, row["rows"].split())) for row in self.table(name)]

    def plan(self, iterations=(3, 5, 9)):
        """A plan of points over batches of the order that was just made; the first warms up."""
        steps = []
        for index, iteration in enumerate(iterations):
            row = self.table()[iteration]
            sizes = {name: int(row[name]) for name in ("src_len", "tgt_len", "batch_size")}
            step = {"index": index, "id": f"sp{index}", "iteration": iteration, "repeat": 0}
            step.update(warmup=index == 0, weight=1, **sizes)
            step["rows"] = list(map(int, row.get("rows", "").split()))  # none of a stream
            steps.append(step)
        with open(self.path("plan.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": "seqpoint/plan/2", "steps": steps, "processes": 9}, file)
        return self.path("plan.json")


class Held(Jobs):
    def check(self, kind, before, line, skipped=0):
        """Of the job's first epoch all verbs hold the same batches.

        `before`: batches that the model gets before that epoch; `skipped`: that it never gets.
        """
        self.run_job(kind)
        epoch = self.seen()[before : before + BATCHES - skipped]
        self.run_job(kind, "order")
        order = self.rows()
        self.assertEqual(len(order), BATCHES)
        self.assertEqual(order[skipped:], epoch)
        self.assertLessEqual(len(self.seen()), before + 5, "the rest was not trained on")
        (held,) = self.events("held")
        self.assertEqual(held["loader"], f"DataLoader at loops.py:{line}")
        notes = self.notes()
        plan = self.plan()
        self.run_job(kind, "measure", SEQPOINT_PLAN=plan, SEQPOINT_PROCESS="0")
        points = {row["point"]: row for row in self.table() if row["warmup"] == "0"}
        self.assertEqual(list(points), ["sp1", "sp2"])
        self.assertEqual(self.seen()[-1], order[9], "the plan's last batch was the job's last")
        self.run_job(kind, "record")
        self.assertEqual(self.rows(), epoch)
        numbers = [int(row["iteration"]) for row in self.table()]
        self.assertEqual(numbers, list(range(skipped, BATCHES)))
        return notes

    def test_a_pass_that_counts_tokens_is_let_through(self):
        line = lines_of("for batch in batches:")[0]
        self.assertEqual(self.check("counts_first", 0, line), [])

    def test_a_check_of_other_data_is_let_through_also_if_it_stays_open(self):
        line = lines_of("enumerate(loader())")[0]
        self.assertEqual(self.check("checks_data", 0, line), [])
        self.assertEqual(self.check("looks_at_a_batch", 0, line), [])

    def test_backward_passes_without_a_step_are_no_training(self):
        line = lines_of("enumerate(loader())")[0]
        self.assertEqual(self.check("searches_a_rate", BATCHES, line), [])

    def test_the_epoch_of_a_job_that_resumes_is_that_of_all_batches(self):
        line = lines_of("enumerate(loader())")[0]
        said = f"DataLoader at loops.py:{line} trains from batch 13 of 20 (resumed?): the epoch is "
        self.assertEqual(self.check("resumes", 0, line, skipped=12), [f"{said}that of all"])
        self.assertIn("trains from batch 13 (resumed?): this is not a whole", self.notes()[0])

    def test_a_loader_without_the_first_batches(self):
        self.run_job("skips_first")
        rest = self.seen()[: BATCHES - 12]
        self.run_job("skips_first", "order")
        self.assertEqual(len(self.rows()), BATCHES)
        self.assertEqual(self.rows()[12:], rest)
        self.assertIn("trains from batch 13 of 20", self.notes()[0])

    def test_a_loader_with_the_state_of_a_checkpoint_is_refused(self):
        self.run_job("loads_a_state", "order", status=2)
        self.assertIn("goes on from a checkpoint, after batch 7", self.events("error")[0]["fault"])

    def test_a_validation_before_training_is_let_through(self):
        line = lines_of("enumerate(loader())")[0]
        self.assertEqual(self.check("validates_first", 0, line), [])

    def test_graphs_and_parameters_are_counted(self):
        self.run_job("compiles", "order")
        self.assertEqual(self.events("done")[0]["compilations"], 7)
        (held,) = self.events("held")
        self.assertGreater(held["batch_s"], 0)
        self.assertEqual(held["parameters"], sum(of.numel() for of in Network().parameters()))

    def test_parameters_beside_those_that_are_trained_leave_the_number_unknown(self):
        self.run_job("has_a_teacher", "order")
        self.assertIsNone(self.events("held")[0]["parameters"])

    def test_batches_of_one_length_before_others(self):
        lengths = [5] * 12 + list(range(13, 70, 8))
        for verb in ("order", "record"):
            self.run_job("sorts_frames", verb)
            self.assertEqual([int(row["src_len"]) for row in self.table()], lengths, verb)

    def test_batches_without_a_backward_pass_at_the_start(self):
        self.run_job("warms_up", "order")
        self.assertEqual(len(self.rows()), BATCHES)
        self.assertIn("trains from batch 6 of 20", self.warnings()[0][0])
        self.run_job("warms_up", "record")
        numbers = [int(row["iteration"]) for row in self.table()]
        self.assertEqual(numbers, list(range(5, BATCHES)))

    def test_a_job_that_breaks_off(self):
        self.run_job("trains_once", "order")
        self.assertEqual(len(self.rows()), BATCHES)
        ((text, option),) = self.warnings()
        self.assertRegex(text, "ends after 1 of the 20 batches of DataLoader at loops.py:[0-9]+$")
        self.assertEqual(option, "--batches 1")
        self.run_job("trains_once", "order", SEQPOINT_BATCHES="5")
        self.assertEqual(self.warnings(), [])
        self.run_job("trains_once", "record")
        self.assertIn("after 1 of its 20 batches", self.warnings()[0][0])
        self.assertEqual([event["last"] for event in self.events("part")], [1])

    def test_a_job_that_trains_on_nothing_is_told_what_was_seen(self):
        for verb in ("order", "record"):
            self.run_job("trains_on_nothing", verb)
            self.assertEqual(self.events("held") + self.events("error"), [])
            (told,) = self.events("untrained")
            self.assertIn("(20 of 20 batches, no backward pass)", told["fault"])
            self.assertIn("check that the command trains", told["hint"])

    def test_a_job_without_a_step_is_ended_after_many_batches(self):
        self.run_job("never_steps", "order", status=2)
        (error,) = self.events("error")
        self.assertIn("1000 batches had a backward pass, and no optimiser made", error["fault"])
        self.assertIn("check that it calls step()", error["hint"])


class EarlyEnds(unittest.TestCase):
    def leaves(self, body):
        (loop_,) = ast.parse(body).body
        return any(map(early_end.leaves, loop_.body))

    def test_of_a_loop(self):
        self.assertTrue(self.leaves("for b in l:\n  if b:\n    break\n"))
        self.assertTrue(self.leaves("for b in l:\n  while 1:\n    return b\n"))
        self.assertTrue(self.leaves("for b in l:\n  for c in b: pass\n  else: break\n"))

    def test_of_what_is_within_it(self):
        self.assertFalse(self.leaves("for b in l:\n  for c in b:\n    break\n"))
        self.assertFalse(self.leaves("for b in l:\n  def f():\n    return 1\n"))

    def after(self, body, **names):
        """As if the loop had run with three of 100 batches."""
        (loop_,) = ast.parse(body).body
        frame = types.SimpleNamespace(f_globals={}, f_locals=names)
        return early_end.leaves_after(loop_, frame, 3, 100)

    def test_the_number_of_batches(self):
        """Each loop is also run, with a call of work() for a batch that is trained on."""
        cases = [
            ("for i, b in enumerate(l):\n  if i == 40: break\n  work()\n", {"i": 2}),
            ("for i, b in enumerate(l, 1):\n  work()\n  if i >= 40: break\n", {"i": 3}),
            ("for b in l:\n  n += 2\n  work()\n  if n > 81: break\n", {"n": 0}),
            ("for b in l:\n  if n == 7: break\n  work()\n  n += 1\n", {"n": 0}),
            ("for b in l:\n  work()\n  n += 1\n  if most and n == most: break\n", {"n": 0}),
        ]
        for body, names in cases:
            names = {**names, "most": 33}
            done, upto = [], {"l": range(3), "work": lambda: done.append(1), **names}
            exec(body, upto)
            now = {name: upto[name] for name in names}
            done.clear()
            exec(body, {"l": range(100), "work": lambda: done.append(1), **names})
            self.assertEqual(self.after(body, l=None, **now), len(done), body)

    def test_what_cannot_be_known(self):
        self.assertEqual(self.after("for b in l:\n  if work(): break\n"), early_end.UNKNOWN)
        self.assertEqual(self.after("for b in l:\n  if isnan(b): break\n"), None)
        self.assertEqual(self.after("for i, b in enumerate(l):\n  if i > 500: break\n", i=2), None)
        self.assertEqual(self.after("for b in islice(l, 60): pass\n"), 60)
        self.assertEqual(self.after("for b in zip(range(n), l): pass\n", n=61), 61)
        self.assertEqual(self.after("for b in islice(l, f()): pass\n"), early_end.UNKNOWN)


class Epochs(Jobs):
    def test_a_stream_that_goes_on_beyond_its_length_is_refused(self):
        self.run_job("streams", "order", status=2)
        (error,) = self.events("error")
        self.assertIn("has delivered 21 batches, and states that it has 10", error["fault"])
        self.assertEqual(error["hint"], "say --batches 10 if that is an epoch")
        self.run_job("streams", "order", SEQPOINT_BATCHES="10")
        self.assertEqual(len(self.table()), 10)

    def test_a_second_epoch_of_other_lengths_is_said(self):
        self.run_job("sorts_first", "order")
        ((text, option),) = self.warnings()
        self.assertIn("this is epoch 1 of DataLoader at loops.py", text)
        self.assertIn("times its padded tokens", text)
        self.assertEqual(option, "--epochs N")

    def test_orders_of_several_epochs_are_those_of_the_job(self):
        for kind, batches in (("sorts_first", [20, 20, 20]), ("curriculum", [10, 20, 30])):
            self.run_job(kind)
            trained = self.seen()
            self.run_job(kind, "order", SEQPOINT_EPOCHS="3")
            order = self.table()
            numbers = [[row["epoch"] for row in order].count(str(epoch)) for epoch in range(3)]
            self.assertEqual(numbers, batches)
            self.assertEqual([int(row["iteration"]) for row in order], list(range(sum(batches))))
            if kind == "sorts_first":  # the other one draws its order between the epochs' batches
                self.assertEqual(self.rows(), trained)
        self.run_job("curriculum", "order", SEQPOINT_EPOCHS="4")
        self.assertEqual(self.events("error")[0]["hint"], "say --epochs 3, or let it train longer")

    def test_a_mean_that_differs_by_chance_is_no_difference(self):
        draw = random.Random(5)
        first = [draw.gauss(100, 20) for _ in range(400)]
        same = [draw.gauss(100, 20) for _ in range(40)]
        self.assertIsNone(draws.multiple(first, same))
        self.assertAlmostEqual(draws.multiple([100.0] * 40, [199.0, 201.0] * 20), 2)
        self.assertIsNone(draws.multiple([100.0] * 40, [104.0] * 40), "too small to matter")

    def test_how_much_epochs_differ(self):
        """Beside epochs of the same rows that are shuffled here."""
        lengths = [4 + int(40 * random.Random(n).random() ** 2) for n in range(160)]

        class Data(torch.utils.data.Dataset):
            def __len__(self):
                return len(lengths)

            def __getitem__(self, row):
                return torch.ones(lengths[row], dtype=torch.long)

        def pad(samples):
            return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)

        def tokens(rows):
            batches = [rows[i : i + 8] for i in range(0, 160, 8)]
            return [8 * max(lengths[row] for row in batch) for batch in batches]

        shuffled = [sum(tokens(random.Random(n).sample(range(160), 160))) for n in range(2000)]
        expected = statistics.stdev(map(math.log, shuffled))
        loader = torch.utils.data.DataLoader(Data(), 8, shuffle=True, collate_fn=pad)
        rows = list(range(160))
        loop = types.SimpleNamespace(
            loader=loader,
            dataset=loader.dataset,
            own_sampler=loader.batch_sampler,
            sampled=[rows[i : i + 8] for i in range(0, 160, 8)],
            most=None,
        )

        def columns(batch):
            return {"src_len": batch.shape[1], "batch_size": batch.shape[0]}

        torch.seed()
        before = torch.get_rng_state()
        with unittest.mock.patch.object(draws, "DRAWS", 200):
            spread, times = draws.looked_at(loop, columns, tokens(rows))
        self.assertAlmostEqual(spread, expected, delta=0.2 * expected)
        self.assertIsNone(times)
        self.assertTrue(torch.equal(before, torch.get_rng_state()), "the job draws as without")
        torch.manual_seed(1)
        self.assertEqual(draws.looked_at(loop, columns, tokens(rows)), (None, None))

    def test_lengths_that_are_drawn_anew_count_as_one_shape(self):
        """The order has their mean; a plan of it is measured with the lengths that come."""
        self.run_job("crops", "order")
        note = self.notes()[0]
        self.assertIn("gives the same rows other lengths at each reading", note)
        low, high = map(int, re.search(r"that came, (\d+) to (\d+), are a sample", note).groups())
        (length,) = {int(row["src_len"]) for row in self.table()}
        self.assertLess(low, length)
        self.assertLess(length, high)
        self.assertEqual(self.table()[0]["batch_size"], "8")
        stretch = self.path("stretch.csv")
        plan = {"SEQPOINT_PLAN": self.plan()}
        self.run_job("crops", "measure", SEQPOINT_PROCESS="0", SEQPOINT_STRETCH=stretch, **plan)
        self.assertEqual({row["src_len"] for row in self.table()} - {""}, {str(length)})
        with open(stretch, newline="", encoding="utf-8") as file:
            self.assertEqual({row["src_len"] for row in csv.DictReader(file)}, {str(length)})
        self.run_job("crops", "record", **plan)
        self.assertEqual({row["src_len"] for row in self.table()}, {str(length)})

    def test_a_plan_of_lengths_that_are_drawn_anew(self):
        """Of lengths that no batch can have: all are shorter than one, and longer than others."""
        self.run_job("crops", "order")
        with open(self.plan(), encoding="utf-8") as file:
            plan = json.load(file)
        for step, length in zip(plan["steps"], (1, 900, 1)):
            step["src_len"] = length
        with open(self.path("plan.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        plan = {"SEQPOINT_PLAN": self.path("plan.json"), "SEQPOINT_PROCESS": "0"}
        self.run_job("crops", "measure", status=3, **plan)
        error = self.events("error")[0]
        self.assertIn("gives the same rows other lengths at each reading", error["fault"])
        self.assertIn("let this job make its order anew", error["hint"])


class InStep(Jobs):
    def refused(self, kind, verb, status=2, **more):
        self.run_job(kind, verb, status=status, **more)
        self.assertEqual(self.events("done"), [])
        return self.events("error")[0]

    def test_lengths_of_a_second_loader_are_refused(self):
        error = self.refused("zips", "order")
        self.assertIn("whose shapes vary: points of one loader cannot", error["fault"])
        self.assertIn("say --loader 2", error["hint"])
        self.run_job("zips", "record")
        self.assertIn("its time is in the row, its length is not", self.notes()[0])

    def test_a_second_loader_of_one_shape_is_a_part_of_the_batch(self):
        self.run_job("zips_images", "order")
        self.assertIn("of one shape: its time is a part of the batch", self.notes()[0])
        plan = self.plan()
        self.run_job("zips_images", "measure", SEQPOINT_PLAN=plan, SEQPOINT_PROCESS="0")
        self.assertEqual(len(self.events("done")), 1)

    def test_a_validation_within_the_loop_does_not_train(self):
        self.run_job("validates_within", "order")
        plan = self.plan()
        self.run_job("validates_within", "measure", SEQPOINT_PLAN=plan, SEQPOINT_PROCESS="0")
        self.assertEqual(len(self.events("done")), 1)

    def test_of_adversaries_the_one_with_lengths_is_chosen_by_its_number(self):
        error = self.refused("adversaries", "order")
        self.assertIn("say --loader 2", error["hint"])
        self.run_job("adversaries", "order", SEQPOINT_LOADER="2")
        self.assertGreater(len({row["src_len"] for row in self.table()}), 1)
        self.assertIn("of one shape", self.notes()[0])


class Stretch(Jobs):
    def measure(self, process):
        """The iterations of the stretch of a process."""
        more = {"SEQPOINT_PLAN": self.path("plan.json"), "SEQPOINT_PROCESS": str(process)}
        self.run_job("counts_first", "measure", SEQPOINT_STRETCH=self.path("stretch.csv"), **more)
        self.assertEqual(len(self.events("done")), 1)
        return [int(row["iteration"]) for row in self.table("stretch.csv")]

    def test_consecutive_batches_of_the_epoch_follow_the_plan(self):
        self.run_job("counts_first", "order")
        order = self.table()
        self.plan()
        numbers = self.measure(0)
        self.assertEqual(numbers, list(range(1, BATCHES)), "all but the one that comes before")
        for row in self.table("stretch.csv"):
            of_order = order[int(row["iteration"])]
            for column in ("rows", "src_len", "tgt_len", "batch_size"):
                self.assertEqual(row[column], of_order[column])
            self.assertGreater(float(row["runtime_s"]), 0)
        self.assertEqual(self.seen()[-19:], self.rows("stretch.csv"))

    def test_its_place_is_of_the_process_and_spread_over_the_epoch(self):
        places = [stretch.place_of(process, 20, 2, 1000) for process in range(6)]
        self.assertEqual({(before, number) for before, _, number in places}, {(2, 20)})
        firsts = sorted(first for _, first, _ in places)
        self.assertGreaterEqual(firsts[0], 2)
        self.assertLessEqual(firsts[-1], 980)
        gaps = [after - first for first, after in zip([0, *firsts], [*firsts, 1000])]
        self.assertLess(max(gaps), 400)
        self.assertGreater(min(gaps[1:-1]), 50)

    def test_it_takes_a_share_of_the_plan_in_whole_steps(self):
        self.assertEqual(stretch.number_of(100, [1.0, 1.0], 1), 20)
        self.assertEqual(stretch.number_of(1000, [0.5, 1.5], 1), 50)
        self.assertEqual(stretch.number_of(100, [1.0], 8), 24)
        self.assertEqual(stretch.number_of(100, [], 1), 20)


if __name__ == "__main__":
    unittest.main()
