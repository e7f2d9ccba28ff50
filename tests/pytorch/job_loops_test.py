"""Work inside an iteration that is none of it, and what an optimiser's step adds:

    job_loops_test.py SOURCE_DIR
"""

import unittest

from plans import SOURCE, Folder, companion, torch  # noqa: F401

from seqpoint_companion.interruptions import ROUTINE, Interruptions
from seqpoint_companion.optimizer_steps import OptimizerSteps
from seqpoint_companion.recorder import Recorder, Times

STEP_S, STEP_CPU_S = 0.4, 0.1


class Steps(unittest.TestCase):
    """The times of batches are known, and what a step adds to them."""

    def executions(self, accumulate, repeats=5):
        """Each of seven batches so often, in turn; every so many has a step."""
        runs = []
        for number in range(7 * repeats):
            batch = number % 7
            stepped = number % accumulate == accumulate - 1
            times = Times(1, 1 + batch + STEP_S * stepped, 0.5 + STEP_CPU_S * stepped)
            runs.append(((batch, False), stepped, times))
        return runs

    def test_the_sum_over_a_run_has_as_many_steps_as_the_run(self):
        for accumulate in (2, 3, 4, 8):
            steps, runs = OptimizerSteps(accumulate), self.executions(accumulate)
            steps.settle(runs)
            self.assertAlmostEqual(steps.runtime_s, STEP_S)
            self.assertAlmostEqual(steps.cpu_s, STEP_CPU_S)
            for (batch, _), stepped, times in runs:
                shared = steps.shared(stepped, times)
                self.assertAlmostEqual(shared.runtime_s, 1 + batch + STEP_S / accumulate)
                self.assertAlmostEqual(shared.cpu_s, 0.5 + STEP_CPU_S / accumulate)

    def test_an_execution_that_the_machine_disturbed_changes_little(self):
        steps, runs = OptimizerSteps(4), self.executions(4, repeats=12)
        key, stepped, times = runs[0]
        runs[0] = key, stepped, times._replace(runtime_s=100)
        steps.settle(runs)
        self.assertAlmostEqual(steps.runtime_s, STEP_S)

    def test_without_a_batch_that_ran_both_ways_times_stay_as_they_are(self):
        steps = OptimizerSteps(2)
        steps.settle([((1, False), False, Times(1, 1, 1)), ((2, False), True, Times(1, 3, 1))])
        self.assertEqual(steps.shared(True, Times(1, 3, 1)), Times(1, 3, 1))


class Between(Folder):
    def test_rows_are_marked_and_a_plans_batch_runs_again(self):
        plan = self.plan()
        recorder = Recorder(self.out, plan=plan)
        recorder.interruptions = Interruptions()
        batches = []
        loader = torch.utils.data.DataLoader(range(10), batch_sampler=plan, collate_fn=list)
        for batch in recorder(loader):
            batches.append(batch)
            if len(batches) in (3, 6):  # the first of sp1 that is measured, and of sp2
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
