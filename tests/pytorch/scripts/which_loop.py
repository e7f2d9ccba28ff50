"""Jobs whose loop, or whose length, is not to be read off their first pass.  which_loop.py KIND"""

import random
import sys

import corpus
import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)


def loader(size=8, **more):
    return DataLoader(data, batch_size=size, collate_fn=corpus.pad, **more)


def train(batch):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()


# --- without an end ---------------------------------------


def draws():
    """By next(), from a sampler with as many draws as nobody waits for."""
    batches = iter(loader(sampler=RandomSampler(data, replacement=True, num_samples=10**10)))
    for _ in range(30):
        train(next(batches))


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield from data


def streams():
    for number, batch in enumerate(DataLoader(Endless(), 8, collate_fn=corpus.pad)):
        train(batch)
        if number == 40:
            break


# --- passes that an exception ends ---------------------------------------


def halves_its_batch(fits=8, after=4):
    """Trains on a few batches until one is too large, and tries again with half as many samples."""
    size = 32

    def epoch():
        for number, batch in enumerate(loader(size)):
            if size > fits and number >= after:
                raise RuntimeError("out of memory")
            train(batch)

    for _ in range(3):
        try:
            epoch()
        except RuntimeError:
            size //= 2


def halves_it_at_once():
    halves_its_batch(after=2)


def halves_it_by_name():
    """The iterator has a name, and the loop of the tries is around it."""
    size = 32
    while True:
        try:
            batches = loader(size)
            for number, batch in enumerate(batches):
                if size > 8 and number >= 4:
                    raise RuntimeError("out of memory")
                train(batch)
        except RuntimeError:
            size //= 2
            continue
        break


def counts_its_batches():
    """The iterator of a pass is closed after that of the next pass is made."""
    for _ in range(2):
        batches = iter(loader())
        for _ in range(20):
            train(next(batches))


# --- lengths ---------------------------------------


def padded_to(length):
    """A collate function whose batches get a length each; `length()` returns it."""

    def pad(samples):
        batch = corpus.pad(samples)
        names = ("input_ids", "attention_mask")
        more = length() - batch["input_ids"].shape[1]
        return {
            k: torch.nn.functional.pad(v, (0, more)) if k in names else v for k, v in batch.items()
        }

    return pad


def train_by(pad):
    for batch in DataLoader(data, 8, collate_fn=pad):
        train(batch)


def grows():
    """Each batch is longer than the one before, as in a curriculum by steps."""
    batches = []
    train_by(padded_to(lambda: batches.append(None) or 200 + len(batches)))


def crops():
    drawn = random.Random(1)
    train_by(padded_to(lambda: drawn.choice((200, 300))))


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
