"""The training jobs of the field trial, and the code of its processes.

    field_job.py JOB FOLDER --record FILE [--process N]

FOLDER contains side-*.len (lengths of the samples), run.csv (the batches of the epoch) and plan, as
field.py prepares them.
"""
import argparse
import csv
import itertools
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = str(ROOT / "examples" / "pytorch"), str(ROOT / "python")

LIBRISPEECH, OPENNMT = ("librispeech-train-clean-100.csv",), ("opennmt-sample.en.len",)
MULTI30K, IWSLT15 = ("multi30k-train.en.len", "multi30k-train.de.len"), (
    "iwslt15-train.en-vi.tsv.gz",
)
WAYS = {
    "sorted": "sorted",
    "pytorch": "shuffled",
    "hf-length-grouped": "grouped",
    "token-budget": "budget",
}
# Durations of spells of load and of the pauses between them: from a few iterations to several
# processes. Their logarithms are drawn, because no duration is typical.
SHORTEST_SPELL_S, LONGEST_SPELL_S = 0.1, 10


def in_order(batch_size):
    return ("--sampler", "sorted", "--batch-size", batch_size)


def shuffled(batch_size):
    return ("--sampler", "pytorch:generator-seed=1", "--batch-size", batch_size)


def grouped(batch_size):
    return ("--sampler", "hf-length-grouped", "--batch-size", batch_size)


def budget(tokens):
    return ("--sampler", f"token-budget:max-tokens={tokens},order=shuffled")


@dataclass(frozen=True)
class Job:
    network: str
    cell: str
    hidden: int
    corpus: tuple
    every: int  # rows of the corpus that are taken
    sampler: tuple

    @property
    def name(self):
        way = WAYS[self.sampler[1].partition(":")[0]]
        return f"{self.network}-{self.cell}{self.hidden}-{self.corpus[0].split('-')[0]}-{way}"


PASSES = 2  # of an epoch in its process

# So many rows that an epoch takes 2 to 4 seconds.
JOBS = [
    Job("speech", "lstm", 16, LIBRISPEECH, 24, in_order(12)),
    Job("speech", "gru", 24, LIBRISPEECH, 40, in_order(8)),
    Job("speech", "lstm", 12, LIBRISPEECH, 32, shuffled(8)),
    Job("speech", "gru", 16, LIBRISPEECH, 24, shuffled(12)),
    Job("speech", "lstm", 24, LIBRISPEECH, 36, grouped(8)),
    Job("speech", "gru", 20, LIBRISPEECH, 32, grouped(10)),
    Job("speech", "gru", 12, LIBRISPEECH, 32, budget(3000)),
    Job("convolutions", "", 32, LIBRISPEECH, 24, in_order(12)),
    Job("convolutions", "", 48, LIBRISPEECH, 24, shuffled(12)),
    Job("convolutions", "", 40, LIBRISPEECH, 40, shuffled(6)),
    Job("convolutions", "", 24, LIBRISPEECH, 24, grouped(8)),
    Job("convolutions", "", 40, LIBRISPEECH, 32, budget(3000)),
    Job("language", "", 24, OPENNMT, 4, shuffled(16)),
    Job("language", "", 48, OPENNMT, 6, shuffled(16)),
    Job("language", "", 32, OPENNMT, 3, grouped(16)),
    Job("language", "", 40, OPENNMT, 6, budget(512)),
    Job("language", "", 36, OPENNMT, 4, in_order(12)),
    Job("language", "", 32, MULTI30K[1:], 6, shuffled(24)),
    Job("language", "", 40, MULTI30K[1:], 8, budget(320)),
    Job("translation", "gru", 32, MULTI30K, 8, shuffled(16)),
    Job("translation", "lstm", 24, MULTI30K, 6, shuffled(32)),
    Job("translation", "gru", 48, MULTI30K, 8, grouped(24)),
    Job("translation", "gru", 24, MULTI30K, 8, budget(320)),
    Job("translation", "lstm", 32, MULTI30K, 8, in_order(16)),
    Job("translation", "lstm", 16, IWSLT15, 64, shuffled(16)),
    Job("translation", "gru", 40, IWSLT15, 80, grouped(16)),
    Job("translation", "gru", 24, IWSLT15, 64, budget(800)),
    Job("translation", "gru", 16, IWSLT15, 32, in_order(20)),
    Job("transformer", "", 24, MULTI30K, 6, shuffled(32)),
    Job("transformer", "", 24, MULTI30K, 8, in_order(20)),
    Job("transformer", "", 32, MULTI30K, 8, budget(400)),
    Job("transformer", "", 32, IWSLT15, 96, shuffled(12)),
    Job("transformer", "", 24, IWSLT15, 48, grouped(12)),
]


