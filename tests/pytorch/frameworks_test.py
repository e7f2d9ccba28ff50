"""Begin and end of iterations in Hugging Face's Trainer and in Lightning, with stand-ins:

    frameworks_test.py SOURCE_DIR
"""

import sys
import time
import unittest
import unittest.mock

import stand_ins
from plans import Folder, companion, signature, step, torch

from seqpoint_companion.loop import frameworks
from torch.utils.data import DataLoader

TRAIN_S, UPDATE_S, LOAD_S = 0.1, 0.02, 5.0


class Job:
    """Work with times by its own clock, and a record of it."""

    def __init__(self, case):
        self.now, self.batches, self.updates = 0.0, [], 0
        patch = unittest.mock.patch.object(time, "perf_counter", lambda: self.now)
        patch.start()
        case.addCleanup(patch.stop)
        self.optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.1)

    def loader(self, plan, **options):
        def collate(samples):
            self.now += LOAD_S
            return list(samples)

        return DataLoader(range(10), batch_sampler=plan, collate_fn=collate, **options)

    def train(self, batch):
        self.now += TRAIN_S * sum(batch)
        self.batches.append(batch)

    def update(self):
        self.optimiser.step()
        self.now += UPDATE_S
        self.updates += 1


class Frameworks(Folder):
    def setUp(self):
        super().setUp()
        stand_ins.install()
        self.job = Job(self)

    def plain(self, plan, accumulate=1):
        for number, batch in enumerate(
            companion.Recorder(self.out, plan=plan)(self.job.loader(plan))
        ):
            self.job.train(batch)
            if (number + 1) % accumulate == 0:
                self.job.update()

    def hugging_face(self, plan, accumulate=1, fetches_ahead=True):
        recorder = companion.Recorder(self.out, plan=plan)
        trainer = stand_ins.Trainer(
            recorder.watch(self.job.loader(plan)),
            self.job.train,
            self.job.update,
            [],
            accumulate,
            fetches_ahead,
        )
        frameworks.transformers_steps(trainer, recorder)
        trainer.train()

    def hugging_face_one_by_one(self, plan, accumulate=1):
        self.hugging_face(plan, accumulate, fetches_ahead=False)

    def lightning(self, plan, accumulate=1):
        recorder = companion.Recorder(self.out, plan=plan)
        trainer = stand_ins.LightningTrainer([], accumulate)
        frameworks.lightning_steps(trainer, recorder)
        trainer.fit(recorder.watch(self.job.loader(plan)), self.job.train, self.job.update)

    def test_all_loops_measure_the_same(self):
        for loop in (self.plain, self.hugging_face, self.hugging_face_one_by_one, self.lightning):
            with self.subTest(loop.__name__):
                loop(self.plan())
                rows = self.table()
                trained = {"sp1": (0.52, 0.72), "sp2": (1.72,), "warm-up": (1.72,)}
                waits = [0.0] + (len(rows) - 1) * [LOAD_S]  # the first one is the loader's start
                for row, wait in zip(rows, waits):
                    seconds = round(float(row["runtime_s"]) - wait, 6)
                    self.assertIn(seconds, trained[row["point"]])
                self.assertEqual(
                    [row["point"] for row in rows if row["warmup"] == "0"], ["sp1", "sp2", "sp1"]
                )

    def test_each_batch_has_its_share_of_the_optimisers_step(self):
        steps = [
            *(step(2 * n, "sp1", [4, 1], repeat=n, iteration=7) for n in range(4)),
            *(step(2 * n + 1, "sp2", [9, 8], repeat=n, iteration=3) for n in range(4)),
        ]
        warm_up = step(8, "sp2", [9, 8], warmup=True, iteration=3)
        for loop in (self.plain, self.hugging_face, self.hugging_face_one_by_one, self.lightning):
            with self.subTest(loop.__name__):
                self.job.updates = 0
                plan = self.plan([*steps, warm_up], {"warmup_rounds": 2})
                self.assertEqual(len(plan), 12)
                loop(plan, 4)
                rows = self.table()
                self.assertEqual((len(rows), self.job.updates), (12, 3))
                share = UPDATE_S / 4
                expected = {"sp1": 0.5 + share, "sp2": 1.7 + share, "warm-up": 1.7 + share}
                for number, row in enumerate(rows):
                    seconds = expected[row["point"]] + LOAD_S * (number > 0)
                    self.assertAlmostEqual(float(row["runtime_s"]), seconds)

    def test_a_run_without_a_plan_is_recorded_batch_by_batch(self):
        recorder = companion.Recorder(self.out, signature)
        trainer = stand_ins.Trainer(
            recorder.watch([[3, 2], [5]]), self.job.train, self.job.update, [], accumulate=2
        )
        frameworks.transformers_steps(trainer, recorder)
        trainer.train()
        self.assertEqual(
            [(row["iteration"], row["src_len"], float(row["runtime_s"])) for row in self.table()],
            [("0", "3", 0.5), ("1", "5", 0.52)],
        )

    def test_a_wrong_batch_stops_lightning_before_it_runs(self):
        plan = self.plan()
        recorder, trainer = companion.Recorder(
            self.out, signature, plan=plan
        ), stand_ins.LightningTrainer([])
        frameworks.lightning_steps(trainer, recorder)
        with self.assertRaises(companion.WrongBatch):
            trainer.fit(recorder.watch([9, 8, 7] for _ in plan), self.job.train, self.job.update)
        self.assertEqual(self.job.batches, [])

    def test_they_are_imported_only_if_they_are_used(self):
        for name in (
            "transformers",
            "lightning",
            "lightning.pytorch",
            "lightning.pytorch.callbacks",
        ):
            sys.modules[name] = None  # importing it is an error
        with self.assertRaises(ImportError):
            frameworks.transformers_steps(None, None)
        with self.assertRaises(ImportError):
            frameworks.lightning_steps(None, None)
        self.plain(self.plan())


unittest.main(warnings="ignore")  # the rows of one point take different times here
