"""A custom batch sampler, unknown to `seqpoint`: any batch size, samples of similar length."""

import random

import corpus
import torch
from torch.utils.data import DataLoader


class OwnBatches:
    def __init__(self, data):
        self.data, self.draw = data, random.Random(5)

    def __iter__(self):
        """Sorted roughly, cut at random, and the pieces shuffled."""
        rows = sorted(
            range(len(self.data)),
            key=lambda row: sum(self.data.lengths[row]) + self.draw.randrange(20),
        )
        batches = []
        while rows:
            size = self.draw.randrange(2, 13)
            batches.append(rows[:size])
            rows = rows[size:]
        self.draw.shuffle(batches)
        return iter(batches)


torch.manual_seed(4)
data, model = corpus.Pairs(800), corpus.Network(32)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in DataLoader(
    data, batch_sampler=OwnBatches(data), collate_fn=corpus.pad, num_workers=corpus.WORKERS
):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()
