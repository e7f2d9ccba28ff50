"""Lengths of a part of a long epoch's batches.

The sampler is walked whole. Its places are cut into parts of equal size, of which one random batch
each is loaded; then the parts are halved, and so on, until the mean of the batches' padded tokens
is known as well as its result needs. The same batches have the same part, whoever loads them.
"""

import math
import random
import statistics
import zlib

from .. import ranks
from .position import rows_in

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


def order_of(whole):
    """The places of an epoch's batches, in the order in which they are loaded: for all ranks that
    of the first one's batches."""
    own = zlib.crc32(repr(list(map(rows_in, whole[:FEWEST]))).encode())
    return places_of(len(whole), ranks.of_all_processes(own, "the epoch's batches")[0])


def places_of(number, seed):
    """One random place of each of FEWEST parts; then of each half of a part that has none."""
    draw = random.Random(seed)
    ends = [number * part // FEWEST for part in range(FEWEST + 1)]
    parts = [(begin, end, None) for begin, end in zip(ends, ends[1:]) if begin < end]
    while parts:
        draw.shuffle(parts)
        halves = []
        for begin, end, place in parts:
            if place is None:
                place = draw.randrange(begin, end)
                yield place
            halves += halves_of(begin, end, place)
        parts = halves


def halves_of(begin, end, place):
    """[(begin, end, place or None)] of both halves; [] of a single place."""
    if end - begin == 1:
        return []
    middle = (begin + end) // 2
    if place < middle:
        return [(begin, middle, place), (middle, end, None)]
    return [(begin, middle, None), (middle, end, place)]


def is_enough(places, tokens, number):
    """Whether these padded tokens are, of the batches at the first of these places of `number`."""
    if len(tokens) < FEWEST or len(tokens) % LOOK_EVERY or not any(tokens):
        return False
    fewest = FEWEST_TWICE if max(tokens) > FAR * statistics.median(tokens) else FEWEST
    return len(tokens) >= fewest and error_of(places, tokens, number) <= ENOUGH


def error_of(places, tokens, number):
    """The relative standard error of their mean, as they are one of each part of the epoch.

    Neighbours differ by as much as batches within a part do: sqrt(sum d^2 / 2 (K - 1)) / sqrt(K)
    sqrt(1 - K / N); at most by what all batches differ.
    """
    ordered = [of for _, of in sorted(zip(places, tokens))]
    squares = sum((a - b) ** 2 for a, b in zip(ordered, ordered[1:])) / 2 / (len(ordered) - 1)
    spread = math.sqrt(min(squares, statistics.variance(tokens))) / statistics.fmean(tokens)
    return spread / math.sqrt(len(tokens)) * math.sqrt(1 - len(tokens) / number)
