"""Batches for a plan where rows are other samples than in its order.

A job that splits its data at random and sets no seed has another data set at each start: row 7 is
another sample, and a batch of the plan's rows has other lengths. Then a step of the plan gets the
batch of the job's own epoch whose lengths are nearest, or none if none is near.
"""

import functools
import itertools
import math
import statistics

from ..plan import epoch_of, work_of
from ..shapes import padded_tokens
from . import more_workers, sampled
from .batch_columns import Columns
from .draws import ERRORS


NEAR = 0.02  # share of a length: less than batches of one length differ by


class OtherSamples(Exception):
    """A batch of a plan has other lengths than in the order. Its text says which."""


def batches_for(plan, loop, watched):
    """{iteration: (indices, lengths) of the job's own batch that is nearest to it}.

    `watched(loop, before)` fetches batches with the loop's given indices. At most 500 are read,
    spread over the epoch. {} if their mean length is not that of the plan's epoch: then the data
    are others. Iterations without a near batch are left out.
    """
    whole, fetched = loop.whole(), loop.fetched
    places = sorted(itertools.islice(sampled.order_of(whole), sampled.FEWEST))
    indices = [whole[place] for place in places]
    columns = Columns(loop, patience=math.inf)
    read = more_workers.Batches(loop, indices, 0, functools.partial(watched, loop))
    found = [columns(batch) for batch in read.of_loader(read.begin(), len(indices))]
    loop.fetched, loop.given = fetched, None
    loop.noted.clear()
    lengths = list(map(columns.settle, found))
    if not is_of_plan(plan.measured, list(map(padded_tokens, lengths))):
        return {}
    own, batches = list(zip(indices, lengths)), {}
    for step in plan.steps:
        distance = distance_from(step)
        nearest = min(own, key=distance)
        if distance(nearest) <= NEAR:
            batches[step["iteration"]] = nearest
    return batches


def distance_from(step):
    """A function of a batch: how far its lengths are from the step's at most, as a share."""
    sides = [side for side in ("src_len", "tgt_len") if side in step]

    def distance(batch):
        _, lengths = batch
        if lengths.get("batch_size") != step.get("batch_size"):
            return math.inf
        return max(abs(lengths[side] - step[side]) / max(step[side], 1) for side in sides)

    return distance


def is_of_plan(steps, tokens):
    """Whether the padded tokens of batches have the mean of those that the plan stands for."""
    if len(tokens) < 2:
        return False
    works = {step["id"]: work_of(step) for step in steps}
    planned = sum(works.values()) / epoch_of(steps)
    # The order's batches are a draw like these: the difference has the variance of both.
    error = math.sqrt(2 * statistics.variance(tokens) / len(tokens))
    return abs(statistics.fmean(tokens) - planned) <= ERRORS * error
