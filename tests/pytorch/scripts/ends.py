"""Jobs whose epoch is not one pass of a `for` over one loader, and some whose it is.  ends.py KIND

An epoch of the loader has 20 batches.
"""

import atexit
import contextlib
import gc
import itertools
import math
import os
import queue
import sys
import threading
import types

import corpus
import torch
from torch.utils.data import DataLoader

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import stand_ins  # noqa: E402

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)


def loader(of=data):
    return DataLoader(of, batch_size=8, shuffle=True, collate_fn=corpus.pad)


def train(batch):
    optimiser.zero_grad()
    loss = model(**batch)["loss"]
    loss.backward()
    optimiser.step()
    return loss.item()


# --- a loop that leaves its loader ---------------------------------------


def breaks_at_a_number():
    """The batch at which it leaves has come, and is not trained on."""
    for _ in range(2):
        for number, batch in enumerate(loader()):
            if number == 12:
                break
            train(batch)


def counts_steps():
    most, step = 9, 0
    for batch in loader():
        train(batch)
        step += 1
        if step >= most:
            break


class Trainer:
    """Counts in an attribute, and returns."""

    def __init__(self):
        self.options, self.step = {"most": 11}, 0

    def run(self):
        for batch in loader():
            train(batch)
            self.step += 1
            if self.options["most"] and self.step == self.options["most"]:
                return


def returns():
    Trainer().run()


def slices():
    for batch in itertools.islice(loader(), 7):
        train(batch)


def slices_a_generator():
    for batch in itertools.islice((of for of in loader()), 2):
        train(batch)


def never_breaks():
    for _ in range(2):
        for number, batch in enumerate(loader()):
            if number >= 500:
                break
            train(batch)


def guards_its_loss():
    for batch in loader():
        if not math.isfinite(train(batch)):
            break


def stops_when_told():
    """Nobody can say when without running it."""
    for batch in loader():
        if train(batch) < 0:
            break


# --- an epoch that something else ends ---------------------------------------


def pulls():
    """13 batches an epoch, by next()."""
    batches = iter(loader())
    for _ in range(2):
        for _ in range(13):
            try:
                batch = next(batches)
            except StopIteration:
                batches = iter(loader())
                batch = next(batches)
            train(batch)


def endless(of):
    while True:
        yield from of


def cycles():
    batches = endless(loader())
    for _ in range(50):
        train(next(batches))


def repeats_until():
    step = 0
    while step < 50:
        for batch in loader():
            train(batch)
            step += 1


def updates_often():
    """Four passes over the samples of each of three updates."""
    for update in range(3):
        samples = corpus.Pairs(160, seed=update)
        for _ in range(4):
            for batch in loader(samples):
                train(batch)


class Lightning(stand_ins.LightningTrainer):
    """Ends its epochs after 6 batches, as with limit_train_batches."""

    num_training_batches = 6

    def fit(self, batches, *more):
        super().fit(itertools.islice(batches, 6), *more)


def limits_batches():
    stand_ins.install()
    kind = type("Trainer", (Lightning,), {"__module__": "lightning.pytorch"})
    kind([]).fit(loader(), train, lambda: None)


class Engine:
    """A stand-in for that of ignite, whose epochs have a length of their own."""

    def __init__(self, length):
        self.state = types.SimpleNamespace(epoch_length=length)

    def run(self, batches):
        for _ in range(2):
            taken = iter(batches)
            for _ in range(self.state.epoch_length):
                batch = next(taken, None)
                if batch is None:
                    taken = iter(batches)
                    batch = next(taken)
                train(batch)


def has_an_engine(length=14):
    sys.modules["ignite.engine.engine"] = types.SimpleNamespace(Engine=Engine)
    Engine(length).run(loader())


def has_a_longer_engine():
    has_an_engine(30)


# --- two loops in an epoch ---------------------------------------


def two_loops():
    first, second = loader(), loader(corpus.Pairs(80, seed=8))
    for _ in range(2):
        for batch in first:
            train(batch)
        for batch in second:
            train(batch)


def run_epoch(batches, step=True):
    for batch in batches:
        if step:
            train(batch)
        else:
            with torch.no_grad():
                model(**batch)


def two_calls():
    first, second = loader(), loader(corpus.Pairs(80, seed=8))
    for _ in range(2):
        run_epoch(second)
        run_epoch(first)


def trains_and_validates():
    first, second = loader(), loader(corpus.Pairs(80, seed=8))
    for _ in range(2):
        run_epoch(first)
        run_epoch(second, step=False)
        with torch.no_grad():
            for batch in second:
                model(**batch)


def two_stages():
    """The second loader is of another stage, not of the same epoch."""
    for batch in loader():
        train(batch)
    run_epoch(loader(corpus.Pairs(80, seed=8)))


# --- other jobs ---------------------------------------


def raises_at_once(error=ArithmeticError("the loss is no number"), at=1):
    for number, batch in enumerate(loader()):
        if number == at:
            raise error
        train(batch)


def raises():
    raises_at_once(at=4)


def exits_at_once():
    raises_at_once(SystemExit(3))


def tries_again():
    """The first pass ends by an exception that it catches."""
    with contextlib.suppress(MemoryError):
        raises_at_once(MemoryError())
    for batch in loader():
        train(batch)


def leaves_at_once():
    """It returns out of a `try`, and its batches come through a generator."""
    try:
        for number, batch in enumerate(batch for batch in loader()):
            if number == 1:
                return
            train(batch)
    finally:
        optimiser.zero_grad()


def lengths_of_steps():
    """Sources get longer with each batch that was trained on."""
    step = 0

    def grow(samples):
        batch = corpus.pad(samples)
        batch["input_ids"] = torch.ones(len(samples), 40 + step, dtype=torch.long)
        return batch

    for _ in range(3):
        for batch in DataLoader(data, batch_size=8, shuffle=True, collate_fn=grow):
            train(batch)
            step += 1


def leaves_out_long_ones():
    for _ in range(2):
        for batch in loader():
            if batch["input_ids"].shape[1] + batch["labels"].shape[1] > 70:
                continue
            train(batch)


def batches_behind():
    """Single samples come from the loader."""
    singles = DataLoader([sample["input_ids"] for sample in data], batch_size=None)
    layer = torch.nn.Embedding(50, 1)
    descent = torch.optim.SGD(layer.parameters(), lr=0.1)
    samples = iter(singles)
    for _ in range(20):
        some = list(itertools.islice(samples, 8))
        layer(torch.nn.utils.rnn.pad_sequence(some, batch_first=True)).sum().backward()
        descent.step()


def next_in_a_thread():
    """The iterator is made here, and its batches are taken by a thread."""
    ready, batches = queue.Queue(2), iter(loader())

    def fill():
        for batch in batches:
            ready.put(batch)
        ready.put(None)

    threading.Thread(target=fill).start()
    for batch in iter(ready.get, None):
        train(batch)


def in_a_thread():
    ready = queue.Queue(2)

    def fill():
        for batch in loader():
            ready.put(batch)
        ready.put(None)

    threading.Thread(target=fill).start()
    for batch in iter(ready.get, None):
        train(batch)


def counts_searches():
    """How often all objects of the process are looked through while it trains."""
    searches, own = [], gc.get_objects

    def get_objects(*arguments):
        searches.append(arguments)
        return own(*arguments)

    gc.get_objects = get_objects

    def write():
        with open("searches", "w", encoding="utf-8") as file:
            print(len(searches), file=file)

    atexit.register(write)
    for batch in loader():
        train(batch)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
