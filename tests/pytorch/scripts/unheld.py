"""Jobs that cannot be observed, or not in the usual way.  unheld.py KIND"""

import os
import signal
import sys

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)


def train(batch):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()


def no_loader():
    for begin in range(0, 160, 8):
        train(corpus.pad([data[row] for row in range(begin, begin + 8)]))


def usage():
    sys.exit(2)


def prefetching():
    batches = iter(DataLoader(data, batch_size=8, collate_fn=corpus.pad))
    following = next(batches)
    while following is not None:
        batch, following = following, next(batches, None)
        train(batch)


def statistics_first():
    loader = DataLoader(data, batch_size=8, shuffle=True, collate_fn=corpus.pad)
    print("tokens", sum(batch["labels"].numel() for batch in loader))
    for batch in loader:
        train(batch)


def two_loaders():
    """Pairs, and in each iteration also a batch of another data set."""
    others = DataLoader(corpus.Pairs(160, seed=8), batch_size=8, collate_fn=corpus.pad)
    loader = DataLoader(data, batch_size=8, shuffle=True, collate_fn=corpus.pad)
    for batch, other in zip(loader, others):
        train(batch)
        train(other)


def daemon():
    """A job that goes to the background: its parent ends before it trains."""
    if os.fork():
        os.waitpid(-1, 0)
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    for batch in DataLoader(data, batch_size=8, collate_fn=corpus.pad):
        train(batch)


def names():
    class Named(corpus.Pairs):
        def __getitem__(self, name):
            return super().__getitem__(int(name[1:]))

    for batch in DataLoader(
        Named(), batch_sampler=[[f"n{row}" for row in range(8)]], collate_fn=corpus.pad
    ):
        train(batch)


def endless():
    class Forever(torch.utils.data.Sampler):
        def __init__(self):
            pass

        def __iter__(self):
            while True:
                yield from torch.randperm(len(data)).tolist()

    for number, batch in enumerate(
        DataLoader(data, batch_size=8, sampler=Forever(), collate_fn=corpus.pad)
    ):
        if number == 40:
            break
        train(batch)


def no_training():
    for batch in DataLoader(data, batch_size=8, collate_fn=corpus.pad):
        model(**batch)


def fails():
    for number, batch in enumerate(DataLoader(data, batch_size=8, collate_fn=corpus.pad)):
        if number == 5:
            raise ArithmeticError("the job's own")
        train(batch)


def interrupted():
    for number, batch in enumerate(DataLoader(data, batch_size=8, collate_fn=corpus.pad)):
        if number == 5:
            signal.raise_signal(signal.SIGINT)
        train(batch)


globals()[sys.argv[1]]()
