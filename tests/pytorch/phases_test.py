"""Where the time of a batch goes, by a clock that only the test advances:

    phases_test.py SOURCE_DIR
"""

import csv
import os
import tempfile
import unittest
import unittest.mock

from plans import companion, torch

from seqpoint_companion import phases as module
from seqpoint_companion.optimizer_steps import OptimizerSteps
from seqpoint_companion.phases import Phases, as_one_step, with_share_of_step


class Ticks:
    """A clock in ticks."""

    now = 0.0

    def begin(self, _):
        return self.now

    def mark(self):
        return self.now

    def seconds(self, earlier, later):
        return later - earlier


class SlowBackward(torch.autograd.Function):
    @staticmethod
    def forward(context, x, ticks, seconds):
        context.ticks, context.seconds = ticks, seconds
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        context.ticks.now += context.seconds
        return gradient, None, None


class SlowOptimiser(torch.optim.SGD):
    """Takes 2 ticks, after those of its closure."""

    ticks = None

    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure() if closure else None
        self.ticks.now += 2
        return loss


class OfABatch(unittest.TestCase):
    def setUp(self):
        engine = torch.autograd.Variable._execution_engine
        self.addCleanup(setattr, torch.autograd.Variable, "_execution_engine", engine)
        self.ticks = Ticks()
        self.phases = Phases()
        self.phases._clock = self.ticks
        self.phases.watch()
        self.weight = torch.ones(1, requires_grad=True)
        self.optimiser = SlowOptimiser([self.weight], lr=0.1)
        self.optimiser.ticks = self.ticks
        self.steps = OptimizerSteps(phases=self.phases)
        self.steps.watch()
        self.phases.begin(0.0)

    def take(self, seconds):
        self.ticks.now += seconds

    def train(self, forward, backward):
        self.take(forward)
        SlowBackward.apply(self.weight, self.ticks, backward).sum().backward()

    def ended(self, wait=0.0):
        found = self.phases.end(wait, self.ticks.now)
        self.assertAlmostEqual(sum(found.values()), wait + self.ticks.now)
        return list(found.values())  # wait, forward, backward, optimiser, other

    def test_each_phase_has_its_time(self):
        self.train(3, 5)
        self.take(1)  # gradients are clipped
        self.optimiser.step()
        self.take(0.5)
        self.assertEqual(self.ended(wait=4.0), [4, 3, 5, 2, 1.5])

    def test_a_closure_of_the_optimiser_is_told_apart(self):
        self.take(1)
        self.optimiser.step(lambda: self.train(3, 5))
        self.assertEqual(self.ended(), [0, 3, 5, 2, 1])

    def test_what_precedes_each_backward_pass_is_forward(self):
        self.train(3, 5)
        self.train(4, 6)
        self.assertEqual(self.ended(), [0, 7, 11, 0, 0])

    def test_a_backward_pass_within_another_is_a_part_of_it(self):
        class Recomputes(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                return x.clone()

            @staticmethod
            def backward(context, gradient):
                with torch.enable_grad():
                    self.train(3, 5)
                return gradient

        Recomputes.apply(self.weight).sum().backward()
        self.assertEqual(self.ended(), [0, 0, 8, 0, 0])

    def test_a_backward_pass_that_fails_ends(self):
        with self.assertRaises(RuntimeError):
            torch.ones(1).backward()
        self.train(3, 5)
        self.assertEqual(self.ended(), [0, 3, 5, 0, 0])

    def test_between_batches_nothing_counts(self):
        self.ended()
        self.train(3, 5)
        self.phases.begin(0.0)
        self.take(1)
        self.assertEqual(self.phases.end(0.0, 1.0)["forward_s"], 0)

    def test_a_batch_without_a_backward_pass_is_one_step(self):
        self.take(3)
        self.optimiser.step()
        self.assertFalse(self.phases.told_apart)
        found = as_one_step(self.phases.end(1.0, self.ticks.now))
        self.assertEqual(found, {"wait_s": 1, "step_s": 5})


class ShareOfAStep(unittest.TestCase):
    PHASES = {
        "wait_s": 1.0,
        "forward_s": 2.0,
        "backward_s": 3.0,
        "optimizer_s": 0.5,
        "other_s": 0.5,
    }

    def test_it_is_the_optimisers(self):
        found = with_share_of_step(self.PHASES, 0.25)
        self.assertEqual(found["optimizer_s"], 0.75)
        self.assertEqual(sum(found.values()), 7.25)

    def test_what_the_optimiser_did_not_take_is_taken_from_the_rest(self):
        found = with_share_of_step(self.PHASES, -0.75)
        self.assertEqual((found["optimizer_s"], found["other_s"]), (0, 0.25))


class OnADevice(unittest.TestCase):
    """With stand-ins for events: a GPU's runs later than the host."""

    def setUp(self):
        self.made = []
        self.capturing = False
        self.now_ms = 0.0
        test = self

        class Event:
            def __init__(self, enable_timing):
                test.made.append(self)

            def record(self):
                self.at_ms = test.now_ms

            def elapsed_time(self, later):
                return later.at_ms - self.at_ms

        for name, value in {
            "Event": Event,
            "is_current_stream_capturing": lambda: self.capturing,
            "is_initialized": lambda: True,
        }.items():
            patch = unittest.mock.patch.object(torch.cuda, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.phases = Phases()

    def batch(self):
        self.phases.begin(0.0)
        self.now_ms += 30
        self.phases._backward_begins()
        self.now_ms += 50
        self.phases._backward_ends()
        return self.phases.end(0.0, 0.081)

    def test_phases_are_those_of_the_device(self):
        found = self.batch()
        self.assertAlmostEqual(found["forward_s"], 0.03)
        self.assertAlmostEqual(found["backward_s"], 0.05)
        self.assertAlmostEqual(found["other_s"], 0.001)

    def test_events_are_used_again(self):
        self.batch()
        self.batch()
        self.assertEqual(len(self.made), 3)

    def test_a_graph_that_is_captured_has_no_moments(self):
        self.phases.begin(0.0)
        self.capturing = True
        self.phases._backward_begins()
        self.phases._backward_ends()
        self.assertEqual(self.phases.end(0.0, 0.5)["other_s"], 0.5)


class InAFile(unittest.TestCase):
    def rows(self, train, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "out.csv")
        recorder = companion.Recorder(path, lambda batch: {"src_len": len(batch)}, **options)
        weight = torch.ones(1, requires_grad=True)
        for batch in recorder(torch.utils.data.DataLoader(torch.ones(6, 2), batch_size=2)):
            loss = (weight * batch).sum()
            if train:
                loss.backward()
        recorder.close()
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check_sums(self, rows, columns):
        for row in rows:
            parts = sum(float(row[column]) for column in columns)
            self.assertAlmostEqual(parts, float(row["runtime_s"]), delta=1e-8)  # nine decimals

    def test_parts_add_up_to_the_time(self):
        rows = self.rows(train=True)
        self.check_sums(rows, module.COLUMNS)
        self.assertNotIn("step_s", rows[0])
        self.assertTrue(all(float(row["backward_s"]) > 0 for row in rows))

    def test_without_a_backward_pass_there_is_one_step(self):
        rows = self.rows(train=False)
        self.check_sums(rows, ("wait_s", "step_s"))
        self.assertNotIn("forward_s", rows[0])

    def test_they_can_be_left_out(self):
        columns = self.rows(train=True, phases=False)[0].keys()
        self.assertFalse({"step_s", *module.COLUMNS} & columns)


if __name__ == "__main__":
    unittest.main()
