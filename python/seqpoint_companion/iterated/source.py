"""The batches that a job gives to `seqpoint.iterate`: a sequence by index, or a stream."""

import collections.abc
import time
import typing

from .. import device
from ..asking import answer, attribute, copy_of, has, is_a, length_of
from ..endless import HOW_MANY
from ..own_work import OWN_WORK
from ..saying import give_up
from .batch_lengths import columns_of

# Classes with an index, that also have an iterator: it delivers the same in the same order.
INDEXED = ("PyDataset", "MapDataset")
ENDLESS = -1  # tf.data's cardinality of one that states that it has none


class Made(typing.NamedTuple):
    """A batch of a stream, and the CPU time that this thread took to make it."""

    batch: typing.Any
    cpu_s: float


class Source:
    """The batches of one pass, with the columns of each."""

    def __init__(self, batches, lengths, pad, sync, name):
        self.own, self.name = batches, name
        self.columns, self.counted = columns_of(lengths, pad)
        self.sync = sync or device.wait_for_all
        self.length = length_of(batches)
        self.indexed = self.length is not None and is_indexed(batches)
        self.is_list = is_a(batches, (list, tuple))  # nothing makes batches: no wait
        self.kept = {}  # for iterations of the plan: of a stream Made, of a sequence the place
        self.read = 0  # batches that were read
        self.waited_s = 0.0  # for them, without this thread's own work

    def require_end(self):
        """Ends the job if the batches state that they have no end."""
        if answer(lambda: int(self.own.cardinality())) == ENDLESS:
            give_up(f"{self.name}: the batches say that they have no end", HOW_MANY)

    def each(self, most=None):
        """The batches in their order."""
        own = map(self.own.__getitem__, range(self.length)) if self.indexed else iter(self.own)
        for number, batch in enumerate(own):
            if number == most:
                return
            yield batch

    def keep(self, kept):
        """Reads a stream up to the last batch that KeptBatches want."""
        own = iter(self.own)
        while self.read <= kept.last():
            begun_s, cpu_s = time.perf_counter(), time.thread_time()
            try:
                batch = next(own)
            except StopIteration:
                return
            cpu_s = time.thread_time() - cpu_s
            self.waited_s += max(time.perf_counter() - begun_s - cpu_s, 0)
            kept.see(self.read, self.columns(batch), Made(batch, cpu_s))
            self.read += 1

    def choose(self, kept):
        """Finds the batches of a sequence that KeptBatches want: all are read if some differ."""
        places = [place for place in sorted(kept.steps) if place < self.length]
        for place in places:
            kept.see(place, self.columns(self.own[place]), place)
        if kept.another_draw:
            for place in range(self.length):
                kept.see(place, self.columns(self.own[place]), place)
        self.read = self.length

    def planned(self, iteration):
        """The batch for an iteration of the plan.

        What this thread did for a batch of a stream is a part of its time; what other threads and
        processes did is not.
        """
        kept = self.kept[iteration]
        if self.indexed:
            return self.batch(kept)
        with OWN_WORK:
            OWN_WORK.return_time(kept.cpu_s)
            return copy_of(kept.batch)  # the job may change it, or give its memory away

    def batch(self, place):
        """The batch at a place of a sequence."""
        if not self.is_list:
            return self.own[place]
        with OWN_WORK:
            return copy_of(self.own[place])

    def waiting_s(self):
        """Seconds for which a batch of a stream was waited for, on average."""
        return self.waited_s / self.read if self.read else 0.0


def is_indexed(batches):
    """Whether batches[i] is the i-th batch."""
    kind = type(batches)
    if not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        return False
    if is_a(batches, (collections.abc.Mapping, str)):
        return False
    named = any(base.__name__ in INDEXED for base in kind.__mro__)
    sequence = is_a(batches, collections.abc.Sequence) or has(batches, "shape")
    return named or sequence or not hasattr(kind, "__iter__")
