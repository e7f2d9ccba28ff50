"""Jobs that do not end, try again, or train without a loader that is held:

    which_loop_test.py SOURCE_DIR
"""

import os
import types
import unittest
import unittest.mock

from plans import SOURCE
from training_test import BATCHES, Jobs

from seqpoint_companion import endless
from seqpoint_companion.loop import position, surroundings


class Which(Jobs):
    script = os.path.join(SOURCE, "tests", "pytorch", "scripts", "which_loop.py")

    def error(self):
        (error,) = self.events("error")
        return error


class WithoutEnd(Which):
    def test_a_sampler_is_refused_before_its_rows_are_listed(self):
        self.run_job("draws", "order", status=2)
        self.assertIn("states that it has 1,250,000,000 batches", self.error()["fault"])
        self.assertIn("such as --batches 250", self.error()["hint"])
        self.assertNotIn("--batches N", self.error()["hint"])

    def test_it_is_observed_with_a_number_of_batches(self):
        self.run_job("draws", "order", SEQPOINT_BATCHES="25")
        self.assertEqual(len(self.table()), 25)
        plan = {"SEQPOINT_PLAN": self.plan(range(9)), "SEQPOINT_BATCHES": "25"}
        self.run_job("draws", "measure", **plan)
        self.assertEqual(self.events("error"), [])

    def test_how_many_rows_a_sampler_may_deliver(self):
        self.assertEqual(endless.most_rows(None), 10_000_000)
        self.assertEqual(endless.most_rows(100), 1_000_000)
        self.assertEqual(endless.most_rows(50_000), 5_000_000)
        self.assertEqual(endless.most_rows(10**9), 10**9 + 10_000_000)

    def test_a_sampler_ends_within_a_minute_or_is_a_third_of_its_way(self):
        for stated, is_refused in ((None, True), (1000, True), (299, False)):
            with unittest.mock.patch.multiple(
                endless, time=unittest.mock.DEFAULT, give_up=unittest.mock.DEFAULT
            ) as of:
                of["time"].monotonic.return_value = 0
                walk = endless.Walk("DataLoader", 10_000, stated)
                for _ in range(100):
                    walk.step(8)
                of["give_up"].assert_not_called()
                of["time"].monotonic.return_value = 61
                walk.step(8)
                self.assertEqual(of["give_up"].called, is_refused, stated)

    def test_a_stream_whose_samples_come_again_is_refused(self):
        self.run_job("streams", "order", status=2)
        self.assertIn("the samples of the first 20 batches of DataLoader", self.error()["fault"])
        self.assertIn(f"such as --batches {BATCHES}", self.error()["hint"])

    def test_samples_that_come_again(self):
        samples = endless.Samples()
        for batch in ([1, 2], [3, 1], [2, 3], [1]):
            samples.see(batch)
        self.assertEqual((samples.again, samples.of_pass), (4, 2))
        self.assertFalse(samples.repeat(1), "these are too few")
        for _ in range(100):
            samples.see([1])
        self.assertTrue(samples.repeat(3))
        self.assertFalse(samples.repeat(50))

    def test_a_stream_is_spoken_of_after_a_minute_and_refused_after_ten(self):
        patched = dict.fromkeys(("time", "give_up", "say_meanwhile"), unittest.mock.DEFAULT)
        with unittest.mock.patch.multiple(endless, **patched) as of:
            of["time"].monotonic.return_value = 0
            reading = endless.Reading("DataLoader")
            for seconds in (1, 59, 61, 62, 600):
                of["time"].monotonic.return_value = seconds
                reading.step(seconds)
            of["say_meanwhile"].assert_called_once()
            of["give_up"].assert_not_called()
            of["time"].monotonic.return_value = 601
            reading.step(601)
            of["give_up"].assert_called_once()


class Tries(Which):
    """The epoch is that of the loader with which it comes to its end: 8 samples a batch."""

    def test_whole_epochs(self):
        for kind in ("halves_its_batch", "halves_it_at_once", "halves_it_by_name"):
            self.run_job(kind, "record")
            self.assertEqual(len(self.table()), BATCHES, kind)
            self.assertEqual(self.events("part"), [], kind)

    def test_an_order(self):
        self.run_job("halves_it_at_once", "order")
        self.assertEqual(len(self.table()), BATCHES)

    def test_a_plan_at_which_the_job_tries_again(self):
        self.run_job("halves_its_batch", "order")
        self.assertEqual(len(self.table()), BATCHES / 4)  # which is read ahead
        self.run_job("halves_its_batch", "measure", status=3, SEQPOINT_PLAN=self.plan(range(4)))
        self.assertIn("tries again", self.error()["fault"])
        self.assertIn("--record", self.error()["hint"])


def running(*places):
    """Frames as of these places, the innermost first."""
    of = lambda file: types.SimpleNamespace(co_filename=file, co_flags=0)
    return [types.SimpleNamespace(f_code=of(file), f_lineno=line) for file, line in places]


