"""Writes the batches of one epoch, then ends the job, or lets it go on to measure."""

import functools
import itertools
import math
import os
import statistics
import time

from .. import device, ranks, report, untrained
from ..awaited_plan import PACED, to_measure, wait_for_plan
from ..outputs import NotWritten, whole_csv
from ..saying import (
    WRONG_INPUT,
    Postponed,
    attempt,
    exception_of_job,
    give_up,
    give_up_unwritten,
    insist,
    leave,
    say,
    warn,
)
from ..shapes import padded_tokens
from . import draws, frameworks, more_workers, redrawn, sampled, surroundings
from .base import Held
from .batch_columns import Columns, text_of
from .plan_loop import WHOLE_EPOCHS, Measure
from .position import READINGS, REDRAWS, WITHOUT_CHECKPOINT

LOOKED_AT = 20  # batches of a loader that is iterated in step
FEW = 200  # iterations: points with repeats and warm-up take about as many
ANY = 20  # iterations that suffice if all are alike


class Order(Held):
    unfinished = "before its order"
    leaves_out = False

    def __init__(self, options):
        super().__init__(options)
        self.accumulate = 1  # batches per optimiser step, if a framework reports it
        self.tokens = []  # tokens of each batch, with padding
        self.epochs = options.epochs or 1
        self.part_of = None  # the batches of the epoch, if lengths are of a part of them
        self.orders = []  # the rows of each epoch
        self.columns = None  # of all of them: their lengths are on the same axes
        self.doubts = []  # whether a pass is an epoch
        self.paces = []  # (rows, seconds) of batches, by which later ones are priced
        self.seen = self.begins = 0  # batches that the job got, and that its framework has begun
        self.got = 0  # batches of the pass that the job got
        self.next = None  # what measures in place of this, once it goes on
        self.has_failed = False  # whether an exception ended the job: its frames may hold a pass

    def hold(self, loop):
        """Lets the job train on the first batches, then reads the others without the job.

        Of several epochs, each pass but the last then ends for the job, whose loop comes round. An
        exception of the job goes its way; if the job catches it, its next pass makes the order.
        """
        self.columns = self.columns if self.elected is loop else None
        self.seen = self.begins = 0
        loop.columns = self.columns or Columns(
            loop, asks_at_end=True, counts_tokens=True, patience=math.inf
        )
        loop.rows_seen = []  # (row, fault) of each batch that the job got
        self.tell_recorder(loop.trainer)
        is_left = True  # whether the job leaves the loop before its end
        is_raised, loop.is_open = False, True
        try:
            yield from self.let_through(loop)
            if self.elected is loop and not self.orders and not self.beside:  # which was read ahead
                yield from self.paced(loop)
            is_left, self.got = False, loop.fetched
        except BaseException as error:
            is_raised = surroundings.is_raised(error, loop.taker)
            raise
        finally:
            loop.is_open = False
            if self.elected is loop and is_raised:
                self.forget(loop)
            if self.elected is loop and not (self.has_failed or ranks.are_left()):
                self.columns, loop.strayed = loop.columns, True
                self.end_pass(loop, is_left)
        if self.elected is loop and len(self.orders) == self.epochs:
            yield from self.go_on(loop)

    def paced(self, loop):
        """Lets the job train on a few more batches, whole optimiser steps, and times them."""
        per_step = frameworks.accumulation_of(loop.trainer)
        for _ in range(max(PACED // per_step, 1)):
            if (loop.most or math.inf) < loop.fetched + per_step:
                return
            first, backwards = len(loop.rows_seen), self.training.backwards
            begun_s = time.perf_counter()
            for batch in itertools.islice(loop.batches, per_step):
                self.see(loop, batch)
                yield batch
                device.wait()
            if self.training.backwards > backwards:
                self.paces.append((loop.rows_seen[first:], time.perf_counter() - begun_s))

    def tell_pace(self, loop):
        """The time of a batch of the epoch's mean size, by the quickest of those that were timed.

        In proportion to padded tokens: a sorted epoch begins with its smallest or largest batches.
        """
        if not self.paces or not self.tokens or not all(self.tokens):
            return
        mean = statistics.fmean(self.tokens)
        settle = loop.columns.settle
        tokens = [
            sum(padded_tokens(settle(row)) for row, _ in rows if row) for rows, _ in self.paces
        ]
        if all(tokens):
            batch_s = min(s * mean / of for of, (_, s) in zip(tokens, self.paces))
            report.tell("pace", batch_s=batch_s)

    def end_pass(self, loop, is_left):
        self.require_whole(loop)
        self.accumulate = frameworks.accumulation_of(loop.trainer)
        try:
            goes_on = not is_left and self.may_go_on(loop)
            self.orders.append(self.rows_of(loop))
            if len(self.orders) < self.epochs:
                self.orders[-1] = list(self.orders[-1])
            else:
                self.write_epochs(loop, goes_on)
        except ranks.NotTogether as error:
            give_up(error)

    # --- the plan that may come -------------------------------------------------------------------

    def may_go_on(self, loop):
        """Whether a plan is to come, and the pass of the job can go on with it."""
        if not getattr(self.options, "goes_on", None) or self.epochs > 1 or self.beside:
            return False
        can = not loop.streams and loop.sampler is not None
        return all(ranks.of_all_processes(can, "the end of the order"))

    def go_on(self, loop):
        """The plan's batches in the same pass, then the stretch's."""
        loop.batches.close()
        wait_for_plan(self.options.plan)
        self.next = self.loaders.job = self.measure_of(loop)
        rank, number = ranks.process()
        report.tell("goes on", verb="measure", rank=rank, world_size=number)
        self.next.found(loop)
        yield from self.next.run_all(loop)

    def measure_of(self, loop):
        """A Measure in the place of this, which hands its later calls on to it."""
        measure = Measure(to_measure(self.options))
        for name in ("training", "passes", "elected", "beside", "others", "loaders"):
            setattr(measure, name, getattr(self, name))
        self.training.at_first_backward = measure._note_first_backward
        measure.trainers = self.trainers
        measure.waiting = self.waiting()
        loop.options, loop.kept, loop.wanted = measure.options, [], set()
        loop.given, loop.fetched = None, self.got
        loop.noted.clear()
        return measure

    # --- frameworks, which begin iterations later than they get the batches -----------------------

    def begin(self, batch=None):
        self.begins += 1
        if self.next is not None:
            self.next.begin(batch)

    def end(self):
        if self.next is not None:
            self.next.end()

    def waiting(self):
        """The number of batches that a framework has got and not begun."""
        return max(self.seen - self.begins, 0) if self.trainers else 0

    def leave(self):
        if self.next is not None:
            self.next.leave()

    def _asked(self, loader, own):
        """Workers that persist keep the sampler that this has given them."""
        return super()._asked(loader, own) if self.next is None else self.next._asked(loader, own)

    # --- reading ----------------------------------------------------------------------------------

    def see(self, loop, batch):
        self.seen += 1
        if self.options.lengths:
            loop.rows_seen.append(attempt(loop.columns, batch))

    def found(self, loop):
        """Reads ahead in loaders that are iterated in step: their shapes must not matter.

        The sampler is walked here as it is where a plan is measured: it may draw random numbers
        that training also draws.
        """
        loop.require_batches()
        loop.require_rows()
        if not loop.streams:
            fault = attempt(loop.whole)[1]
            if isinstance(fault, Postponed):
                insist(fault)
        self.doubts = attempt(surroundings.doubts, loop)[0] or []
        for doubt in self.doubts:
            if doubt.excludes and not self.options.loader:
                give_up(doubt.text, untrained.ONE_LOADER)
        for other in self.beside:
            for _ in itertools.islice(other.batches, LOOKED_AT):
                pass
            other.require_one_shape(loop)
            say(
                f"each batch of {loop.name} comes with one of {other.name}, of one shape: its time "
                "is a part of the batch",
                of_result=True,
            )

    def write_epochs(self, loop, goes_on):
        try:
            written = self.write(self.orders)
        except NotWritten as error:
            give_up_unwritten(self.options.output, error)
        say(f"{self.options.output}: {written} batches of {loop.name}")
        self.tell_pace(loop)
        written = self.part_of or written
        if self.epochs == 1:
            self.report_parts(loop, written)
            self.report_doubts(loop, written)
            self.report_draws(loop)
        if self.options.lengths and self.redraws(loop):
            self.require_random(loop)
            self.even_out(loop)
        self.advise(loop, written)
        rows = len(self.tokens) or written
        if goes_on:
            if ranks.process()[0] == 0:  # whose file is now complete
                report.tell("ordered", rank=0, rows=rows)
            return
        self.tell_done(self.options.output, rows)
        leave(0, together=True)

    def require_random(self, loop):
        """Ends the job if lengths that are not the same again depend on the batches before."""
        follows = bool(attempt(loop.follows_readings)[0])
        if any(ranks.of_all_processes(follows, "another reading of its first batch")):
            give_up(
                f"{loop.name}: lengths depend on the number of batches before; one batch, read "
                f"{READINGS} times, becomes longer and longer, or shorter and shorter",
                WHOLE_EPOCHS,
                WRONG_INPUT,
            )

    def even_out(self, loop):
        if ranks.process()[0] > 0:
            return
        low, high = redrawn.even_out(self.options.output)
        say(
            f"{REDRAWS.format(loop.name)}: all batches count as one shape, of the mean length. The "
            f"lengths that came, {low} to {high}, are a sample",
            of_result=True,
        )

    def report_draws(self, loop):
        """Tells how much epochs differ, and says if the second has batches of other lengths."""
        several = self.part_of or ranks.process()[1] > 1
        if several or not self.options.lengths or self.options.signature:
            return
        lengths = loop.columns.lengths_of_batch
        unknown = None, None
        spread, times = attempt(draws.looked_at, loop, lengths, self.tokens)[0] or unknown
        if spread:
            report.tell("draws", spread=spread)
        if times is not None:
            warn(
                f"this is epoch 1 of {loop.name}, and others differ: batches of the second have "
                f"{times:.2g} times its padded tokens",
                "--epochs N",
            )

    def require_whole(self, loop):
        if loop.resumed:
            of = f" of {loop.length}" if loop.length else ""
            give_up(
                f"{loop.name} goes on from a checkpoint, after batch {loop.resumed}{of}: the rest "
                "of an epoch is not the epoch",
                WITHOUT_CHECKPOINT,
            )
        if not self.options.lengths and loop.streams:
            give_up(
                f"{type(self.dataset).__name__} is an IterableDataset, which has no rows: say "
                "--lengths"
            )

    def report_parts(self, loop, written):
        """Says if the job trains on a part of the epoch, or the order is one."""
        skipped = loop.left_out()
        if skipped:
            report.tell("part", first=skipped + 1, of=written)
            warn(
                f"{loop.name} trains from batch {skipped + 1} of {written} (resumed?): the epoch "
                "is that of all"
            )
        if loop.length and written < loop.length and written != loop.most:
            warn(
                f"{loop.name} has delivered {written} of its {loop.length} batches (resumed?): if "
                f"that is a part of an epoch, {WITHOUT_CHECKPOINT}"
            )

    def report_doubts(self, loop, written):
        """Says if the job's epoch may be another number of batches."""
        if loop.stated and written == loop.stated != loop.length:
            say(f"an epoch is of {written} batches, as the trainer states", of_result=True)
        if loop.stated and loop.length and self.epochs == 1:
            report.tell("steps", batches=loop.stated, of=loop.length)
        for doubt in self.doubts:
            if not self.options.batches:
                warn(doubt.text, doubt.option)

    def advise(self, loop, written):
        line = advice(written, self.tokens) if written != loop.most else ""
        if line:
            say(line)

    def rows_of(self, loop):
        if not self.options.lengths:
            return self.rows(loop)
        if self.accumulate == 1 and sampled.can_be(loop, self.options):
            return self.read_part(loop)
        return self.read(loop)

    def rows(self, loop):
        for by_rank in loop.rows():
            yield {"rows": text_of(by_rank)}

    def read(self, loop):
        """Columns of every batch, which the data set and the collator make."""
        columns = loop.columns
        found = itertools.islice(self._found(loop), loop.most)
        # Rows wait for the batch that shows which axes are lengths: by then a sorted epoch may have
        # delivered many of one length.
        first = []
        for row in found:
            first.append(row)
            if columns.settled:
                break
        for row in map(columns.settle, itertools.chain(first, found)):
            self.tokens.append(padded_tokens(row))
            yield row
        columns.of_ranks(((), None, None), "the end of the epoch")
        columns.tell_lengths()

    def read_part(self, loop):
        """Columns of a part of the batches, which is the same for every build that has them."""
        whole, columns = loop.whole(), loop.columns
        self.part_of = len(whole)
        loop.batches.close()
        places, rows = list(sampled.order_of(whole)), []
        for row in self._found_at(loop, [whole[place] for place in places]):
            rows.append(row)
            if columns.settled or len(rows) >= sampled.FEWEST:  # all may have one shape
                self._settle(columns, rows)
            if sampled.is_enough(places, self.tokens, len(whole)):
                break
        self._settle(columns, rows)
        columns.of_ranks(((), None, None), "the end of the epoch")
        columns.tell_lengths()
        error = sampled.error_of(places, self.tokens, len(whole))
        say(
            f"{len(rows)} of {len(whole)} batches of {loop.name} were loaded, one of each part of "
            "the epoch: lengths are of these, and the epoch's padded tokens are known to "
            f"{error:.1%} (standard error)",
            of_result=True,
        )
        for place, row in sorted(zip(places, rows), key=lambda pair: pair[0]):
            yield {"place": place, **row, "batches": len(whole)}

    def _settle(self, columns, rows):
        for at in range(len(self.tokens), len(rows)):
            rows[at] = columns.settle(rows[at])
            self.tokens.append(padded_tokens(rows[at]))

    def _found_at(self, loop, indices):
        """What all ranks find in the batches of these indices."""
        own = more_workers.Batches(loop, indices, 0, functools.partial(self.watched, loop))
        for number, batch in enumerate(own.of_loader(own.begin(), sampled.FEWEST), 1):
            row = loop.columns(batch)
            yield {"found": loop.columns.of_ranks(row["found"][0], f"batch {number}")}

    def number_of_batches(self, loop):
        return None if self.part_of else super().number_of_batches(loop)

    def _found(self, loop):
        """What all ranks found in a batch: first in those that the job got, then in the others."""
        place = 0
        rest = ((loop.columns(batch), None) for batch in self.rest(loop))
        for place, (row, fault) in enumerate(itertools.chain(loop.rows_seen, rest), 1):
            if fault is not None:
                insist(fault)
            loop.require_end(place)
            yield {"found": loop.columns.of_ranks(row["found"][0], f"batch {place}")}

    def rest(self, loop):
        """The batches that the job does not get."""
        whole = None if loop.streams or self.epochs > 1 else attempt(loop.whole)[0]
        if not whole:
            return loop.batches
        fetch = functools.partial(self.watched, loop)
        batches = more_workers.Batches(loop, whole, loop.fetched, fetch)
        return batches.of_loader(loop.batches, len(whole))

    def place_of(self, epoch, iteration):
        """The columns that identify an iteration; with accumulated gradients also its step."""
        place = {"epoch": epoch, "iteration": iteration}
        return {**place, "step": iteration // self.accumulate} if self.accumulate > 1 else place

    def write(self, epochs):
        """Writes the file of rank 0. Returns the number of batches, which are counted through."""
        number = 0
        with whole_csv(self.options.output if ranks.process()[0] == 0 else os.devnull) as file:
            for epoch, batches in enumerate(epochs):
                for columns in batches:
                    place = columns.pop("place", number)
                    columns = {**self.place_of(epoch, place), **columns}
                    if number == 0:
                        file.write(columns)
                    file.write(columns.values())
                    number += 1
            if number == 0:
                give_up("the DataLoader has no batches")
        return number

    def finish(self):
        error, loop = exception_of_job(), self.elected
        self.has_failed = bool(error)
        status = super().finish()
        if status or len(self.orders) == self.epochs:
            return status
        if error:
            return untrained.missing(f"the job ended by {error}, before its order")
        if self.orders:
            fault = f"the job ended after {len(self.orders)} of {self.epochs} epochs"
            hint = f"say --epochs {len(self.orders)}, or let it train longer"
            return untrained.missing(fault, hint)
        if loop.is_open:  # by an iterator of the job's module, which goes after this
            return status
        return untrained.missing(self._why_unfinished(loop))


def advice(number, tokens):
    """Whether points are of use, as a line for the user, or "". `seqpoint run` decides by itself.

    `tokens`: padded tokens of each iteration; [] if unknown.
    """
    if os.environ.get("SEQPOINT_HOOK"):
        return ""
    if number < FEW:
        return f"{number} iterations are few to choose from: let `record` time them all"
    shapes = set(tokens[:-1])  # an epoch's last batch is smaller
    if len(shapes) == 1:
        return (
            f"all {number} iterations have one shape, of {shapes.pop()} tokens with padding: time "
            f"any {ANY}, and multiply"
        )
    return ""
