"""Three training jobs that run a plan over the right data and over wrong data:

    wrong_data_test.py SOURCE_DIR

A custom loop, a loop like that of Hugging Face's Trainer (a stand-in, see there), and two ranks
that average gradients by gloo. The data set is reversed or shuffled, batches have another size, or
the loader does not use the plan. Every job has to end before anything is in its file, although it
does not describe its batches (no `signature`).
"""

import os
import random
import sys
import unittest

import stand_ins
from plans import SOURCE, Folder, companion, step, torch  # before imports that need PyTorch
from seqpoint_companion import outputs
from seqpoint_companion.loop import frameworks

sys.path.insert(0, os.path.join(SOURCE, "examples", "pytorch"))
import train
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

POINTS, SAMPLES = 6, 4
LENGTHS = random.Random(2).choices(range(3, 60), k=240)
BY_LENGTH = sorted(range(len(LENGTHS)), key=LENGTHS.__getitem__)


def steps(ranks):
    """Two batches per point, of samples of similar length, as a sorting loader would make them."""
    planned = []
    for repeat in range(2):
        for point in range(POINTS):
            begin = len(LENGTHS) // POINTS * point + 10 * repeat
            rows = BY_LENGTH[begin : begin + SAMPLES * ranks]
            ends = (
                {
                    "rank_ends": [SAMPLES * (rank + 1) for rank in range(ranks)],
                    "heaviest_rank": ranks - 1,
                }
                if ranks > 1
                else {}
            )
            planned.append(
                {
                    **step(len(planned), f"sp{point + 1}", rows, repeat=repeat, **ends),
                    "batch_size": SAMPLES,
                    "src_len": max(LENGTHS[row] for row in rows),
                }
            )
    return planned


class Sentences:
    def __init__(self, lengths):
        self.lengths = lengths

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, row):
        return torch.randint(train.VOCABULARY, (self.lengths[row],))


def pad(samples):
    return {"input_ids": pad_sequence(samples, batch_first=True)}


def loader_of(plan, mistake):
    lengths, collate = LENGTHS, pad
    if mistake == "reversed":
        lengths = LENGTHS[::-1]
    if mistake == "shuffled":
        lengths = random.Random(3).sample(LENGTHS, len(LENGTHS))
    if mistake == "another batch size":
        collate = lambda samples: pad(samples[: SAMPLES // 2])
    if mistake == "without the sampler":
        return DataLoader(Sentences(lengths), batch_size=SAMPLES, shuffle=True, collate_fn=pad)
    return DataLoader(Sentences(lengths), batch_sampler=plan, collate_fn=collate)


class Network:
    """Trains on a batch; counts what was measured."""

    def __init__(self, parallel=False):
        torch.manual_seed(1)
        model = train.Language(hidden=8, cell=None)
        self.model = torch.nn.parallel.DistributedDataParallel(model) if parallel else model
        self.optimiser = torch.optim.Adam(self.model.parameters())

    def step(self, batch):
        self.model(batch["input_ids"]).backward()

    def update(self):
        self.optimiser.step()
        self.optimiser.zero_grad()


def own_loop(path, out, mistake, parallel=False):
    plan, network = companion.Plan(path), Network(parallel)
    for batch in companion.Recorder(out, plan=plan)(loader_of(plan, mistake)):
        network.step(batch)
        network.update()


def trainers_loop(path, out, mistake):
    plan, network = companion.Plan(path), Network()
    recorder = companion.Recorder(out, plan=plan)
    trainer = stand_ins.Trainer(
        recorder.watch(loader_of(plan, mistake)), network.step, network.update, []
    )
    frameworks.transformers_steps(trainer, recorder)
    trainer.train()


def rank_of_two(rank, path, out):
    """One rank; writes each job's outcome to OUT.MISTAKE.RANK.txt.

    An exception leaves the process group usable.
    """
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{out}.group", rank=rank, world_size=2
    )
    for mistake in (*MISTAKES, "", "one file"):
        said = "ended"
        try:
            own_loop(
                path,
                f"{out}.csv" if mistake == "one file" else f"{out}.{mistake}.{rank}.csv",
                mistake,
                parallel=True,
            )
        except (companion.WrongBatch, outputs.SharedFile) as error:
            said = f"{type(error).__name__}: {error}"
        with open(f"{out}.{mistake}.{rank}.txt", "w", encoding="utf-8") as file:
            file.write(said)
    torch.distributed.destroy_process_group()


MISTAKES = {
    "reversed": "in no unit",
    "shuffled": "in no unit",
    "another batch size": "no axis has the planned number of samples",
    "without the sampler": "is not from the plan",
}


class WrongData(Folder):
    def setUp(self):
        super().setUp()
        stand_ins.install()
        torch.set_num_threads(1)

    def check_profile(self, rank=None):
        rows = self.table()
        measured = [row for row in rows if row["warmup"] == "0"]
        self.assertEqual(
            [(row["point"], row["repeat"]) for row in measured],
            [(f"sp{point + 1}", str(repeat)) for repeat in range(2) for point in range(POINTS)],
        )
        self.assertEqual(len(rows) - len(measured), POINTS, "each point's own warm-up")
        self.assertTrue(all(float(row["runtime_s"]) > 0 for row in rows))
        self.assertEqual({row.get("rank") for row in rows}, {rank})

    def test_jobs_of_one_process(self):
        self.plan(steps(ranks=1))
        for job in (own_loop, trainers_loop):
            for mistake, said in MISTAKES.items():
                with self.subTest(f"{job.__name__}, {mistake}"):
                    with self.assertRaisesRegex(companion.WrongBatch, said):
                        job(self.path, self.out, mistake)
                    self.assertFalse(os.path.exists(self.out))
            with self.subTest(f"{job.__name__}, right"):
                job(self.path, self.out, "")
                self.check_profile()
                os.remove(self.out)

    def test_two_ranks(self):
        self.plan(steps(ranks=2), {"rank": 0}, world_size=2)
        torch.multiprocessing.start_processes(
            rank_of_two, (self.path, self.out), nprocs=2, start_method="fork"
        )
        for rank in range(2):
            for mistake, said in {
                **MISTAKES,
                "": "ended",
                "one file": "SharedFile: several processes record into",
            }.items():
                with self.subTest(f"rank {rank}, {mistake or 'right'}"):
                    with open(f"{self.out}.{mistake}.{rank}.txt", encoding="utf-8") as file:
                        self.assertIn(said, file.read())
                    self.assertEqual(
                        os.path.exists(f"{self.out}.{mistake}.{rank}.csv"), mistake == ""
                    )
        self.assertFalse(os.path.exists(f"{self.out}.csv"))
        out = self.out
        for rank in range(2):
            self.out = f"{out}..{rank}.csv"
            self.check_profile(str(rank))


unittest.main(warnings="ignore")  # times on a shared machine
