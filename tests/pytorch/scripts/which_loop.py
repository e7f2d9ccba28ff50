"""Jobs whose loop, or whose length, is not to be read off their first pass.  which_loop.py KIND"""

import gc
import os
import random
import sys
import time
import types

import corpus
import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler
from torch.utils.data.dataloader import _SingleProcessDataLoaderIter

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
            for row, sample in enumerate(data):
                draw = torch.Generator().manual_seed(row)
                words = torch.randint(1, 40, sample["input_ids"].shape, generator=draw)
                yield {**sample, "input_ids": words}


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


# --- a loader of its own, behind PyTorch's iterators ---------------------------------------


class Stream(IterableDataset):
    def __iter__(self):
        yield from data


class Settings:
    """What the iterators ask a loader for."""

    def __init__(self):
        self.inner = DataLoader(Stream(), 8, collate_fn=corpus.pad)

    def __getattr__(self, name):
        return getattr(self.inner, name)


class OwnLoader:
    """No DataLoader: its samples are made where it wants, here in a stream."""

    def __init__(self):
        self.settings = Settings()

    def __iter__(self):
        yield from _SingleProcessDataLoaderIter(self.settings)


def has_its_own_loader():
    batches = OwnLoader()
    for _ in range(2):
        for batch in batches:
            train(batch)


# --- no loader that is held ---------------------------------------


def patience(seconds):
    """What is said after half a minute is said after so many seconds."""
    unfed = sys.modules.get("seqpoint_companion.loop.unfed")  # under the hook
    if unfed is not None:
        unfed.PATIENCE_S = unfed.A_MINUTE = seconds


def own_batches():
    return [corpus.pad([data[row] for row in range(at, at + 8)]) for at in range(0, 160, 8)]


def train_without(epochs, seconds):
    """Writes down what it has trained on."""
    patience(seconds)
    batches = own_batches()
    for _ in range(epochs):
        for batch in batches:
            train(batch)


def without_a_loader():
    train_without(3, 0)


def warms_up_first():
    """A few steps, then an epoch of its loader."""
    patience(0)
    for batch in own_batches()[:15]:
        train(batch)
    for batch in loader():
        train(batch)


def warms_up_long():
    """Many steps, within half a minute."""
    train_without(2, 30)
    for batch in loader():
        train(batch)


def has_a_loader():
    """Its loader is there while it trains without it."""
    batches = loader()
    train_without(2, 0)
    for batch in batches:
        train(batch)


def keeps_its_batches():
    """The batches of a loader, kept in memory, and trained on from there."""
    patience(0)
    kept = list(loader())
    for _ in range(2):
        for batch in kept:
            train(batch)


def use(library):
    """As if the job computed with it."""
    bridge = types.SimpleNamespace(backends_are_initialized=lambda: True)
    sys.modules["jax._src.xla_bridge"] = bridge
    module = sys.modules["jax"] = types.ModuleType(library)
    module.devices = lambda: [types.SimpleNamespace(device_kind="cpu")]
    module.live_arrays = list
    module.block_until_ready = print


def computes_elsewhere():
    """A job of another library, with batches of this loader."""
    global model, optimiser
    del model, optimiser
    gc.collect()
    patience(0)
    use("jax")
    for _ in range(3):
        for number, _ in enumerate(loader(4)):
            print("batch", number, flush=True)


def counts_then_trains():
    """Statistics of all batches, beside another library, before it trains by PyTorch."""
    patience(0)
    use("jax")
    for batch in loader(4):
        batch["input_ids"].float().mean()
    for batch in loader():
        train(batch)


def ask_elsewhere():
    """Asks another library for a gradient, as a step does when it is compiled; then computes."""
    unknown = sys.modules.get("seqpoint_companion.unknown_loop")  # under the hook
    with open("jax.py", "w", encoding="utf-8") as file:
        file.write("def grad(function):\n    return function\n\n\nvalue_and_grad = grad\n")
    sys.path.insert(0, os.getcwd())
    import jax

    if unknown is not None:
        unknown.PATIENCE_S = 0.1
    jax.value_and_grad(print)("a gradient")
    for _ in range(20):
        time.sleep(0.05)


def asks_elsewhere():
    ask_elsewhere()


def asks_elsewhere_first():
    batches = loader()
    ask_elsewhere()
    for batch in batches:
        train(batch)


if __name__ == "__main__":
    globals()[sys.argv[1]](*map(int, sys.argv[2:]))
