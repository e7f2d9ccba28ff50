"""The companion writes the right times in loops that are left in the middle:

    loops_test.py SOURCE_DIR [FIRST_SEED [SEEDS]]

Jobs are drawn at random: loops that are left by `break` or by an exception, or continue with the
same iterator, batches that are tried again, callbacks that run late because the loader fetches
ahead, trainers that fail and are started again, processes that load. The test's own clock gives
each batch a unique time, so a row shows its batch, and the executed batches are recorded for
comparison.
"""

import collections
import contextlib
import os
import random
import sys
import time
import unittest
import unittest.mock

SEEDS = (
    range(int(sys.argv[2]), int(sys.argv[2]) + int((sys.argv[3:] or [1])[0]))
    if len(sys.argv) > 2
    else range(300 if os.environ.get("SEQPOINT_SEEDS") == "all" else 60)
)
del sys.argv[2:]

import stand_ins
from plans import Folder, companion, signature, step

from seqpoint_companion.loop import frameworks
from torch.utils.data import DataLoader

POINTS, REPEATS, WASTED_S = 3, 2, 1000.0
ROWS = {
    (point, repeat): [10 * (REPEATS * point + repeat), 10 * (REPEATS * point + repeat) + 1 + point]
    for repeat in range(REPEATS)
    for point in range(POINTS)
}
WARM_UP = [90, 94]
STEPS = [
    step(0, "sp3", WARM_UP, warmup=True),
    *(
        step(1 + index, f"sp{point + 1}", rows, repeat=repeat)
        for index, ((point, repeat), rows) in enumerate(ROWS.items())
    ),
]
FIRSTS = [(f"sp{point + 1}", "0", "1") for point in range(POINTS)]
MEASURED = [(f"sp{point + 1}", repeat, "0") for repeat in "01" for point in range(POINTS)]


def expected_with(rounds):
    """Name, repeat and warm-up of each step, of a plan with so many batches of warm-up."""
    warmup = [("warm-up", str(repeat), "1") for repeat in range(rounds)]
    return warmup[:1] + FIRSTS + warmup[1:] + MEASURED


# The first batch of a trace takes 1 s, the next 2 s and so on; in a plan, a batch takes as many
# seconds as its place here.
SECONDS = {tuple(rows): 1.0 + place for place, rows in enumerate([*ROWS.values(), WARM_UP])}


class OutOfMemory(RuntimeError):
    pass


def columns_of(row):
    names = ("point", "repeat", "warmup") if "point" in row else ("iteration", "epoch", "src_len")
    return {name: row[name] for name in (*names, "runtime_s")}


