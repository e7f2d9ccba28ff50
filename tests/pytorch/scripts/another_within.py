"""A loader that shows PyTorch's own loader rows, while it is iterated, and all others its table."""

import corpus
import torch
from torch.utils.data import DataLoader


class Table:
    """Has no rows to ask for by `table[row]`."""

    def __init__(self):
        self.pairs = corpus.Pairs()

    def __len__(self):
        return len(self.pairs)


class Loader(DataLoader):
    is_within = False

    def __init__(self, table, **named):
        self.table = table
        super().__init__(range(len(table)), collate_fn=self.batch, **named)

    def __getattribute__(self, name):
        shown = "table" if name == "dataset" and not Loader.is_within else name
        return super().__getattribute__(shown)

    def __iter__(self):
        Loader.is_within = True
        try:
            return super().__iter__()
        finally:
            Loader.is_within = False

    def batch(self, rows):
        return corpus.pad([self.table.pairs[row] for row in rows])


torch.manual_seed(3)
model = corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in Loader(Table(), batch_size=8, shuffle=True):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()
