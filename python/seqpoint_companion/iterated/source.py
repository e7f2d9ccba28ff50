"""The batches that a job gives to `seqpoint.iterate`: a sequence by index, or a stream."""

import collections.abc
import time

from .. import device
from ..asking import answer, attribute, copy_of, has, is_a, length_of
from ..endless import HOW_MANY
from ..own_work import OWN_WORK
from ..saying import give_up
from .batch_lengths import columns_of

# Classes with an index, that also have an iterator: it delivers the same in the same order.
INDEXED = ("PyDataset", "MapDataset")
ENDLESS = -1  # tf.data's cardinality of one that states that it has none


class Source:
    """The batches of one pass, with the columns of each."""

    def __init__(self, batches, lengths, pad, sync, name):
        self.own, self.name = batches, name
        self.columns, self.counted = columns_of(lengths, pad)
        self.sync = sync or device.wait_for_all
        self.length = length_of(batches)
        self.indexed = self.length is not None and is_indexed(batches)
        self.is_list = is_a(batches, (list, tuple))  # nothing makes batches: no wait
        self.kept, self.own_s = {}, {}  # of a stream: {iteration: batch}, {iteration: its CPU time}
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

    def keep(self, iterations):
        """Reads a stream up to the last of these iterations, and keeps their batches."""
        own = iter(self.own)
        while self.read <= max(iterations):
            begun_s, cpu_s = time.perf_counter(), time.thread_time()
            try:
                batch = next(own)
            except StopIteration:
                return
            cpu_s = time.thread_time() - cpu_s
            self.waited_s += max(time.perf_counter() - begun_s - cpu_s, 0)
            if self.read in iterations:
                self.kept[self.read], self.own_s[self.read] = batch, cpu_s
            self.read += 1

    def batch(self, iteration):
        """The batch of an iteration: by its index, or a copy of what was kept.

        What this thread did for a batch of a stream is a part of its time; what other threads and
        processes did is not.
        """
        if self.indexed and not self.is_list:
            return self.own[iteration]
        with OWN_WORK:
            batch = self.own[iteration] if self.indexed else self.kept[iteration]
            OWN_WORK.return_time(self.own_s.get(iteration, 0))
            return copy_of(batch)  # the job may change it, or give its memory away

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