class Libraries(Which):
    """Where a loop is, and whose: keras in a home, a package by `python -m` in an environment."""

    KERAS = "/home/me/.local/lib/python3.11/site-packages/keras/trainer.py", 30
    RUNPY = ("<frozen runpy>", 198), ("<frozen runpy>", 88)
    MAIN = "/venv/lib/python3.11/site-packages/mine/train.py", 12

    def place(self, *places):
        with unittest.mock.patch.object(position, "running", return_value=running(*places)):
            return position.place_of_job()

    def test_the_place_of_a_loop_is_the_users_line(self):
        self.assertEqual(self.place(self.KERAS, ("/job/train.py", 7)), ("/job/train.py", 7))
        of_package = "/venv/lib/python3.11/site-packages/mine/loop.py", 4
        self.assertEqual(self.place(of_package, self.MAIN, *self.RUNPY), self.MAIN)

    def test_a_librarys_loop_tells_nothing(self):
        loop = unittest.mock.Mock(is_over=False, stated=None, trainer=None, length=20)
        for is_over in (False, True):
            loop.is_over, loop.fetched, loop.last_trained = is_over, 1, 1
            frames = running(self.KERAS, ("/job/train.py", 7))
            with unittest.mock.patch.object(surroundings, "running", return_value=frames):
                self.assertEqual(surroundings.doubts(loop), [])


class Passes(Which):
    def test_a_pass_that_is_closed_late_was_whole(self):
        self.run_job("counts_its_batches", "record")
        self.assertEqual(len(self.table()), BATCHES)
        self.assertEqual((self.events("part"), self.warnings()), ([], []))


class OwnLoaders(Which):
    """A loader that is no DataLoader, behind whose iterators it is a stream."""

    def test_it_is_read_and_measured(self):
        self.run_job("has_its_own_loader", "order")
        self.assertEqual(len(self.table()), BATCHES)
        lengths = [row["src_len"] for row in self.table()]
        self.run_job("has_its_own_loader", "measure", SEQPOINT_PLAN=self.plan())
        measured = [row["src_len"] for row in self.table()]
        self.assertEqual(measured[:3], [lengths[n] for n in (3, 5, 9)])

    def test_whole_epochs(self):
        self.run_job("has_its_own_loader", "record")
        self.assertEqual(len(self.table()), BATCHES)


class Lengths(Which):
    def test_those_that_depend_on_the_step_are_no_random_crop(self):
        self.run_job("grows", "order", status=3)
        self.assertIn("lengths depend on the number of batches before", self.error()["fault"])
        self.assertIn("--record", self.error()["hint"])
        self.run_job("grows", "record")
        lengths = [int(row["src_len"]) for row in self.table()]
        self.assertEqual(lengths, list(range(201, 201 + BATCHES)))

    def test_a_random_crop_counts_as_one_shape(self):
        self.run_job("crops", "order")
        self.assertEqual(len({row["src_len"] for row in self.table()}), 1)


class Unfed(Which):
    def test_a_job_without_a_loader_ends_after_twenty_backward_passes(self):
        for verb in ("order", "record"):
            self.run_job("without_a_loader", verb, status=2)
            self.assertEqual(len(self.seen()), 20)
            self.assertIn("20 backward passes of the job were on no batch", self.error()["fault"])
            self.assertIn("seqpoint.iterate(batches)", self.error()["hint"])

    def test_what_a_job_does_before_its_loader(self):
        for kind, steps in (("warms_up_first", 15), ("warms_up_long", 40)):
            self.run_job(kind, "record")
            self.assertEqual(len(self.table()), BATCHES, kind)
            self.assertEqual(len(self.seen()), steps + BATCHES)
            self.assertEqual(self.events("error") + self.events("meanwhile"), [], kind)

    def test_a_job_that_may_come_to_its_loader_is_told_and_goes_on(self):
        self.run_job("has_a_loader", "record")
        self.assertEqual(len(self.table()), BATCHES)
        (line,) = self.events("meanwhile")
        self.assertIn("20 backward passes of the job were on no batch", line["text"])
        self.run_job("keeps_its_batches", "record")
        line = self.events("meanwhile")[-1]
        self.assertIn("seqpoint.iterate(batches)", line["text"])

    def test_a_job_of_another_library_ends_after_twenty_batches(self):
        for verb in ("order", "record"):
            self.run_job("computes_elsewhere", verb, status=2)
            self.assertIn("20 batches of DataLoader at which_loop.py", self.error()["fault"])
            self.assertIn("the job computes with jax", self.error()["fault"])
            self.assertIn("seqpoint.iterate(loader)", self.error()["hint"])

    def test_a_job_whose_gradients_are_of_another_library_ends(self):
        for verb in ("order", "record"):
            self.run_job("asks_elsewhere", verb, status=2)
            self.assertIn("the job trains with jax", self.error()["fault"])
            self.assertIn("seqpoint.iterate(batches)", self.error()["hint"])

    def test_it_goes_on_if_it_has_a_loader(self):
        self.run_job("asks_elsewhere_first", "record")
        self.assertEqual(len(self.table()), BATCHES)
        (line,) = self.events("meanwhile")
        self.assertIn("the job trains with jax", line["text"])

    def test_statistics_before_it_trains(self):
        self.run_job("counts_then_trains", "record")
        self.assertEqual(len(self.table()), BATCHES)
        self.assertEqual(self.events("error"), [])


if __name__ == "__main__":
    unittest.main()
