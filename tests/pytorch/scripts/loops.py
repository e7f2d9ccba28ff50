"""Jobs with loops that do not train, that skip batches, or over several loaders.  loops.py KIND"""

import sys
import types

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)


class Images(corpus.Pairs):
    """Samples of one shape."""

    def __getitem__(self, row):
        return {"row": row, "input_ids": torch.full((9,), 1), "labels": torch.full((9,), 1)}


def train(batch):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()


def loader(of=data):
    return DataLoader(of, batch_size=8, shuffle=True, collate_fn=corpus.pad)


def counts_first():
    """One loader, over which the job first counts tokens."""
    batches = loader()
    print("tokens", sum(batch["labels"].numel() for batch in batches))
    for _ in range(2):
        for batch in batches:
            train(batch)


def checks_data():
    for batch in loader(corpus.Pairs(40, seed=8)):
        assert batch["labels"].numel()
    train_epochs()


def looks_at_a_batch():
    """The iterator of another loader stays open."""
    shown = iter(loader(corpus.Pairs(40, seed=8)))
    print(next(shown)["labels"].shape)
    train_epochs()


def searches_a_rate():
    """Backward passes without a step."""
    for batch in loader():
        model(**batch)["loss"].backward()
        optimiser.zero_grad()
    train_epochs()


def train_epochs(skip=0):
    for epoch in range(2):
        for number, batch in enumerate(loader()):
            if epoch == 0 and number < skip:
                continue
            train(batch)


def resumes():
    train_epochs(skip=12)


class Skipping(torch.utils.data.BatchSampler):
    """A stand-in for that of accelerate.skip_first_batches."""

    def __init__(self, own, skip_batches):
        super().__init__(own.sampler, own.batch_size, own.drop_last)
        self.batch_sampler, self.skip_batches = own, skip_batches

    def __iter__(self):
        for number, batch in enumerate(self.batch_sampler):
            if number >= self.skip_batches:
                yield batch

    def __len__(self):
        return len(self.batch_sampler) - self.skip_batches


def skips_first():
    """Another loader for the rest of the epoch, as Trainer has when it resumes."""
    own = loader()
    for batch in DataLoader(
        data, batch_sampler=Skipping(own.batch_sampler, 12), collate_fn=own.collate_fn
    ):
        train(batch)
    train_epochs()


class Stateful(DataLoader):
    """A stand-in for torchdata's, of whose state only this is looked at."""

    next_iter_state = None

    def load_state_dict(self, state):
        self.next_iter_state = state


def loads_a_state():
    batches = Stateful(data, batch_size=8, collate_fn=corpus.pad)
    batches.load_state_dict({"_num_yielded": 7})
    for batch in batches:
        train(batch)


def validates_first():
    """Lightning's check before training: two batches of the validation, and a step of none."""
    model.eval()
    with torch.no_grad():
        for _, batch in zip(range(2), loader(corpus.Pairs(40, seed=8))):
            model(**batch)
    model.train()
    train_epochs()


def validates_within():
    """Every third batch; gradients are off in the validation's body only."""
    held_out = loader(corpus.Pairs(24, seed=8))
    for _ in range(2):
        for number, batch in enumerate(loader()):
            train(batch)
            if number % 3 == 0:
                for other in held_out:
                    with torch.no_grad():
                        model(**other)


def compiles():
    """As if torch.compile had made seven graphs."""
    counters = {"stats": {"unique_graphs": 7}}
    sys.modules["torch._dynamo.utils"] = types.SimpleNamespace(counters=counters)
    train_epochs()


def has_a_teacher():
    teacher = corpus.Network()  # whose parameters no optimiser has
    for batch in loader():
        with torch.no_grad():
            teacher(**batch)
        train(batch)


def warms_up():
    """The first five batches have no backward pass."""
    for epoch in range(2):
        for number, batch in enumerate(loader()):
            if epoch == 0 and number < 5:
                model(**batch)
            else:
                train(batch)


def trains_once():
    for batch in loader():
        train(batch)
        break


def zips():
    for _ in range(2):
        for batch, other in zip(loader(), loader(corpus.Pairs(160, seed=8))):
            train(batch)
            train(other)


def zips_images():
    for _ in range(2):
        for batch, image in zip(loader(), loader(Images())):
            train(batch)
            train(image)


def adversaries():
    """The loop is over the texts, and the iterator over images was made before."""
    for _ in range(2):
        images = iter(loader(Images()))
        for batch in loader():
            train(batch)
            train(next(images))


def trains_on_nothing():
    for batch in loader():
        model(**batch)


def never_steps():
    for batch in DataLoader(corpus.Pairs(1100, seed=8), batch_size=1, collate_fn=corpus.pad):
        model(**batch)["loss"].backward()


class Stream(torch.utils.data.IterableDataset):
    """States a length, and does not end."""

    def __len__(self):
        return 80

    def __iter__(self):
        while True:
            yield from (data[row] for row in range(len(data)))


def streams():
    for batch in DataLoader(Stream(), batch_size=8, collate_fn=corpus.pad):
        train(batch)


class Crops(corpus.Pairs):
    """Each reading of a row gives a part of it that is drawn anew."""

    def __getitem__(self, row):
        sample = super().__getitem__(row)
        length = int(torch.randint(2, 80, ()))
        return {**sample, "input_ids": sample["input_ids"].repeat(20)[:length]}


def crops():
    for _ in range(2):
        for batch in loader(Crops()):
            train(batch)


def images():
    for _ in range(2):
        for batch in loader(Images()):
            train(batch)


def sorts_frames():
    """The first twelve batches have one length."""
    frames = [torch.ones(length, 3) for length in [5] * 96 + list(range(6, 70))]
    layer = torch.nn.Linear(3, 1)
    descent = torch.optim.SGD(layer.parameters(), lr=0.1)
    pad = lambda samples: torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)
    for batch in DataLoader(frames, batch_size=8, collate_fn=pad):
        layer(batch).sum().backward()
        descent.step()


class Bins:
    """Sorted in the first epoch, as SortaGrad does; the job sets the epoch."""

    epoch = 0

    def __len__(self):
        return 20

    def __iter__(self):
        rows = sorted(range(len(data)), key=lambda row: sum(data.lengths[row]))
        if self.epoch:
            draw = torch.Generator().manual_seed(self.epoch)
            rows = torch.randperm(len(rows), generator=draw).tolist()
        for begin in range(0, len(rows), 8):
            yield rows[begin : begin + 8]


def sorts_first():
    bins = Bins()
    for bins.epoch in range(3):
        for batch in DataLoader(data, batch_sampler=bins, collate_fn=corpus.pad):
            train(batch)


def curriculum():
    """Another data set in each epoch."""
    for epoch in range(3):
        for batch in loader(corpus.Pairs(80 * (epoch + 1), seed=epoch)):
            train(batch)


globals()[sys.argv[1]]()
