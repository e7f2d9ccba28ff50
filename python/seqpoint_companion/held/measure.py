"""Has the job run the batches of a plan, then ends it."""

import copy
import functools
import itertools
import os

import torch

from .. import hold, ranks
from ..plan import Plan, rows_of_rank
from ..saying import WRONG_INPUT, give_up
from . import frameworks
from .base import Held
from .columns import Columns
from .record import Record


class Measure(Record):
    outcome = "left out"

    def __init__(self, options):
        super().__init__(options)
        self.kept = {}  # {place in the stream: batch}, of an IterableDataset
        self.epoch = []  # [rows of each rank] of each batch of the job's epoch, once it was walked
        self.begin = None

    def prepare(self, loader, begin):
        self.begin = begin
        try:
            self._read_plan(loader)
        except ValueError as error:
            give_up(error, status=WRONG_INPUT)
        path = self.options.output
        rank = ranks.process()[0]
        if rank:
            stem, suffix = os.path.splitext(path)
            path = f"{stem}.rank{rank}{suffix}"
        return path, self._keep(begin) if self.streams else Columns(self).signature

    def _read_plan(self, loader):
        self.plan = Plan(self.options.plan, rows_of=self._rows_of, until_steady=True)
        if not all(step["rows"] for step in self.plan.steps):
            samples = sum(len(rows) for by_rank in self.epoch for rows in by_rank)
            raise ValueError(
                f"{self.options.plan} is of a longer epoch, with "
                f"{self.plan.steps[0].get('batch_size')} samples a batch: this job's has "
                f"{len(self.epoch)} batches, {samples} rows: start it with the plan's batch size "
                "and data set"
            )
        self._require_size(loader)
        self.plan.require_rows_in(self.dataset)

    def _rows_of(self, iteration):
        """[rows of each rank] of an iteration by the job's sampler; of a stream its place."""
        number = ranks.process()[1]
        if self.streams:
            return [[iteration]] * number
        self.epoch = self.epoch or self.walk(self.begin)
        return self.epoch[iteration] if iteration < len(self.epoch) else [[]] * number

    def _require_size(self, loader):
        """The plan's batches have to be as large as the job's, where those are all of one size.

        A plan of nothing but the short last batch is right, too.
        """
        own = loader.batch_sampler
        splits = getattr(own, "split_batches", False)
        own = getattr(own, "batch_sampler", own)  # accelerate's has another in it, of all ranks
        if self.streams or splits or type(own) is not torch.utils.data.BatchSampler:
            return
        plan = self.plan
        sizes = {step["iteration"]: len(rows_of_rank(step, plan.rank)) for step in plan.steps}
        largest = max(sizes.values())
        if largest > own.batch_size or (largest < own.batch_size and len(sizes) > 1):
            raise ValueError(
                f"{plan.path} has batches of {largest} samples, this job has a batch size of "
                f"{own.batch_size}: start it with the plan's, or make order, points and plan anew "
                "with this one"
            )

    def _keep(self, begin):
        """Reads the stream as far as the plan goes, and keeps the plan's batches.

        Returns their signature.
        """
        wanted = {step["iteration"]: step["rows"] for step in self.plan.steps}
        if any(set(rows) != {at} for at, rows in wanted.items()):
            give_up(
                f"rows of {type(self.dataset).__name__}, an IterableDataset, cannot be chosen: "
                "select from the trace of `order --lengths`, and plan without manifests"
            )
        for step in self.plan.steps:
            step["heaviest_rank"] = 0  # all ranks say the lengths of the heaviest
        columns = Columns(self)
        for at, batch in enumerate(itertools.islice(self.fetch(begin), max(wanted) + 1)):
            columns(batch)
            if at in wanted:
                self.kept[at] = copy.deepcopy(batch)
        if len(self.kept) < len(wanted):
            give_up(
                f"{self.options.plan} is of a longer epoch: this one has {self.fetched} batches"
            )
        lengths = columns.lengths
        lengths.ways = columns.signature or lengths.ways or lengths.found()
        return functools.partial(signature_of_kept, columns)

    def indices(self, loader, own):
        if self.walking:
            yield from super().indices(loader, own)
            return
        # A row, not several, is a batch where the data set makes batches itself.
        single = not loader._auto_collation and not hasattr(next(iter(own)), "__iter__")
        for rows in self.plan:
            yield rows[0] if single else rows

    def fetch(self, begin):
        if not self.kept:
            yield from super().fetch(begin)
            return
        self.fetched = 0
        for rows in self.plan:
            self.fetched += 1
            yield copy.deepcopy(self.kept[rows[0]])

    def number_of_batches(self, loader):
        return self.plan.batches()

    def iterator(self, batches, trainer):
        self.plan.start = self.plan.ran
        accumulated = frameworks.accumulation_of(trainer)
        if trainer is not None or accumulated > 1:  # else a loop may accumulate by itself
            self.recorder.optimizer.batches = accumulated
        return super().iterator(batches, trainer)

    def finish(self):
        status = Held.finish(self)
        if status or self.ended:
            return status
        if self.recorder.complete():
            self.recorder.close()
        return hold.missing(
            f"the job ended before its plan: {self.plan.ran} of {self.plan.batches()} batches had "
            "run"
        )


def signature_of_kept(columns, batch):
    """Lengths of a batch that was kept; ranks may have other numbers of samples."""
    found = columns.settle(columns(batch))
    del found["rows"]
    if columns.ranks > 1:
        for name in ("batch_size", "samples", "ranks", "padded_tokens"):
            found.pop(name, None)
    return found
