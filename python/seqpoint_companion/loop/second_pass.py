"""Whether the second epoch of a loader is another one than the first, without training it.

The loader's sampler is asked once more, with the next epoch's number where it has one. Some of its
batches are read. It is done after all else, as it changes the sampler.
"""

import itertools
import statistics
import time

from ..asking import attribute
from ..shapes import padded_tokens
from .position import rows_in

READ = 40  # batches of the second pass, spread over it
MOST_S = 10  # seconds for reading them
DIFFERENT = 0.05  # share: below it, no plan can tell epochs apart
ERRORS = 4  # standard errors of the mean of those that were read


def difference(loop, lengths, first):
    """The padded tokens of a batch in the second pass as a multiple of the first; None if alike.

    `lengths`: Lengths of the first pass; `first`: padded tokens of each of its batches.
    """
    loader = loop.loader
    if loop.own_sampler is None or not attribute(loader, "_auto_collation", False):
        return None
    next_epoch(loop.own_sampler)
    second = [rows_in(index) for index in itertools.islice(iter(loop.own_sampler), len(first))]
    if second == [rows_in(index) for index in loop.sampled[: len(second)]]:
        return None
    begun, read = time.monotonic(), []
    for rows in second[:: max(len(second) // READ, 1)]:
        batch = loader.collate_fn([loop.dataset[row] for row in rows])
        read.append(padded_tokens(lengths(batch)))
        if time.monotonic() - begun > MOST_S:
            break
    return multiple(first, read)


def multiple(first, read):
    """The mean of `read` as a multiple of that of `first`, if they clearly differ."""
    if len(read) < 2 or not all(first):
        return None
    mean, usual = statistics.fmean(read), statistics.fmean(first)
    error = statistics.stdev(read) / len(read) ** 0.5
    clear = abs(mean - usual) > max(ERRORS * error, DIFFERENT * usual)
    return mean / usual if clear else None


def next_epoch(sampler):
    """Tells a sampler, and those inside it, that another epoch begins, as a job would."""
    while sampler is not None:
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(getattr(sampler, "epoch", 0) + 1)
        elif isinstance(getattr(sampler, "epoch", None), int):
            sampler.epoch += 1
        sampler = getattr(sampler, "batch_sampler", None) or getattr(sampler, "sampler", None)
