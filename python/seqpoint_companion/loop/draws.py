"""Further draws of a loader's sampler: how much its epochs differ, without training on them.

The sampler is asked for more epochs, each by its number where it has one; no batch is loaded. A row
has the lengths of a batch of that row alone. This comes after all else, as it changes the sampler.
"""

import contextlib
import itertools
import math
import random
import statistics
import sys
import time

import torch

from ..asking import attribute, has, is_a
from ..shapes import padded_tokens
from .position import rows_in

DRAWS = 10  # epochs: their standard deviation is then known to about a quarter
READ = 40  # batches of the second epoch, spread over it: whether it differs from the first
MOST_S = 10  # seconds for reading rows
DIFFERENT = 0.05  # share: below it, no plan can tell epochs apart
ERRORS = 4  # standard errors of the mean of those that were read
AGREE = 0.01  # share by which the first epoch's tokens may differ by its batches and by its rows
MOST_BATCHES = 2  # times those of the first epoch
SEEDS = 2**32  # PyTorch's own seeds, of 53 random bits, are above it but for one in two million
TOGETHER = ("src_len", "tgt_len")  # columns of which a batch has its rows' largest; else their sum


def looked_at(loop, lengths, first):
    """(spread, times): what further epochs are beside the first; None for what is not known.

    `spread`: standard deviation of the logarithm of an epoch's padded tokens; `times`: padded
    tokens of a batch in the second epoch, as a multiple of the first, if they clearly differ.
    `lengths`: function of a batch that returns its columns; `first`: padded tokens of each batch.
    """
    loader = loop.loader
    if loop.own_sampler is None or not attribute(loader, "_auto_collation", False):
        return None, None
    own = list(map(rows_in, loop.sampled))[: len(first)]
    most = loop.most or MOST_BATCHES * len(first)
    with random_numbers_kept():
        second = next_draw(loop.own_sampler, most)
        if second == own:
            return None, None
        rows = Rows(lambda row: lengths(loader.collate_fn([loop.dataset[row]])))
        read = rows.tokens(second[:: max(len(second) // READ, 1)])
        # A job that has seeded PyTorch is spared the time. If its sampler draws from elsewhere, the
        # spread is not known, and `run` takes its upper bound.
        if rows.is_late() or torch.initial_seed() < SEEDS:
            return None, multiple(first, read)
        draws = [second, *(next_draw(loop.own_sampler, most) for _ in range(DRAWS - 1))]
        totals = [sum(rows.tokens(draw)) for draw in (own, *draws)]
    if rows.is_late() or not all(totals) or abs(totals[0] / sum(first) - 1) > AGREE:
        return None, multiple(first, read)
    return statistics.stdev(map(math.log, totals[1:])), multiple(first, read)


class Rows:
    """Lengths of rows, each read once, as long as there is time."""

    def __init__(self, read):
        self.read, self.known = read, {}
        self.end_s = time.monotonic() + MOST_S

    def is_late(self):
        return time.monotonic() > self.end_s

    def tokens(self, batches):
        """Padded tokens of batches of these rows, of fewer if it is late."""
        found = []
        for rows in batches:
            for row in rows:
                if row not in self.known:
                    self.known[row] = self.read(row)
            found.append(padded_tokens(joined([self.known[row] for row in rows])))
            if self.is_late():
                break
        return found


def joined(rows):
    """The columns of a batch of rows with these columns."""
    return {name: (max if name in TOGETHER else sum)(row[name] for row in rows) for name in rows[0]}


def multiple(first, read):
    """The mean of `read` as a multiple of that of `first`, if they clearly differ."""
    if len(read) < 2 or not all(first):
        return None
    mean, usual = statistics.fmean(read), statistics.fmean(first)
    error = statistics.stdev(read) / len(read) ** 0.5
    clear = abs(mean - usual) > max(ERRORS * error, DIFFERENT * usual)
    return mean / usual if clear else None


def next_draw(sampler, most):
    """The rows of each batch of the next epoch, at most so many batches."""
    next_epoch(sampler)
    return list(map(rows_in, itertools.islice(iter(sampler), most)))


def next_epoch(sampler):
    """Tells a sampler, and those inside it, that another epoch begins, as a job would."""
    while sampler is not None:
        epoch = attribute(sampler, "epoch", 0)
        if has(sampler, "set_epoch"):
            sampler.set_epoch(epoch + 1)
        elif has(sampler, "epoch") and is_a(epoch, int):
            sampler.epoch += 1
        inner = attribute(sampler, "batch_sampler")
        sampler = attribute(sampler, "sampler") if inner is None else inner


@contextlib.contextmanager
def random_numbers_kept():
    """Afterwards this process draws the random numbers that it would have drawn without."""
    numpy = sys.modules.get("numpy")
    states = torch.get_rng_state(), random.getstate(), numpy and numpy.random.get_state()
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        random.setstate(states[1])
        if numpy:
            numpy.random.set_state(states[2])
