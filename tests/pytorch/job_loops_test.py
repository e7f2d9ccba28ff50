"""Interrupted iterations, optimiser steps, and runs that need no points:

    job_loops_test.py SOURCE_DIR
"""

import io
import os
import subprocess
import sys
import time
import types
import unittest
import unittest.mock

from plans import SOURCE, Folder, companion, step, torch  # noqa: F401

from seqpoint_companion import progress
from seqpoint_companion.loop import order_loop, plan_loop
from seqpoint_companion.loop.other_work import ROUTINE, Interruptions
from seqpoint_companion.optimizer_steps import OptimizerSteps
from seqpoint_companion.recorder import Recorder, Times

STEP_S, STEP_CPU_S = 0.4, 0.1


class Steps(unittest.TestCase):
    """Optimiser steps with known cost, in batches with known times."""

    def seen(self, accumulate, repeats=5, told=None):
        """(steps, executions) of seven batches in turn, with a step after every few batches."""
        steps, runs = OptimizerSteps(told), []
        steps.optimisers.append("the job's")
        for number in range(7 * repeats):
            batch = number % 7
            if number % accumulate == accumulate - 1:
                steps.note()
                steps.note()  # another optimiser of the same job
            stepped = steps.take()
            times = Times(1 + batch + STEP_S * stepped, 0.5 + STEP_CPU_S * stepped)
            runs.append(((batch, False), stepped, times))
        return steps, runs

    def test_the_sum_over_a_run_has_as_many_steps_as_the_run(self):
        for accumulate in (2, 3, 4, 8):
            for told in (None, accumulate):
                steps, runs = self.seen(accumulate, told=told)
                self.assertIn(f"after {accumulate} batches, takes 0.4 s", steps.settle(runs))
                self.assertAlmostEqual(steps.runtime_s, STEP_S)
                self.assertAlmostEqual(steps.cpu_s, STEP_CPU_S)
                for (batch, _), stepped, times in runs:
                    shared = steps.shared(stepped, times)
                    self.assertAlmostEqual(shared.runtime_s, 1 + batch + STEP_S / accumulate)
                    self.assertAlmostEqual(shared.cpu_s, 0.5 + STEP_CPU_S / accumulate)

    def test_no_time_becomes_0_where_noise_is_as_large_as_a_batch(self):
        steps, runs = self.seen(8, repeats=12)
        noise = [0.8e-3, 1.2e-3, 1e-3]
        runs = [
            (key, stepped, Times(1e-5 + noise[n % 3] * stepped, 1e-5))
            for n, (key, stepped, _) in enumerate(runs)
        ]
        self.assertIn("takes 0.00081 s", steps.settle(runs))
        self.assertTrue(all(steps.shared(by, of).runtime_s > 0 for _, by, of in runs))

    def test_an_execution_that_the_machine_disturbed_changes_little(self):
        steps, runs = self.seen(4, repeats=12)
        key, stepped, times = runs[0]
        runs[0] = key, stepped, times._replace(runtime_s=100)
        steps.settle(runs)
        self.assertAlmostEqual(steps.runtime_s, STEP_S)

    def test_a_step_in_each_batch_is_a_part_of_it(self):
        steps, runs = self.seen(1)
        self.assertEqual(steps.settle(runs), "")
        self.assertEqual(steps.shared(True, Times(3, 1)), Times(3, 1))

    def test_without_a_batch_that_ran_both_ways_times_stay_as_they_are(self):
        steps, runs = self.seen(7)
        self.assertIn("the cost of an optimiser's step is not known", steps.settle(runs))
        self.assertEqual(steps.shared(True, Times(3, 1)), Times(3, 1))

    def test_steps_that_were_not_seen_are_said(self):
        steps, runs = self.seen(100, told=100)
        self.assertIn("no optimiser of torch.optim has stepped in 35", steps.settle(runs))

    def test_a_step_between_iterations_is_in_none(self):
        steps, _ = self.seen(2)
        steps.note()
        steps.left()
        self.assertFalse(steps.take())


