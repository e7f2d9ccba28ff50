"""What the jobs of this folder train on: rows of words, and a small recurrent network.

A job prints "epoch SECONDS" when its first epoch has ended. None sets a seed of its own.
"""

import random
import time

import torch
from torch import nn

torch.set_num_threads(1)
WORDS, HIDDEN, ROWS = 1000, 96, 4800
DRAW = random.Random(11)
LENGTHS = [min(240, max(4, int(DRAW.lognormvariate(3.6, 0.6)))) for _ in range(ROWS)]


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return ROWS

    def __getitem__(self, row):
        return torch.full((LENGTHS[row],), 1 + row % (WORDS - 1))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, HIDDEN, padding_idx=0)
        self.layers = nn.GRU(HIDDEN, HIDDEN, num_layers=2, batch_first=True)
        self.head = nn.Linear(HIDDEN, WORDS)

    def forward(self, input_ids, labels=None):
        hidden, _ = self.layers(self.embedding(input_ids))
        scores = self.head(hidden)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), input_ids.flatten())
        return {"loss": loss}


def pad(samples):
    return nn.utils.rnn.pad_sequence(samples, batch_first=True)


def step(network, optimiser, batch):
    network(batch)["loss"].backward()
    optimiser.step()
    optimiser.zero_grad()


class Clock:
    """Prints the seconds of the first epoch."""

    def __init__(self):
        self.begun_s = time.perf_counter()

    def end(self):
        print(f"epoch {time.perf_counter() - self.begun_s:.2f}", flush=True)
