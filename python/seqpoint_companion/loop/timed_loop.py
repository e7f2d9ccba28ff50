"""Times each iteration of the job."""

import contextlib
import os

import torch

from .. import caller, device, ranks, report, untrained
from ..asking import length_of
from ..batches import Batches
from ..plan_file import one_length, read_plan
from ..recorder import MAKE_ROOM, Recorder
from ..saying import (
    NOT_WRITTEN,
    WRONG_INPUT,
    complain,
    exception_of_job,
    give_up,
    leave,
    say,
    warn,
    warn_of_left,
)
from . import other_work, surroundings
from .base import Held
from .batch_columns import Columns
from .position import name_of

# Seconds between writes: writing many rows together takes a third of the time, and spares the job's
# caches.
EVERY_S = 1


class Record(Held):
    unfinished = "within its epoch"
    plan = None
    outcome = "marked"  # the handling of rows with other work in them

    def __init__(self, options):
        super().__init__(options)
        self.recorder = None  # of the loop that is held
        self.timer = None  # the recorder that a framework calls
        self.short = None  # (name, batches taken, of how many) of a pass that the loop has left
        self.in_pass = False  # whether the loop that is held runs
        self.other = None  # (name, backward passes before it) of a later loop over another loader

    def hold(self, loop):
        """The batches of a pass, each timed until the next is requested.

        A framework calls begin() and end() instead. Rows wait until the job has trained.
        """
        if self.elected is loop and self.options.one_epoch:
            self.end_of_plan()
        if self.elected is not loop:
            path = self.options.output if ranks.process()[0] == 0 else os.devnull
            loop.recorder = self.recorder_into(path, Columns(loop, asks_at_end=True))
        self.timer = loop.recorder
        self.tell_recorder(loop.trainer)
        loop.recorder.has_trained = lambda: self.training.backwards > loop.seen
        for batch in self.timed(loop.recorder, loop, self._recorded(loop)):
            yield batch
            if self.elected not in (None, loop):
                break
        if self.elected not in (None, loop):  # this one is in step with it
            yield from loop.batches

    def takes(self, loader, evaluates):
        self.require_one_loader()
        takes = super().takes(loader, evaluates)
        behind = self.elected is not None and not (takes or self.in_pass or evaluates)
        if behind and torch.is_grad_enabled():
            name = f"{name_of(loader)} ({length_of(loader)} batches)"
            self.other = name, self.training.backwards
        return takes

    def require_one_loader(self):
        """Ends a job that trains on another loader, too, before the next pass of this one."""
        other, self.other = self.other, None
        if other is None or self.training.backwards == other[1]:
            return
        fault = f"an epoch of the job trains on {self.elected.name}, and on {other[0]}"
        if self.options.one_epoch and not self.options.loader:
            give_up(fault, untrained.ONE_LOADER)
        warn(f"{fault}: times are of the first alone")

    def timed(self, recorder, loop, batches):
        """Batches through a recorder, which times them unless a framework tells it when."""
        through = Batches(loop.loader, lambda _: batches)
        return iter(recorder(through) if loop.trainer is None else recorder.watch(through))

    def _recorded(self, loop):
        batches = loop.batches = self.watched(loop)
        self.in_pass = True
        try:
            for batch in batches:
                yield batch
                if self.elected is None:
                    self.elects(loop)
                if self.options.one_epoch and loop.fetched == loop.most:
                    self.end_of_plan()
        except BaseException as error:
            if self.elected is loop and self.options.one_epoch:
                self.drop_if_raised(loop, error)
            raise
        finally:
            # Another pass may have begun before this one is closed.
            if loop.batches is batches and not loop.is_raised:
                if self.elects(loop, ended=True):
                    self.pass_ends()
                self.in_pass = False

    def drop_if_raised(self, loop, error):
        """A pass that an exception ends is no epoch: a batch size may be halved until it fits."""
        if surroundings.is_raised(error, loop.taker):
            self.in_pass = False
            loop.recorder.leave()
            loop.recorder.rows.drop()
            self.forget(loop)

    def pass_ends(self):
        """Notes whether the job has left the pass early."""
        loop = self.elected
        if not self.in_pass:
            return
        self.in_pass = False
        taken, of = loop.taken(self.training.backwards), loop.length
        if taken and of and loop.fetched < (loop.most or of):
            self.short = self.short or (loop.name, taken, of)

    def begin(self, batch=None):
        """A framework begins an iteration; of another loader if none of this one has arrived."""
        if self.timer.arrived and not ranks.are_left():
            self.timer.begin(batch)

    def end(self):
        """A framework ends an iteration."""
        if self.timer is not None and not ranks.are_left():
            with contextlib.suppress(caller.Gone):
                self.timer.end()

    def leave(self):
        if self.recorder is not None:
            self.recorder.leave()

    def recorder_into(self, path, signature, plan=None, kind=Recorder):
        peaks = self.options.peak_memory or device.uses_device()
        phases = self.options.phases
        recorder = kind(path, signature, plan, peak_memory=peaks, phases=phases)
        recorder.at_end, recorder.fail = self.end_of_plan, refuse_batch
        recorder.rows.every_s = EVERY_S
        recorder.interruptions = other_work.Interruptions()
        return recorder

    def found(self, loop):
        """Keeps the rows from the first batch on that the job has trained on."""
        self.require_in_turn(loop)
        self.recorder = recorder = loop.recorder
        other_work.watch(self.note_interruption)
        recorder.signature.planned = self.planned_lengths(loop)
        skipped = loop.left_out() - loop.skipped
        kept = [batch for batch in recorder.rows.waiting if batch.row["iteration"] >= skipped]
        ended = recorder.signature.ended
        recorder.rows.waiting = [batch._replace(row=ended(batch.row)) for batch in kept]
        if loop.left_out() or loop.resumed:
            first = max(loop.left_out(), loop.resumed) + 1
            report.tell("part", first=first, of=loop.length)
            warn(f"{loop.name} trains from batch {first} (resumed?): this is not a whole epoch")
        for other in self.beside:
            say(
                f"each batch of {loop.name} comes with one of {other.name}: its time is in the "
                "row, its length is not",
                of_result=True,
            )

    def planned_lengths(self, loop):
        """The lengths that count for all batches, if those that come are drawn anew."""
        plan = self.options.plan and read_plan(self.options.plan)
        lengths = plan and one_length(plan["steps"])
        return lengths if lengths and self.redraws(loop) else {}

    def require_in_turn(self, loop):
        """Ends the job if its loop fetches a batch before it has trained on the one before."""
        loop.require_batches()
        if loop.trainer is None and loop.fetches_ahead:
            give_up(
                f"{loop.first_trained} batches came before the first backward pass, and the job "
                f"still had the others: if it fetches ahead, {untrained.BY_HAND}"
            )

    def note_interruption(self, kind):
        for recorder in self.recorders():
            if recorder is not None and recorder.running is not None:
                recorder.interruptions.note(kind)

    def recorders(self):
        return [self.timer]

    def _report_short(self):
        """Says if the job's loop has left a pass; one that an exception has ended has not."""
        if self.short and not exception_of_job():
            name, taken, of = self.short
            report.tell("part", last=taken, of=of)
            warn_of_left(name, taken, of)

    def finish(self):
        status = super().finish()
        if status or self.ended:
            return status
        self.require_one_loader()
        error = exception_of_job()
        if error and self.options.one_epoch:
            return untrained.missing(f"the job ended by {error}, within its epoch")
        return self.close()

    def close(self):
        """Writes the pending rows. Returns an exit status."""
        self._report_short()
        lost = self.recorder.close()
        for line in self.recorder.interruptions.lines(self.outcome):
            say(line, of_result=True)
        if lost:
            complain(lost, MAKE_ROOM, NOT_WRITTEN)
            return NOT_WRITTEN
        self.tell_done(self.recorder.path, self.recorder.rows.written)
        return 0

    def end_of_plan(self):
        """Ends the job: the plan has run, or the one epoch that `seqpoint run` records."""
        self.ended = True
        leave(self.close(), together=True)


def refuse_batch(error):
    """Ends a job with other batches than the plan's, or whose file another process writes."""
    give_up(error, status=WRONG_INPUT)
