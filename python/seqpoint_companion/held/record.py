"""Times each iteration of the job."""

import os

import torch

from .. import device, hold, ranks
from ..batches import Batches
from ..interruptions import Interruptions
from ..recorder import MAKE_ROOM, Recorder
from ..saying import NOT_WRITTEN, WRONG_INPUT, complain, give_up, leave, say
from . import frameworks, interruptions
from .base import Held
from .columns import Columns

# Seconds between writes: writing many rows together takes a third of the time, and spares the job's
# caches.
EVERY_S = 1


class Record(Held):
    plan = None
    outcome = "marked"  # the handling of rows with other work in them

    def __init__(self, options):
        super().__init__(options)
        self.recorder = None
        self.ended = False  # whether the plan has, and the process is being left
        self.trainers = []  # the frameworks in use

    def hold(self, loader, begin, trainer):
        if self.recorder is None:
            self._begin_recording(loader, begin, trainer)
        elif not self.trained:
            self._forget_pass()
        elif self.plan is None and self.options.one_epoch:
            self.end_of_plan()
        if trainer is not None and trainer not in self.trainers:
            self.trainers.append(trainer)
            frameworks.tell_recorder(trainer, self.recorder)
        return self.iterator(Batches(loader, lambda _: self.watched(loader, begin)), trainer)

    def _begin_recording(self, loader, begin, trainer):
        path, signature = self.prepare(loader, begin)
        peaks = self.options.peak_memory or device.uses_device()
        self.recorder = Recorder(path, signature, self.plan, peak_memory=peaks)
        self.recorder.at_end, self.recorder.fail = self.end_of_plan, refuse_batch
        self.recorder.every_s = EVERY_S
        self.recorder.interruptions = Interruptions()
        interruptions.watch(self.note_interruption)
        self.watch_training(by_fetch=trainer is None)

    def note_interruption(self, kind):
        if self.recorder is not None and self.recorder.running is not None:
            self.recorder.interruptions.note(kind)

    def _forget_pass(self):
        """Drops a pass without a backward pass, because it was not a training pass."""
        self.recorder.unwritten.clear()
        self.recorder.epoch, self.recorder.iterations = -1, 0

    def prepare(self, loader, begin):
        """(path, signature) for the recorder."""
        path = self.options.output if ranks.process()[0] == 0 else os.devnull
        return path, Columns(self, asks_at_end=True)

    def iterator(self, batches, trainer):
        """The iterator that the job gets.

        The job's own loop is timed from batch to batch; a framework calls begin() and end().
        """
        watched = self.recorder(batches) if trainer is None else self.recorder.watch(batches)
        return iter(watched)

    def watch_training(self, by_fetch):
        """Waits for the first backward pass.

        `by_fetch`: an iteration ends when the next batch is requested.
        """
        own = torch.autograd.backward

        def first(*arguments, **options):
            torch.autograd.backward, self.trained = own, True
            if by_fetch and self.fetched > 1:
                give_up(
                    f"{self.fetched} batches came before the first backward pass. If the job "
                    f"fetches ahead, {hold.BY_HAND}; if it first iterates the loader for something "
                    "else, say --loader N: the N-th pass trains"
                )
            return own(*arguments, **options)

        torch.autograd.backward = first

    def finish(self):
        status = super().finish()
        if status or self.ended:
            return status
        if self.recorder is None or not self.trained:
            return hold.missing("no backward pass was run: nothing is recorded")
        return self.close()

    def close(self):
        """Writes the pending rows. Returns an exit status."""
        lost = self.recorder.close()
        for line in self.recorder.interruptions.lines(self.outcome):
            say(line, of_result=True)
        if lost:
            complain(lost, MAKE_ROOM, NOT_WRITTEN)
            return NOT_WRITTEN
        self.tell_done(self.recorder.path, self.recorder.rows)
        return 0

    def end_of_plan(self):
        """Ends the job: the plan has run, or the one epoch that `seqpoint run` records."""
        self.ended = True
        leave(self.close(), together=True)


def refuse_batch(error):
    """Ends a job with other batches than the plan's, or whose file another process writes."""
    give_up(error, status=WRONG_INPUT)