class OfAccelerate(unittest.TestCase):
    """The job's own loop with gradients accumulated by accelerate; it also steps at the end."""

    def batches_of_step(self, number):
        class GradientState:
            _shared_state, num_steps = {"plugin": None}, number

        held = unittest.mock.MagicMock()
        held.recorder.optimizer = OptimizerSteps()
        held.__class__ = plan_loop.Measure
        state = types.SimpleNamespace(GradientState=GradientState)
        with unittest.mock.patch.dict(sys.modules, {"accelerate.state": state}):
            loop = types.SimpleNamespace(given=None, trainer=None)
            list(plan_loop.Measure.planned(held, loop))
        return held.recorder.optimizer.batches

    def test_it_says_how_many_batches_a_step_has(self):
        self.assertEqual(self.batches_of_step(2), 2)

    def test_a_loop_may_accumulate_by_itself(self):
        self.assertIsNone(self.batches_of_step(1))


class Accumulating(Folder):
    """A custom loop over a plan, with an optimiser step after every few batches."""

    def run_plan(self, accumulate, repeats, points=6):
        """(batches that ran, rows)"""
        steps = [
            step(
                n, f"sp{1 + n % points}", [5 + n % points], repeat=n // points, iteration=n % points
            )
            for n in range(points * repeats)
        ]
        plan = self.plan([*steps, step(99, "sp1", [5], warmup=True)], {"until_steady": True})
        clock = [0.0]
        plan.steady.clock = lambda: clock[0]
        optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        loader = torch.utils.data.DataLoader(range(99), batch_sampler=plan, collate_fn=list)
        with unittest.mock.patch.object(time, "perf_counter", lambda: clock[0]):
            for number, _ in enumerate(Recorder(self.out, plan=plan)(loader), 1):
                clock[0] += 0.01
                if number % accumulate == 0:
                    optimiser.step()
                    clock[0] += STEP_S
        return number, self.table()

    def test_no_more_than_a_quarter_is_added_to_see_steps(self):
        for accumulate in (1, 2, 4, 8, 32, 64):
            number, rows = self.run_plan(accumulate, 5)
            planned = 6 * 5 + 6 + 1
            self.assertLessEqual(number, planned * 1.3)
            for row in rows:
                if row["warmup"] == "0" and accumulate < 64:
                    share = 0.01 + STEP_S / accumulate
                    self.assertAlmostEqual(float(row["runtime_s"]), share, places=6)

    def test_a_batch_that_came_with_a_step_only_runs_once_more(self):
        _, rows = self.run_plan(3, 1, points=40)
        measured = [row["point"] for row in rows if row["warmup"] == "0"]
        self.assertGreater(len(measured), 40)
        self.assertEqual(len(set(measured)), 40)

    def test_rows_of_a_process_that_ends_early_are_kept(self):
        """Rows are written once every point has run; the cost of a step is known by then."""
        script = os.path.join(os.path.dirname(self.out), "job.py")
        self.plan([step(n, f"sp{1 + n % 3}", [5 + n % 3], repeat=n // 3) for n in range(12)])
        with open(script, "w", encoding="utf-8") as file:
            file.write(EARLY.format(plan=self.path, out=self.out))
        subprocess.run(
            [sys.executable, "-W", "ignore", script],
            env={**os.environ, "PYTHONPATH": os.path.join(SOURCE, "python")},
            check=True,
            capture_output=True,
        )
        self.assertEqual(len(self.table()), 9)


EARLY = """
import sys, torch
from seqpoint_companion import Plan, Recorder
optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.1)
loader = torch.utils.data.DataLoader(range(99), batch_sampler=Plan({plan!r}), collate_fn=list)
for number, _ in enumerate(Recorder({out!r}, plan=loader.batch_sampler)(loader), 1):
    if number % 2 == 0:
        optimiser.step()
    if number == 10:
        sys.exit(0)
"""


class Worth(unittest.TestCase):
    def test_a_short_run_needs_no_points(self):
        varied = list(range(100, 300))
        self.assertEqual(order_loop.advice(200, varied), "")
        self.assertIn("let `record` time them all", order_loop.advice(199, varied[1:]))
        self.assertNotIn("any 20", order_loop.advice(199, varied[1:]), "lengths vary")

    def test_one_shape_needs_no_points(self):
        self.assertIn("of 4096 tokens", order_loop.advice(400, [4096] * 399 + [1024]))
        self.assertIn("time any 20", order_loop.advice(400, [4096] * 399 + [1024]))
        self.assertEqual(order_loop.advice(400, [990, 1000, 1000, 1040] * 100), "", "lengths vary")

    def test_a_run_decides_by_itself(self):
        with unittest.mock.patch.dict(os.environ, SEQPOINT_HOOK="order"):
            self.assertEqual(order_loop.advice(20, list(range(20))), "")

    def test_where_no_lengths_are_known_only_the_number_counts(self):
        self.assertEqual(order_loop.advice(400, []), "")


class Shown(unittest.TestCase):
    """A hundred batches of 3 s each."""

    def shown(self, terminal, of=100):
        now = [0.0]
        errors = io.StringIO()
        errors.isatty = lambda: terminal
        with unittest.mock.patch("sys.stderr", errors), unittest.mock.patch.object(
            time, "monotonic", lambda: now[0]
        ):
            shown = progress.Progress("measure", of)
            for _ in range(40):
                now[0] += 3
                shown.step()
            shown.close()
        return errors.getvalue()

    def test_a_terminal_shows_the_time_that_is_left(self):
        lines = self.shown(True).split(progress.CLEAR)
        self.assertEqual(lines[1], "seqpoint: measure: 1 of 100 batches, 4 min 57 s left")
        self.assertEqual(lines[40], "seqpoint: measure: 40 of 100 batches, 3 min 0 s left")
        self.assertEqual(lines[41:], [""], "the line is gone at the end")

    def test_where_nobody_knows_how_many_they_are_counted(self):
        lines = self.shown(True, None).split(progress.CLEAR)
        self.assertEqual(lines[2], "seqpoint: measure: 2 batches")

    def test_a_log_has_nothing_of_it(self):
        self.assertEqual(self.shown(False), "")


class Between(Folder):
    def test_rows_are_marked_and_a_plans_batch_runs_again(self):
        plan = self.plan()
        recorder = Recorder(self.out, plan=plan)
        recorder.interruptions = Interruptions()
        batches = []
        loader = torch.utils.data.DataLoader(range(10), batch_sampler=plan, collate_fn=list)
        for batch in recorder(loader):
            batches.append(batch)
            if len(batches) in (4, 6):  # the first measured batches of sp1 and sp2
                recorder.interruptions.note("validation")
        rows = [(row["point"], row["execution"], row["interrupted"]) for row in self.table()]
        again = [row for row in rows if row[2]]
        self.assertEqual(
            again, [("sp1", "interrupted", "validation"), ("sp2", "interrupted", "validation")]
        )
        measured = sorted(row[0] for row in rows if row[1] == "measured")
        self.assertEqual(measured, ["sp1", "sp1", "sp2"])
        self.assertEqual({row["warmup"] for row in self.table() if row["interrupted"]}, {"1"})
        self.assertEqual(len(batches), 8)
        self.assertRegex(
            "".join(recorder.interruptions.lines("left out")),
            "left out: 2 iterations with validation in them",
        )

    def test_what_is_in_every_iteration_is_a_part_of_it(self):
        found = Interruptions()
        for _ in range(ROUTINE):
            found.note("checkpoint")
            self.assertEqual(found.take(1.0), "checkpoint")
        found.note("checkpoint")
        self.assertEqual(found.take(1.0), "")
        self.assertEqual(
            list(found.lines("marked")),
            ["checkpoint is in every iteration, and is counted as a part of it"],
        )

    def test_what_came_later_than_at_first_is_no_routine(self):
        found = Interruptions()
        found.take(1.0)
        for _ in range(2 * ROUTINE):
            found.note("validation")
            self.assertEqual(found.take(1.0), "validation")


unittest.main(warnings="ignore")
