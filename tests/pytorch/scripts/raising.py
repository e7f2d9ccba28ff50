"""A job one of whose objects raises at each question that PyTorch does not ask.

    raising.py KIND            prints the loss of each batch of two epochs
"""

import sys

import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler

BATCHES, SIZE = 24, 4
LENGTHS = [5 + row * 7 % 11 for row in range(BATCHES * SIZE)]


def refuse(*_):
    raise NotImplementedError("asked")


class Raises:
    """Raises at questions; PyTorch itself asks for some names with two underscores."""

    __len__ = __bool__ = __repr__ = __str__ = __format__ = __deepcopy__ = __copy__ = refuse
    __eq__ = __ne__ = __hash__ = __contains__ = __reduce_ex__ = refuse
    shape = ndim = optimizer = epoch = skip_batches = generator = in_order = property(refuse)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(name)


class Opaque:
    """Tells nothing, not even its class."""

    def __getattribute__(self, name):
        raise NotImplementedError(name)


class Data(Dataset):
    def __len__(self):
        return len(LENGTHS)

    def __getitem__(self, row):
        return torch.full((LENGTHS[row],), row % 7 + 1)


class RaisingData(Raises, Data):
    pass


class Rows(Sampler):
    """All rows, in an order that depends on the epoch."""

    def __init__(self):
        self.drawn = torch.Generator().manual_seed(5)

    def __len__(self):
        return len(LENGTHS)

    def __iter__(self):
        return iter(torch.randperm(len(LENGTHS), generator=self.drawn).tolist())


class RaisingRows(Raises, Rows):
    pass


class RowsOfEpochs(Rows):
    """Raises where the job itself would not begin another epoch."""

    def __init__(self, epochs):
        super().__init__()
        self.epochs = epochs

    def __iter__(self):
        self.epochs -= 1
        if self.epochs < 0:
            refuse()
        return super().__iter__()


class RaisingBatches(Raises, BatchSampler):
    pass


class RaisingLoader(DataLoader):
    __len__ = __bool__ = __repr__ = __deepcopy__ = __eq__ = __hash__ = refuse
    skip_batches = next_iter_state = base_dataloader = property(refuse)


class IteratedOnce(BatchSampler):
    """The rows of a batch are an iterator, in place of a list."""

    def __iter__(self):
        return map(iter, super().__iter__())


class Batch(Raises):
    def __init__(self, samples):
        self.x = samples
        self.other = Opaque()


class Pad(Raises):
    def __call__(self, samples):
        return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(8, 4)

    def forward(self, x):
        return self.table(x).pow(2).mean()


class RaisingModel(Model):
    __len__ = __bool__ = __repr__ = __deepcopy__ = __iter__ = __contains__ = refuse
    shape = optimizer = property(refuse)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            raise NotImplementedError(name) from None


class RaisingOptimiser(Raises, torch.optim.SGD):
    grad_scale = found_inf = None  # which PyTorch asks for


class StepsOnly(torch.optim.SGD):
    """Its step cannot be replaced."""

    def __setattr__(self, name, value):
        if name == "step":
            refuse()
        super().__setattr__(name, value)


def pad(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


def batch_of(samples):
    return Batch(pad(samples))


# {kind: what stands in the place of the job's own object}
KINDS = {
    "data set": {"data": RaisingData},
    "sampler": {"rows": RaisingRows},
    "sampler, once": {"rows": lambda: RowsOfEpochs(2)},
    "batch sampler": {"batches": RaisingBatches},
    "rows of a batch": {"batches": IteratedOnce},
    "loader": {"loader": RaisingLoader},
    "collate function": {"collate": Pad()},
    "batch": {"collate": batch_of},
    "module": {"model": RaisingModel},
    "optimiser": {"optimiser": RaisingOptimiser},
    "optimiser, as it is": {"optimiser": StepsOnly},
}
OWN = {
    "data": Data,
    "rows": Rows,
    "batches": BatchSampler,
    "loader": DataLoader,
    "collate": pad,
    "model": Model,
    "optimiser": torch.optim.SGD,
}


def train(kind):
    of = {**OWN, **KINDS[kind]}
    torch.manual_seed(1)
    model = of["model"]()
    optimiser = of["optimiser"](model.parameters(), lr=0.5)
    batches = of["batches"](of["rows"](), SIZE, False)
    loader = of["loader"](of["data"](), batch_sampler=batches, collate_fn=of["collate"])
    for _ in range(2):
        for batch in loader:
            loss = model(batch.x if type(batch) is Batch else batch)
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
            print(loss.item().hex(), flush=True)


if __name__ == "__main__":
    train(sys.argv[1])