def networks():
    """Those of train.py, and two more."""
    import torch
    from torch import nn
    import train

    class Convolutions(nn.Module):
        """Speech without recurrent layers."""

        def __init__(self, hidden, _):
            super().__init__()
            sizes = [train.FEATURES, hidden, hidden, hidden, hidden]
            layers = [(nn.Conv1d(a, b, 9, padding=4), nn.ReLU()) for a, b in zip(sizes, sizes[1:])]
            self.layers = nn.Sequential(
                *itertools.chain.from_iterable(layers), nn.Conv1d(hidden, train.CHARACTERS, 1)
            )

        def forward(self, frames, lengths):
            scores = self.layers(frames.transpose(1, 2)).permute(2, 0, 1).log_softmax(-1)
            return train.ctc_loss(scores, lengths)

    class Transformer(nn.Module):
        """Translates: encoder and decoder of a layer each."""

        def __init__(self, hidden, _):
            super().__init__()
            self.embedding = nn.Embedding(train.VOCABULARY, hidden)
            self.layers = nn.Transformer(hidden, 4, 1, 1, 4 * hidden, dropout=0.0, batch_first=True)
            self.head = nn.Linear(hidden, train.VOCABULARY)

        def forward(self, source, target):
            future = self.layers.generate_square_subsequent_mask(target.shape[1])
            states = self.layers(self.embedding(source), self.embedding(target), tgt_mask=future)
            return nn.functional.cross_entropy(self.head(states).flatten(0, 1), target.flatten())

    return {**train.NETWORKS, "convolutions": Convolutions, "transformer": Transformer}


def corpus_of(job, folder):
    from train import Corpus

    corpus = Corpus.__new__(Corpus)
    corpus.speech = job.corpus == LIBRISPEECH
    sides = sorted(folder.glob("side-*.len"))
    corpus.sides = [list(map(int, path.read_text(encoding="utf-8").split())) for path in sides]
    return corpus


def epoch_in(folder):
    """The rows of each batch."""
    with open(folder / "run.csv", newline="", encoding="utf-8") as file:
        return [list(map(int, row["rows"].split())) for row in csv.DictReader(file)]


def train_job(job, folder, process, record):
    """The whole epoch twice, or with a process that process of the plan.

    The first pass warms up: the projection is of steady iterations.
    """
    import torch
    from seqpoint_companion import Plan, Recorder
    from torch.utils.data import DataLoader

    torch.manual_seed(1)
    torch.set_num_threads(1)
    corpus, plan = corpus_of(job, folder), None
    if process is not None:
        plan = Plan(folder / "plan" / "plan.json", process=process)
    model = networks()[job.network](job.hidden, job.cell)
    optimiser = torch.optim.Adam(model.parameters())
    batches = plan or PASSES * epoch_in(folder)
    loader = DataLoader(range(len(corpus)), batch_sampler=batches, collate_fn=corpus.batch)
    for batch in Recorder(record, corpus.signature, plan)(loader):
        optimiser.zero_grad()
        model(*batch["inputs"]).backward()
        optimiser.step()


def work_in_spells(seed):
    """Multiplies matrices of a megabyte each, with pauses, until its parent is gone or ends it."""
    import torch

    torch.set_num_threads(1)
    draw, matrix, parent = random.Random(seed), torch.ones(512, 512), os.getppid()

    def spell():
        seconds = SHORTEST_SPELL_S * (LONGEST_SPELL_S / SHORTEST_SPELL_S) ** draw.random()
        return time.monotonic() + seconds

    while os.getppid() == parent:
        end = spell()
        while time.monotonic() < end:
            torch.mm(matrix, matrix)
        time.sleep(max(0.0, spell() - time.monotonic()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "name", metavar="JOB", help="a name, or spells, which trains nothing but is the load"
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--process", type=int, metavar="N", help="this process of the plan")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of spells")
    options = parser.parse_args()
    if options.name == "spells":
        work_in_spells(options.seed)
    else:
        job = next(job for job in JOBS if job.name == options.name)
        train_job(job, options.folder, options.process, options.record)


if __name__ == "__main__":
    main()
