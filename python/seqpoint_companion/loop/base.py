"""Finds the loop of a job that trains, and reads the output of its sampler."""

import functools
import itertools
import sys
import threading
import time

import torch

from .. import caller, device, ranks, report, untrained
from ..asking import answer, attribute, has, number_at
from ..batches import Batches, Pass
from ..live_objects import parameters_trained
from ..own_work import OWN_WORK
from ..progress import Progress
from ..saying import attempt, exception_of_job, give_up, leave, say
from . import frameworks, surroundings, unfed
from .other_work import VALIDATION
from .position import REDRAWN, Loop, name_of
from .stateful import Resumable
from .training import Training

ROUNDS = 3  # batches that are trained on until it is known which loaders are iterated in step
MOST_NAMED = 3  # loops in a message
MOST_ACCUMULATED = 1000  # batches without a step: more than gradients are accumulated over


class Held:
    """The loop that is held: the first whose batches the job trains on.

    Loops with gradients on are let through as they are until a batch was followed by a backward
    pass, and by a step if the job has an optimiser of torch.optim. A loop that ends before
    (statistics, a check of the data) is not held, and the next one is looked at. Later loops over
    the same data set are held at once.
    """

    unfinished = "before its result"
    leaves_out = True  # whether batches that accelerate skips at the beginning stay left out

    def __init__(self, options):
        self.options = options
        self.loaders = None  # whose job this is
        self.training = None
        self.passes = 0  # over any loader
        self.loops = []  # that may train and have not ended
        self.elected = None  # the loop that is held
        self.beside = []  # loops in step with it
        self.others = []  # why some loaders were ignored
        self.untrained = []  # loops that ended without training, and what they lacked
        self.trainers = []  # the frameworks that call this at iterations
        self.fetching = None  # the loop that a loader makes a batch for
        self.newest = None  # the loop that got the last batch
        self.dropped = None  # the loop that was held until an exception of the job ended its pass
        self.ended = False  # whether there is a result, and the process is being left

    @property
    def dataset(self):
        return self.elected and self.elected.dataset

    @property
    def streams(self):
        return self.elected is not None and self.elected.streams

    def iterate(self, loader, begin):
        """The iterator that the job gets for a loader. `begin()` is the loader's own __iter__."""
        if self.fetching is not None:
            return begin()
        trainer, evaluates = frameworks.trainer_around()
        if not self.takes(loader, evaluates):
            return begin()
        loop = self._loop(loader, begin, trainer)
        return Pass(self, self._while_awaited(loop, self.hold(loop)), loop.loader)

    def _while_awaited(self, loop, batches):
        """The batches of a pass; once nobody waits for the job any more, those of the loader."""
        number = 0
        try:
            for batch in batches:
                number += 1
                yield batch
            return
        except caller.Gone:
            pass
        except Exception:  # such as a folder that went with the caller
            if not caller.is_gone(now=True):
                raise
        self.leave()
        if loop.own_batches is not None and not loop.strayed:
            yield from loop.own_batches
        else:
            yield from itertools.islice(loop.begin(), number, None)

    def leave(self):
        """The job iterates an iterator that another loop has left."""

    def _loop(self, loader, begin, trainer):
        if self.elected is not None:
            self.pass_ends()
            self.elected.restart(loader, begin, trainer)
            return self.elected
        self.training = self.training or Training(self._note_first_backward)
        if not any(loop.fetched for loop in self.loops):
            self.training.restart()
        loop = Loop(self.options, self.passes, self.training.backwards, loader, begin, trainer)
        loop.unfed = unfed.Untrained(loop.name)
        self.loops.append(loop)
        return loop

    def pass_ends(self):
        """Called before a pass of the loop that is held: the one before may not be closed yet."""

    def _note_first_backward(self):
        for loop in self.loops:
            loop.note_first_backward()

    def takes(self, loader, evaluates):
        """Whether this pass over a loader may be a training pass."""
        self.passes += 1
        trains = torch.is_grad_enabled() and not evaluates
        why = self._why_not(loader, trains) or self._why_not_again()
        if not why:
            return True
        self.note_interruption(VALIDATION)
        kind = type(attribute(loader, "dataset")).__name__
        note = f"not held: a DataLoader over {kind}, as {why}"
        if note not in self.others:
            self.others.append(note)
            if trains:
                say(f"{note} (pass {self.passes})")
        return False

    def note_interruption(self, kind):
        """Called when work outside the iteration begins, so that timers can exclude it."""

    def _why_not(self, loader, trains):
        chosen = self.options.loader
        if threading.current_thread() is not threading.main_thread():
            return "it is iterated in another thread"
        if self.elected is None and chosen and self.passes == chosen:
            return ""
        if not trains:
            return "gradients are off"
        if any(loader is loop.loader for loop in self.beside):
            return "it is iterated in step with the one that is held"
        same = self.elected is None or attribute(loader, "dataset") is self.dataset
        # A job may make another data set for each epoch, and iterate it in the same line.
        again = not same and not self.beside and self.elected.name == name_of(loader)
        return "" if same or again else "its data set is another one"

    def _why_not_again(self):
        """Ends this program if another program of the same job has already written the result.

        A job that is recorded continues.
        """
        if self.elected is not None or not report.is_done():
            return ""
        if self.options.verb != "record":
            leave(0)
        return "another program of this job was recorded"

    def tell_recorder(self, trainer):
        """Makes a framework's trainer, if there is one, call begin() and end() of this."""
        if trainer is not None and not any(trainer is known for known in self.trainers):
            self.trainers.append(trainer)
            frameworks.tell_recorder(trainer, self)

    # --- which loop trains ------------------------------------------------------------------------

    def let_through(self, loop):
        """The loop's batches as the job has them, until it has trained on one or the pass ends."""
        loop.batches = self.watched(loop)
        begun_s = time.perf_counter()
        try:
            for batch in loop.batches:
                loop.loader_s = loop.loader_s or time.perf_counter() - begun_s
                self.see(loop, batch)
                yield batch
                device.wait()
                loop.batch_s, begun_s = time.perf_counter() - begun_s, time.perf_counter()
                if self.elects(loop):
                    return
        finally:
            loop.is_over = True
            self.elects(loop, ended=True)

    def see(self, loop, batch):
        """Called with each batch that is let through, before the job gets it."""

    def elects(self, loop, ended=False):
        """Whether this is the loop to hold. Called when the job wants a batch, or ends a pass."""
        if ranks.are_left():
            return False
        if not ended or self.newest is loop:  # else it may have trained on another loop's batch
            loop.count_round(self.training.backwards)
        if self.elected is None:
            with OWN_WORK:
                self._look_at(loop, ended)
        if ended and loop in self.loops:
            self.loops.remove(loop)
            if self.elected is None:
                self._note_untrained(loop)
        return self.elected is loop

    def _look_at(self, loop, ended):
        if self._trains_on(loop, ended):
            self._elect(loop)
        elif not ended and self.never_steps(loop):
            give_up(
                f"{loop.name}: {loop.rounds} batches had a backward pass, and no optimiser made a "
                "step",
                untrained.NO_STEP,
            )

    def never_steps(self, loop):
        """Whether the job has an optimiser, and leaves it out after more batches than is usual."""
        if self.options.verb == "record":  # which ends no job
            return False
        return self.training.step_is_due and loop.rounds >= MOST_ACCUMULATED

    def _trains_on(self, loop, ended):
        """Several loops may be open, in step or forgotten: some more batches show which."""
        if not loop.rounds or not self._may_be_chosen(loop) or not self.training.trains():
            return False
        others = [other for other in self.loops if other is not loop and other.fetched]
        if others and loop.rounds < ROUNDS and not ended:
            return False
        earlier = [
            other for other in others if other.number < loop.number and self._may_be_chosen(other)
        ]
        return not any(in_step(other, loop) for other in earlier)

    def _may_be_chosen(self, loop):
        return self.options.loader in (None, loop.number)

    def _elect(self, loop):
        """Makes it the loop to hold, notes those in step with it, and reports it."""
        self.elected, loop.trained = loop, True
        self.loops.remove(loop)
        self.beside = [other for other in self.loops if in_step(other, loop)]
        rank, number = ranks.process()
        report.tell(
            "held",
            verb=self.options.verb,
            rank=rank,
            world_size=number,
            dataset=type(loop.dataset).__name__,
            batches=loop.length,
            batch_s=loop.batch_s,
            loader_s=loop.loader_s,
            parameters=parameters_trained() if number == 1 else None,
            loader=loop.name,
        )
        self.found(loop)

    def forget(self, loop):
        """An exception has ended the pass, which is no epoch: the next one is looked at anew."""
        self.elected, self.dropped, loop.is_raised = None, loop, True

    def found(self, loop):
        """Called once it is known that the job trains on this loop's batches."""

    def _note_untrained(self, loop):
        of = f" of {loop.length}" if loop.length else ""
        lack = self.training.lack()
        named = f"{loop.name} ({loop.fetched}{of} batches, {lack})"
        if named not in self.untrained:
            self.untrained.append(named)

    # --- batches of a loop ------------------------------------------------------------------------

    def sampler_of(self, loader, own):
        """The sampler from which the loader gets the rows of its batches."""
        loop = self.fetching
        if loop is None or attribute(loader, "dataset") is not loop.dataset or loop.streams:
            return own
        if not self.leaves_out and number_at(own, "skip_batches"):
            own = own.batch_sampler
        loop.own_sampler = own
        return Batches(own, functools.partial(self._asked, loader))

    def _asked(self, loader, own):
        """An iterator over `indices`. The sampler's own is made now, as some draw their order then.

        Other loaders make it before they draw a seed for their workers.
        """
        begins_anew = self.fetching is not None and self.fetching.given is not None
        own = answer(iter, own, unknown=iter(())) if begins_anew else iter(own)
        if self.fetching is None:  # another pass of persistent workers, which is not measured
            return own
        indices = self.indices(self.fetching, loader, own)
        return Resumable(indices, own) if has(own, "load_state_dict") else indices

    def indices(self, loop, loader, own):
        return loop.indices(own)

    def number_of_batches(self, loop):
        """The total for a progress bar, or None."""
        return loop.most or loop.length

    def watched(self, loop, before=0):
        """The batches of a pass, counted for the user. `before`: how many came before."""
        progress = Progress(self.options.verb, self.number_of_batches(loop), before)
        for batch in self.fetch(loop):
            yield batch
            with OWN_WORK:
                progress.step()
            if ranks.are_left():
                raise caller.Gone
        progress.close()

    def fetch(self, loop):
        """The batches of a pass over the loader, which begins when the first one is requested."""
        batches = None
        while True:
            loop.count_round(self.training.backwards)
            self.fetching = loop
            try:
                if batches is None:
                    batches = loop.own_batches = self.begun(loop)
                batch = next(batches)
            except StopIteration:
                return
            finally:
                self.fetching = None
            with OWN_WORK:
                self.newest, loop.taker = loop, surroundings.taken_by()
                loop.arrived(batch)
            yield batch
            if self.options.one_epoch and self.elected is None and not self.training.backwards:
                loop.unfed.step()

    def begun(self, loop):
        if not self.leaves_out and number_at(loop.loader, "skip_batches"):
            loop.loader.skip_batches = 0
        return loop.begun()

    def redraws(self, loop):
        """Whether the data set gives the same rows other lengths at each reading."""
        found = attempt(loop.read_again, REDRAWN)[0]
        return any(ranks.of_all_processes(bool(found), "a second reading of its first batches"))

    # --- the end ----------------------------------------------------------------------------------

    def tell_done(self, output, rows):
        number = compilations()
        report.tell("done", rank=ranks.process()[0], output=output, rows=rows, compilations=number)

    def finish(self):
        """When the job has ended by itself: reports missing results. Returns an exit status."""
        for loop in list(self.loops):
            self.elects(loop, ended=True)
        if self.elected is not None:
            return 0
        if self.dropped is not None:
            return untrained.missing(self._why_unfinished(self.dropped))
        if not self.untrained:
            return untrained.untrained(untrained.unseen(self.others), untrained.BY_HAND)
        named = "; ".join(self.untrained[:MOST_NAMED])
        return untrained.untrained(
            f"the job trained on no batch of a DataLoader: {named}", self._way_to_train()
        )

    def _why_unfinished(self, loop):
        error = exception_of_job()
        if error:
            return f"the job ended by {error}, {self.unfinished}"
        left = f"the job has left {loop.name} after {loop.fetched} batches"
        return f"{left}, and ended {self.unfinished}"

    def _way_to_train(self):
        if self.training.backwards:
            return untrained.NO_STEP
        library = unfed.other_library()
        way = f"it computes with {library}: {unfed.ITERATE.format('loader')}"
        return way if library else untrained.NO_TRAINING


def compilations():
    """The number of graphs that torch.compile has made in this process."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters["stats"]["unique_graphs"] if dynamo else 0


def in_step(loop, other):
    """Whether the job requested a batch of this loop for each that it trained on of the other."""
    return loop.rounds > 0 and loop.rounds >= other.rounds - 1
