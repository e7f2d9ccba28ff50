"""Jobs whose epoch is not one pass of a loop over one loader:

    epochs_test.py SOURCE_DIR

What is said of them is compared with what each job does without the companion.
"""

import copy
import os
import unittest
import unittest.mock

from plans import SOURCE
from training_test import BATCHES, Jobs, Network

from seqpoint_companion import live_objects, own_work

NETWORK = sum(parameter.numel() for parameter in Network().parameters())

SCRIPT = os.path.join(SOURCE, "tests", "pytorch", "scripts", "ends.py")


class Ends(Jobs):
    script = SCRIPT

    def order(self, kind, status=0, **more):
        self.run_job(kind, "order", status, **more)
        return self.warnings()

    def test_a_loop_that_leaves_its_loader(self):
        for kind in ("breaks_at_a_number", "counts_steps", "returns", "slices"):
            self.run_job(kind)
            epochs = 2 if kind == "breaks_at_a_number" else 1
            trained = len(self.seen()) // epochs
            ((text, option),) = self.order(kind)
            self.assertIn(f"ends after {trained} of the 20 batches of DataLoader at ends", text)
            self.assertEqual(option, f"--batches {trained}")
            self.assertEqual(len(self.rows()), BATCHES)

    def test_a_loop_that_may_leave_it_when_nobody_knows(self):
        ((text, option),) = self.order("stops_when_told")
        self.assertIn("has a break or a return", text)
        self.assertEqual(option, "--batches N")

    def test_no_false_alarm(self):
        for kind in ("never_breaks", "guards_its_loss", "trains_and_validates", "two_stages"):
            self.assertEqual(self.order(kind), [], kind)

    def test_the_whole_epoch_of_such_a_job_is_what_it_trained_on(self):
        for kind, number in (("breaks_at_a_number", 12), ("counts_steps", 9)):
            self.run_job(kind)
            trained = self.seen()[:number]
            self.run_job(kind, "record")
            self.assertEqual(self.rows(), trained)
            self.assertEqual([event["last"] for event in self.events("part")], [number])

    def test_a_job_that_takes_batches_by_next(self):
        ((text, option),) = self.order("pulls")
        self.assertRegex(text, "by next\\(\\), 13 in its loop; a pass over it has 20")
        self.assertEqual(option, "--batches 13")
        ((text, option),) = self.order("cycles")
        self.assertRegex(text, "by next\\(\\), 50 in its loop; a pass over it has 20")
        self.assertEqual(option, "--epochs 3")

    def test_an_epoch_that_a_framework_ends(self):
        for kind, number in (("limits_batches", 6), ("has_an_engine", 14)):
            self.assertEqual(self.order(kind), [], kind)
            self.assertEqual(len(self.rows()), number)
            self.assertIn(f"an epoch is of {number} batches", self.notes()[0])
        self.assertEqual(self.order("has_a_longer_engine"), [])
        (steps,) = self.events("steps")
        self.assertEqual((steps["batches"], steps["of"]), (30, 20))

    def test_passes_that_are_parts_of_an_epoch(self):
        ((text, option),) = self.order("updates_often")
        self.assertRegex(text, "goes through DataLoader at ends.py:[0-9]+ 4 times, within the loop")
        self.assertEqual(option, "--epochs 4")
        ((text, option),) = self.order("repeats_until")
        self.assertIn("until it has done enough", text)
        self.assertEqual(option, "--epochs N")

    def test_an_epoch_of_two_loops(self):
        for kind, verbs in (("two_loops", ("order", "record")), ("two_calls", ("order",))):
            for verb in verbs:
                self.run_job(kind, verb, status=2)
                (error,) = self.events("error")
                named = "trains on DataLoader at ends.py:[0-9]+, and on DataLoader at ends.py:"
                self.assertRegex(error["fault"], named)
                self.assertIn("--loader N measures the N-th pass", error["hint"])
        ((text, option),) = self.order("two_loops", SEQPOINT_LOADER="1")
        self.assertIn("(10 batches)", text)

    def test_the_exception_of_a_job_is_the_message(self):
        self.run_job("raises", "order")
        for verb in ("measure", "record"):
            plan = {"SEQPOINT_PLAN": self.plan()} if verb == "measure" else {}
            self.run_job("raises", verb, status=1, **plan)
            (error,) = self.events("error")
            self.assertIn(
                "ended by ArithmeticError: the loss is no number (ends.py:", error["fault"]
            )
            self.assertEqual(error["hint"], "")

    def test_an_exception_before_the_order_goes_its_way(self):
        for kind, status, said in (
            ("raises_at_once", 1, "ended by ArithmeticError: the loss is no number (ends.py:"),
            ("exits_at_once", 3, "after 2 batches, and ended before its order"),
        ):
            self.run_job(kind, "order", status)
            (error,) = self.events("error")
            self.assertIn(said, error["fault"])
            self.assertEqual(self.events("done"), [], kind)
            self.assertFalse(os.path.exists(self.path("out.csv")), kind)

    def test_the_order_of_a_job_that_goes_on_or_returns(self):
        for kind in ("tries_again", "leaves_at_once", "slices_a_generator"):
            self.run_job(kind, "order")
            self.assertEqual(len(self.rows()), BATCHES, kind)
            self.assertEqual(self.events("error"), [], kind)

    def test_a_plan_that_the_loop_leaves(self):
        """Four batches train before the plan's, and it ends with the job or its next epoch."""
        self.order("slices")
        self.run_job("slices", "measure", SEQPOINT_PLAN=self.plan(range(18)))
        (error,) = self.events("error")
        self.assertIn("has left DataLoader at ends.py", error["fault"])
        self.assertIn("after 7 batches", error["fault"])
        self.assertEqual(error["hint"], "--batches 7 makes that an epoch")

    def test_lengths_that_depend_on_the_step(self):
        self.order("lengths_of_steps")
        self.run_job("lengths_of_steps", "measure", status=3, SEQPOINT_PLAN=self.plan())
        (error,) = self.events("error")
        self.assertIn("are not those of the job's order: they depend on the step", error["fault"])
        self.assertIn("--record", error["hint"])

    def test_batches_that_are_made_behind_the_loader(self):
        for verb in ("order", "record"):
            self.run_job("batches_behind", verb, status=2)
            (error,) = self.events("error")
            self.assertIn("delivers single samples (batch_size=None)", error["fault"])

    def test_a_loader_in_a_thread(self):
        for verb in ("order", "record"):
            self.run_job("in_a_thread", verb)
            (told,) = self.events("untrained")
            self.assertIn("as it is iterated in another thread", told["fault"])


