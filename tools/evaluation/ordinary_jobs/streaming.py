"""An IterableDataset that shuffles within a buffer."""

import random

import torch
import work
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        rows, data = list(range(work.ROWS)), work.Rows()
        for at in range(0, len(rows), 800):
            buffer = rows[at : at + 800]
            random.shuffle(buffer)
            yield from map(data.__getitem__, buffer)


network = work.Network()
optimiser = torch.optim.SGD(network.parameters(), 0.01)
clock = work.Clock()
for batch in DataLoader(Stream(), 16, collate_fn=work.pad):
    work.step(network, optimiser, batch)
clock.end()
