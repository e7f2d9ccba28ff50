"""A loop of the job over a loader: where it is, and what its sampler and its loader delivered."""

import collections
import itertools
import math
import operator
import os
import weakref

import torch

from .. import ranks, untrained
from ..asking import answer, attribute, has, is_a, length_of, number_at, text_of
from ..endless import Reading, Samples, Walk
from ..frames import OWN, STANDARD, is_of_library, running
from ..saying import give_up
from ..shapes import named_tensors, shapes_in
from . import frameworks, stateful

STATED = 2  # times its stated length: workers of a stream may each deliver a short batch more
WITHOUT_CHECKPOINT = "start the job without its checkpoint"
REDRAWN = 3  # batches that are read twice, to see whether their lengths are drawn anew
READINGS = 20  # of one batch, to see whether its length depends on their number
REDRAWS = "the data set of {} gives the same rows other lengths at each reading (a random crop?)"
END = object()
TELLING = 3  # numbers that tell a sample from others
AHEAD = 2  # batches that a loop may hold before it trains on the first


class Loop:
    """A loop over a loader. It may begin anew, as epochs do.

    `trained` is set once it is known that the job trains on its batches.
    """

    def __init__(self, options, number, backwards, loader, begin, trainer):
        self.options, self.number, self.trained = options, number, False
        self.seen = backwards  # backward passes when a batch was last requested
        self.shapes = collections.Counter()  # of the batches until it is known which loop trains
        self.batch_s = None  # seconds of the last batch that was let through
        self.loader_s = None  # seconds until the loader had started and delivered its first batch
        self.name = name_of(loader)
        self.restart(loader, begin, trainer)

    def restart(self, loader, begin, trainer):
        """A pass begins. `begin()` is the loader's own __iter__."""
        self.loader, self.begin, self.trainer = loader, begin, trainer
        self.dataset = attribute(loader, "dataset")
        self.streams = is_stream(loader)
        self.resumed = answer(stateful.delivered_before, loader, unknown=0)
        self.skipped = skipped_by(loader)  # batches that a resumed epoch leaves out
        self.length = length_of(loader)
        if self.length is not None and self.options.verb != "record":  # which leaves them out
            self.length += self.skipped
        self.stated = frameworks.epoch_stated(trainer)  # batches of an epoch, by the framework
        self.most = self.options.batches or self.stated  # batches that are taken, or None
        self.batches = None  # the iterator over them, while they are let through
        self.own_batches = None  # the loader's own iterator
        self.strayed = False  # whether the job no longer gets all batches of that, in order
        self.reading = None  # of the batches of a stream, once it has begun
        self.samples = Samples()  # of a stream
        self.given = None  # in place of the sampler's indices
        self.own_sampler = None
        self.sampler, self.sampled = None, []  # its iterator, and what that has delivered
        self.noted = []  # of these, the batches that have not arrived
        self.fetched = 0
        self.taker = 0, 0  # what took the last batch: surroundings.taken_by()
        self.is_open = False  # whether Order holds the pass
        self.is_raised = False  # whether an exception of the job has ended it
        self.is_over = False  # whether the job's own pass ended before it was known to train
        self.rounds = 0  # requests with a backward pass before them
        self.last_trained = 0  # batches that had come at the last of them
        self.first_trained = None  # number of batches that had come at the first backward pass
        self.fetches_ahead = False
        self._last = self._before = None

    def begun(self):
        """The loader's own iterator.

        A loader may have another data set while its class's `__iter__` runs, which calls that of
        DataLoader: then the iterator is made within it.
        """
        if attribute(self.loader, "dataset") is not self.dataset:
            batches = answer(iter, self.loader, unknown=None)
            if is_a(batches, torch.utils.data.dataloader._BaseDataLoaderIter):
                return batches
        return self.begin()

    def indices(self, own):
        """What is given in place of the sampler's output, or that, as the loader requests it."""
        if self.given is not None:
            for index in self.given:
                self.noted.append(index)
                yield index
            return
        self.sampler = own
        for place in itertools.count():
            if place < len(self.sampled):  # it was walked ahead
                index = self.sampled[place]
            else:
                index = listed(next(own, END))
                if index is END:
                    return
                if self.options.verb != "record" or place < REDRAWN:
                    self.sampled.append(index)
            self.noted.append(index)
            yield index

    def arrived(self, batch):
        self.fetched += 1
        if self.options.verb == "order" and self.streams and not (self.most or self.length):
            self.samples.see(answer(samples_in, batch, unknown=[]))
        if not self.trained:
            self._before, self._last = self._last, reference(batch)
            self.shapes[tuple(shapes_in(batch).values())] += 1

    def count_round(self, backwards):
        """Called when the job requests a batch: it may have trained on the one before."""
        if backwards > self.seen:
            self.rounds += 1
            self.last_trained = self.fetched
        self.seen = backwards

    def taken(self, backwards):
        """The batches of this pass up to the last that the job trained on, once it is over."""
        return self.fetched if backwards > self.seen else self.last_trained

    def note_first_backward(self):
        """The first backward pass. A job that still holds the batch before fetches ahead."""
        if self.first_trained is None:
            self.first_trained = self.fetched
            self.fetches_ahead = self._before is not None and self._before() is not None

    def why_no_batches(self):
        """What is wrong if what the loader delivers turns out to be no batch; else ""."""
        if attribute(self.loader, "_auto_collation", True):
            return ""
        return (
            f"{self.name} delivers single samples (batch_size=None), and the job makes its batches "
            "behind it, where they cannot be chosen"
        )

    def require_batches(self):
        """Ends the job if it collected several of what the loader delivers before it trained."""
        if self.trainer is None and self.why_no_batches() and self.first_trained > AHEAD:
            give_up(self.why_no_batches(), untrained.BY_HAND)

    def require_rows(self):
        """Ends the job if its sampler does not deliver rows, which could be asked for."""
        for index in self.sampled[:1]:
            if not rows_in(index) and length_of(index) != 0:
                give_up(
                    f"the sampler hands out no row numbers but {text_of(index)}", untrained.BY_HAND
                )

    def left_out(self):
        """The number of batches that came, and that the job did not train on."""
        ahead = 1 if self.trainer is None else frameworks.accumulation_of(self.trainer)
        came = (self.first_trained or 0) - ahead
        return max(self.skipped, came if came > AHEAD else 0)

    def require_end(self, number):
        """Ends the job if that many batches have been read, and an epoch cannot have them."""
        if self.most:
            return
        if self.length and number > STATED * self.length:
            give_up(
                f"{self.name} has delivered {number} batches, and states that it has {self.length}",
                f"say --batches {self.length} if that is an epoch",
            )
        if not self.length:
            self.reading = self.reading or Reading(self.name, self.samples)
            self.reading.step(number)

    def read_again(self, number):
        """Whether the data set gives one of the first batches other lengths at each reading.

        That many are compared, the same one again where fewer have come: of a single batch two
        readings may have one length by chance.
        """
        if self.streams or not attribute(self.loader, "_auto_collation", False):
            return False
        batches = itertools.islice(itertools.cycle(self.sampled[:number]), number)
        return any(self._read(index) != self._read(index) for index in batches)

    def _read(self, index):
        """The shapes of a batch, which is made once more."""
        samples = [self.dataset[row] for row in rows_in(index)]
        return shapes_in(self.loader.collate_fn(samples))

    def follows_readings(self):
        """Whether one batch becomes longer, or shorter, reading by reading: no random crop does."""
        sizes = []
        for _ in range(READINGS):
            sizes.append(sum(map(math.prod, self._read(self.sampled[0]).values())))
            if sizes not in (sorted(sizes), sorted(sizes, reverse=True)):
                return False
        return len(set(sizes)) > 1

    def varies(self):
        """Whether batches have several shapes; a single one, such as an epoch's last, is none."""
        return sum(self.shapes.values()) - max(self.shapes.values()) > 1

    def require_one_shape(self, held):
        """Ends the job if this loop's lengths are a part of each batch of the loop that is held."""
        if self.varies():
            give_up(
                f"each batch of {held.name} comes with one of {self.name}, whose shapes vary: "
                "points of one loader cannot stand for both",
                f"record whole epochs; where the lengths of the first do not matter, say --loader "
                f"{self.number}",
            )

    def whole(self):
        """All that the sampler delivers in this pass; None if it was not asked."""
        if self.sampler is None:
            return None
        most = self.most
        walk = None if most else Walk(self.name, length_of(self.dataset), self.length)
        for index in itertools.islice(self.sampler, most and max(most - len(self.sampled), 0)):
            self.sampled.append(listed(index))
            if walk is not None:
                walk.step(length_of(index) or 1)
        return self.sampled[:most]

    def rows(self):
        """[rows of each rank] of each batch of this pass. No data is loaded."""
        walked = self.whole()
        self.require_rows()
        by_rank = ranks.of_all_processes(walked and list(map(rows_in, walked)), "the epoch's end")
        if None in by_rank or len(set(map(len, by_rank))) > 1:
            numbers = ", ".join(str(lengths and len(lengths)) for lengths in by_rank)
            give_up(
                f"ranks have {numbers} batches: each has to make its own, as many as the others"
            )
        return list(zip(*by_rank))


