"""A batch sampler that draws its order when it is iterated, before the loader draws a seed."""

import corpus
import torch
from torch.utils.data import DataLoader


class Shuffled:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        order = torch.randperm(self.rows).tolist()
        return iter([order[at : at + 8] for at in range(0, self.rows, 8)])

    def __len__(self):
        return self.rows // 8


torch.manual_seed(12)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in DataLoader(data, batch_sampler=Shuffled(len(data)), collate_fn=corpus.pad):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()