class OwnWork(Jobs):
    script = SCRIPT

    def test_the_heap_is_not_searched_while_a_job_trains(self):
        for verb in ("order", "record"):
            self.run_job("counts_searches", verb)
            (held,) = self.events("held")
            self.assertEqual(held["parameters"], NETWORK)
            with open(self.path("searches"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "0\n")

    def test_clocks_of_the_job_stand_still(self):
        work, now = own_work.OwnWork(), [0]
        clock = unittest.mock.Mock(perf_counter=lambda: now[0], process_time=lambda: now[0] / 2)
        with unittest.mock.patch.multiple(own_work, time=clock, OWN_WORK=work):
            with work:
                now[0] += 3
                with work:
                    now[0] += 4
            now[0] += 5
            self.assertEqual(own_work.job_clocks(), (5, 2.5))

    def test_objects_are_known_that_were_made_copied_or_loaded(self):
        class Kind:
            def __init__(self):
                self.own = True

            def __setstate__(self, state):
                vars(self).update(state)

        known = live_objects.Made()
        older = Kind()
        known.watch(Kind)
        kept = [Kind(), copy.deepcopy(older)]
        Kind()
        self.assertEqual([id(item) for item in known.living()], [id(item) for item in kept])
        self.assertTrue(all(item.own for item in kept))


if __name__ == "__main__":
    unittest.main()