def reference(batch):
    """A weak reference to the batch's first tensor, or None."""
    tensors = named_tensors(batch)
    return weakref.ref(next(iter(tensors.values()))) if tensors else None


def is_stream(loader):
    """Whether the loader has no rows to ask for. One that is no DataLoader states it itself."""
    kind = torch.utils.data.dataloader._DatasetKind
    is_iterable = is_a(attribute(loader, "dataset"), torch.utils.data.IterableDataset)
    return is_iterable or attribute(loader, "_dataset_kind") == kind.Iterable


def skipped_by(loader):
    """The number of batches that accelerate's loader leaves out at its beginning."""
    sampler = attribute(loader, "batch_sampler")
    return number_at(loader, "skip_batches") or number_at(sampler, "skip_batches")


def samples_in(batch):
    """What tells the samples of a batch from others: their numbers in its tables, without those
    that pad. Samples of few numbers are left out, as they may be alike."""
    tensors = [of for of in named_tensors(batch).values() if of.dim() == 2]
    tables = [of for of in tensors if not of.is_floating_point() and not of.is_complex()]
    samples = [list(map(without_padding, rows)) for rows in zip(*[of.tolist() for of in tables])]
    return [hash(str(rows)) for rows in samples if sum(map(len, rows)) >= TELLING]


def without_padding(row):
    """The numbers between those that the first and the last repeat."""
    end = len(row)
    while end and row[end - 1] == row[-1]:
        end -= 1
    begin = 0
    while begin < end and row[begin] == row[0]:
        begin += 1
    return row[begin:end]


def name_of(loader):
    """'DataLoader at train.py:41'"""
    path, line = place_of_job()
    return f"{type(loader).__name__} at {os.path.basename(path)}:{line}"


def place_of_job():
    """('/job/train.py', 41): the innermost line of the job that is not of a library.

    If all are, as of `python -m package`, that of the module that Python runs.
    """
    places = [(frame.f_code.co_filename, frame.f_lineno) for frame in running()]
    modules = [place for place in places if not place[0].startswith((OWN, "<frozen", STANDARD))]
    of_job = [place for place in modules if not is_of_library(place[0])]
    return (of_job or modules[-1:] or places[-1:])[0]


def listed(index):
    """A sampler's output, which is looked at more than once."""
    return list(index) if has(index, "__next__") else index


def rows_in(index):
    """The rows of a batch, from its sampler's output; [] if that is no row numbers."""
    rows = index if has(index, "__iter__") else [index]
    return answer(lambda: list(map(operator.index, rows)), unknown=[])
