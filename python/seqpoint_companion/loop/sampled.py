"""Lengths of a random part of a long epoch's batches.

The sampler is walked whole; its batches are loaded in an order that is random and the same in every
start. Loading ends once the mean of their padded tokens is known as well as its result needs.
"""

import math
import random
import statistics

from .. import ranks

FEWEST = 500  # batches: with less, a rare length of twenty times the usual is often missed
FEWEST_TWICE = 2 * FEWEST  # where one of them is that far out
FAR = 20  # times the median
LOOK_EVERY = 50
# The half-width of an interval by two processes is twice the standard error of their levels: of
# jobs that wait for the host, which differ by 2 %, sqrt(1 + 1 / 2) of that. A quarter of it adds
# 3 % to the half-width.
ENOUGH = 0.25 * 2 * 0.02 * math.sqrt(1.5)


def can_be(loop, options):
    """Whether a part of the epoch may stand for it: it is long, and its sampler was asked."""
    wanted = getattr(options, "part", False) and (options.epochs or 1) == 1
    if not wanted or loop.streams:
        return False
    number = 0 if loop.sampler is None else len(loop.whole())
    numbers = ranks.of_all_processes(number, "the epoch's length")
    return min(numbers) == max(numbers) > 2 * FEWEST_TWICE


def order_of(number):
    """The places of an epoch's batches, in the order in which they are loaded."""
    return random.Random(number).sample(range(number), number)


def is_enough(tokens, number):
    """Whether these padded tokens, of as many batches of `number`, are."""
    if len(tokens) < FEWEST or len(tokens) % LOOK_EVERY or not any(tokens):
        return False
    fewest = FEWEST_TWICE if max(tokens) > FAR * statistics.median(tokens) else FEWEST
    return len(tokens) >= fewest and error_of(tokens, number) <= ENOUGH


def error_of(tokens, number):
    """The relative standard error of their mean: CV / sqrt(K) sqrt(1 - K / N)."""
    spread = statistics.stdev(tokens) / statistics.fmean(tokens)
    return spread / math.sqrt(len(tokens)) * math.sqrt(1 - len(tokens) / number)