class Job:
    """Draws events, and records the batches that ran: `ran` are those of complete steps."""

    def __init__(self, case, seed):
        self.draw, self.case, self.now = random.Random(seed), case, 0.0
        self.accumulate, self.with_plan = self.draw.choice([1, 1, 2, 3]), self.draw.random() < 0.6
        self.workers = 2 if self.draw.random() < 0.04 else 0
        self.rounds = self.draw.randrange(3)
        self.loop = self.draw.choice(
            [self.own, self.own, self.held, self.behind, self.hugging_face, self.lightning]
        )
        self.start()

    def start(self):
        """Starts a process of the job; rows of an earlier process are not kept."""
        self.ran, self.epoch, self.iteration = [], -1, -1
        self.written = 0  # of a plan: rows up to the last measured one, once every point has run
        options = {"warmup_rounds": self.rounds}
        self.plan = self.case.plan(STEPS, options) if self.with_plan else None
        by_signature = signature if not self.with_plan or self.draw.random() < 0.5 else None
        self.recorder = companion.Recorder(self.case.out, by_signature, self.plan)
        sampler = self.plan or [rows for rows in ROWS.values() for _ in range(2)]
        self.loader = DataLoader(
            range(100), batch_sampler=sampler, collate_fn=list, num_workers=self.workers
        )

    def begin_epoch(self):
        self.epoch, self.place = self.epoch + 1, -1
        self.fails_at = self.draw.randrange(1, 30)

    def arrives(self):
        """The next batch of this epoch."""
        self.place, self.iteration = self.place + 1, self.iteration + 1

    def train(self, batch):
        """The body of the loop. It may fail, once or for good."""
        if self.place == self.fails_at:
            self.now += WASTED_S
            raise OutOfMemory
        if self.draw.random() < 0.1:
            with contextlib.suppress(
                OutOfMemory
            ):  # the first of two tries, in the body of the loop
                raise OutOfMemory
        self.now += SECONDS[tuple(batch)]

    def ended(self, batch):
        """Called when the batch has run; the batches of an optimiser step are a row."""
        if not self.with_plan:
            self.ran.append(
                {
                    "iteration": str(self.iteration),
                    "epoch": str(self.epoch),
                    "src_len": str(max(batch)),
                    "runtime_s": f"{SECONDS[tuple(batch)]:.9f}",
                }
            )
            return
        name, repeat, warmup = expected_with(self.rounds)[self.place]
        self.ran.append(
            {
                "point": name,
                "repeat": repeat,
                "warmup": warmup,
                "runtime_s": f"{SECONDS[tuple(batch)]:.9f}",
            }
        )
        if warmup == "0" and self.place >= self.rounds + 2 * POINTS - 1:
            self.written = len(self.ran)

    def own(self):
        self.begin_epoch()
        leave_at, last = self.draw.randrange(1, 40), None
        for batch in self.recorder(self.loader):
            if last is not None:
                self.ended(last)
            last = None
            self.arrives()
            self.train(batch)
            if self.place == leave_at:
                return
            last = batch
        if last is not None:
            self.ended(last)

    def held(self):
        """One iterator, several loops over it."""
        self.begin_epoch()
        batches = iter(self.recorder(self.loader))
        for _ in range(4):
            leave_after, last = self.draw.randrange(1, 12), None
            for batch in batches:
                if last is not None:
                    self.ended(last)
                last = None
                self.arrives()
                self.train(batch)
                leave_after -= 1
                if leave_after == 0:
                    self.now += WASTED_S  # such as an evaluation
                    break
                last = batch
            if last is not None:
                self.ended(last)

    def behind(self):
        """begin() and end() by hand, while batches are fetched ahead."""
        self.begin_epoch()
        depth, leave_at, waiting = (
            self.draw.randrange(1, 5),
            self.draw.randrange(1, 40),
            collections.deque(),
        )
        batches = iter(self.recorder.watch(self.loader))
        while self.place != leave_at:
            waiting.extend(batch for _, batch in zip(range(depth - len(waiting)), batches))
            if not waiting:
                return
            batch = waiting.popleft()
            self.recorder.begin()
            self.arrives()
            self.train(batch)
            self.recorder.end()
            self.ended(batch)

    def hugging_face(self):
        self.begin_epoch()
        fetches_ahead = self.draw.random() < 0.5
        skip = self.draw.randrange(3) if not fetches_ahead and self.draw.random() < 0.3 else 0

        def train(batch):
            self.arrives()
            self.train(batch)
            self.last = batch

        class Account(stand_ins.TrainerCallback):
            def on_substep_end(_, *arguments, **keys):
                self.ended(self.last)

            on_step_end = on_substep_end

        self.place += skip * self.accumulate
        self.iteration += skip * self.accumulate
        self.fails_at += skip * self.accumulate
        trainer = stand_ins.Trainer(
            self.recorder.watch(self.loader),
            train,
            lambda: None,
            [],
            self.accumulate,
            fetches_ahead,
            skip,
        )
        frameworks.transformers_steps(trainer, self.recorder)
        trainer.add_callback(Account())
        trainer.train()

    def lightning(self):
        self.begin_epoch()

        def train(batch):
            self.arrives()
            self.train(batch)
            self.last = batch

        class Account(stand_ins.Callback):
            def on_train_batch_end(_, *arguments):
                self.ended(self.last)

        trainer = stand_ins.LightningTrainer([], self.accumulate)
        frameworks.lightning_steps(trainer, self.recorder)
        trainer.callbacks.append(Account())
        trainer.fit(self.recorder.watch(self.loader), train, lambda: None)

    def run(self):
        for _ in range(self.draw.randrange(1, 5)):
            with contextlib.suppress(OutOfMemory):
                self.loop()
            if self.draw.random() < 0.1:
                self.start()


class Loops(Folder):
    def setUp(self):
        super().setUp()
        stand_ins.install()

    def rows(self):
        try:
            return [columns_of(row) for row in self.table()]
        except FileNotFoundError:
            return []

    def check(self, seed):
        self.out = f"{self.path}.{seed}.csv"
        job = Job(self, seed)
        with unittest.mock.patch.object(time, "perf_counter", lambda: job.now):
            job.run()
        written = job.ran[: job.written] if job.with_plan else job.ran
        if written:  # else the file is the one of the process before
            self.assertEqual(self.rows(), written)
        return sum(row.get("warmup") != "1" for row in written)

    def test_every_row_is_of_the_batch_that_ran(self):
        measured = 0
        for seed in SEEDS:
            with self.subTest(seed=seed):
                measured += self.check(seed)
        self.assertGreater(measured, 3 * len(SEEDS))


unittest.main(warnings="ignore")
