"""The data of the scripts in this folder, and the report of their batches.

The scripts do not use seqpoint.
"""

import json
import os
import random
import time

import torch
from torch import nn

VOCABULARY, WORKERS = 50, int(os.environ.get("WORKERS", "0"))
SLOW_S = float(os.environ.get("SLOW_S", "0"))  # to make a sample
SEEN = os.environ.get("SEEN", "seen.jsonl")
if os.environ.get("SEEDLESS"):  # as most jobs are: what a script seeds stays as it is
    torch.manual_seed = lambda seed: torch.default_generator


class Pairs(torch.utils.data.Dataset):
    def __init__(self, samples=160, seed=7):
        draw = random.Random(seed)
        self.lengths = [(draw.randrange(4, 40), draw.randrange(4, 40)) for _ in range(samples)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, row):
        time.sleep(SLOW_S)
        src, tgt = self.lengths[row]
        return {
            "row": row,
            "input_ids": torch.full((src,), 1 + row % 40),
            "labels": torch.full((tgt,), 1 + row % 30),
        }


def pad(samples):
    together = lambda key: nn.utils.rnn.pad_sequence(
        [sample[key] for sample in samples], batch_first=True
    )
    return {
        "rows": torch.tensor([sample["row"] for sample in samples]),
        "input_ids": together("input_ids"),
        "labels": together("labels"),
    }


class Network(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.embedding, self.head, self.dropout = (
            nn.Embedding(VOCABULARY, hidden),
            nn.Linear(hidden, VOCABULARY),
            nn.Dropout(0.1),
        )

    def forward(self, input_ids, labels=None, rows=None):
        """The loss of every place in the target, given the mean of the source."""
        if self.training:
            saw(rows, input_ids, labels)
        state = self.dropout(self.embedding(input_ids)).mean(1, keepdim=True) + self.embedding(
            labels
        )
        return {
            "loss": nn.functional.cross_entropy(self.head(state).flatten(0, 1), labels.flatten())
        }


def saw(rows, source, target):
    """Writes a batch's description to disk at once, because the job may be ended any time."""
    rank = os.environ.get("RANK", "0")
    with open(f"{SEEN}.{rank}", "a", encoding="utf-8") as file:
        told = {
            "rows": rows.tolist() if rows is not None else [],
            "src_len": source.shape[1],
            "batch_size": len(source),
        }
        print(
            json.dumps({**told, "tgt_len": target.shape[1]} if target is not None else told),
            file=file,
        )
