"""A custom loop over a part of the data that is drawn at random, without a seed.

split.py EPOCHS [LONGEST]
"""

import os
import sys

import corpus
import torch
from torch.utils.data import DataLoader, random_split


class Texts(corpus.Pairs):
    """Targets are as long as their sources."""

    def __init__(self):
        super().__init__(samples=640)
        self.lengths = [(min(source, LONGEST),) * 2 for source, _ in self.lengths]


LONGEST = int(sys.argv[2]) if sys.argv[2:] else 40
corpus.SEEN += f"-{os.getpid()}"  # each process has a new file
data, model = Texts(), corpus.Network()
train, _ = random_split(data, [len(data) - 64, 64])
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(
    train, batch_size=4, shuffle=True, collate_fn=corpus.pad, num_workers=corpus.WORKERS
)
for epoch in range(int(sys.argv[1])):
    for batch in loader:
        optimiser.zero_grad()
        model(**batch)["loss"].backward()
        optimiser.step()
