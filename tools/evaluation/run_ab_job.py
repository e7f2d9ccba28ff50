#!/usr/bin/env python3
"""An epoch of a small feed-forward network over sequences, on the CPU: run_ab_job.py EXTRA

EXTRA: a share of the work of each iteration that is done once more, over the first steps of the
same batch. Prints the seconds of the epoch. Needs PyTorch.
"""

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import torch
from torch.utils.data import DataLoader

EXTRA = float(sys.argv[1])
SAMPLES, BATCH, WIDTH = 6400, 16, 24


class Speech(torch.utils.data.Dataset):
    """Samples of 20 to 200 steps, most of them short."""

    def __init__(self):
        draw = torch.Generator().manual_seed(1)
        self.lengths = (20 + 180 * torch.rand(SAMPLES, generator=draw) ** 2).long().tolist()

    def __len__(self):
        return SAMPLES

    def __getitem__(self, row):
        return torch.full((self.lengths[row], WIDTH), 0.01)


def pad(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


torch.set_num_threads(1)
torch.manual_seed(2)
network = torch.nn.Sequential(
    torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH)
)
optimiser = torch.optim.SGD(network.parameters(), lr=1e-3)
loader = DataLoader(Speech(), batch_size=BATCH, shuffle=True, collate_fn=pad)
begin = time.perf_counter()
for batch in loader:
    optimiser.zero_grad()
    network(batch).square().mean().backward()
    if EXTRA > 0:
        again = batch[:, : max(1, round(EXTRA * batch.shape[1]))]
        network(again).square().mean().backward()
    optimiser.step()
print(f"epoch {time.perf_counter() - begin:.3f}")
