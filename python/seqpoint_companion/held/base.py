"""Finds the training loader of a job and reads the output of its sampler."""

import functools
import itertools
import threading

import torch

from .. import hold, ranks, report
from ..batches import Batches
from ..progress import Progress
from ..saying import give_up, leave, say
from . import frameworks
from .interruptions import VALIDATION
from .stateful import Resumable

ENDLESS = 100  # times the data set's rows: a sampler that delivers more does not end


class Held:
    """The training loader: the first that is iterated while gradients are enabled.

    Later loaders over the same data set are also observed.
    """

    def __init__(self, options):
        self.options = options
        self.dataset, self.streams = None, False  # observed; whether it is an IterableDataset
        self.passes = 0  # over any loader
        self.others = []  # why some loaders were ignored
        self.noted = []  # batches that the sampler delivered and that have not arrived
        self.fetched = 0  # batches of this pass
        self.fetching = self.walking = False
        self.trained = False  # whether a backward pass was seen
        self.told = False  # whether the caller was notified of it
        self.walked = None  # rows of each batch, of a walk over the sampler

    def iterate(self, loader, begin):
        """The iterator that the job gets for a loader. `begin()` is the loader's own __iter__."""
        if not self.options.lengths and not hasattr(loader, "load_state_dict"):
            # Only the sampler is used: no workers are needed. A loader with a state draws for them.
            vars(loader).update(num_workers=0, timeout=0)
        if self.fetching:
            return begin()
        trainer, evaluates = frameworks.trainer_around()
        if self.takes(loader, evaluates):
            return self.hold(loader, begin, trainer)
        return begin()

    def takes(self, loader, evaluates):
        """Whether this pass over a loader is a training pass."""
        self.passes += 1
        dataset = getattr(loader, "dataset", None)
        trains = torch.is_grad_enabled() and not evaluates
        why = self._why_not(dataset, trains) or self._why_not_again()
        if not why:
            self.dataset = dataset
            self.streams = isinstance(dataset, torch.utils.data.IterableDataset)
            self._tell_held(loader)
            return True
        self.note_interruption(VALIDATION)
        note = f"not held: a DataLoader over {type(dataset).__name__}, as {why}"
        if note not in self.others:
            self.others.append(note)
            if trains:
                say(f"{note} (pass {self.passes})")
        return False

    def note_interruption(self, kind):
        """Called when work outside the iteration begins, so that timers can exclude it."""

    def _why_not(self, dataset, trains):
        chosen = self.options.loader
        if threading.current_thread() is not threading.main_thread():
            return "it is iterated in another thread"
        if chosen and self.dataset is None:
            return "" if self.passes == chosen else f"--loader is {chosen}"
        if not trains:
            return "gradients are off"
        return "" if self.dataset in (None, dataset) else "its data set is another one"

    def _tell_held(self, loader):
        if self.told:
            return
        self.told = True
        rank, number = ranks.process()
        report.tell(
            "held",
            verb=self.options.verb,
            rank=rank,
            world_size=number,
            dataset=type(self.dataset).__name__,
            batches=length_of(loader),
        )

    def tell_done(self, output, rows):
        report.tell("done", rank=ranks.process()[0], output=output, rows=rows)

    def number_of_batches(self, loader):
        """The total for a progress bar, or None."""
        return self.options.batches or length_of(loader)

    def _why_not_again(self):
        """Ends this program if another program of the same job has already written the result.

        A job that is recorded continues.
        """
        if self.dataset is not None or not report.is_done():
            return ""
        if self.options.verb != "record":
            leave(0)
        return "another program of this job was recorded"

    def sampler_of(self, loader, own):
        """The sampler from which the loader gets the rows of its batches."""
        if not self.fetching or loader.dataset is not self.dataset or self.streams:
            return own
        return Batches(own, functools.partial(self._asked, loader))

    def _asked(self, loader, own):
        """An iterator over `indices`. The sampler's own is made now, as some draw their order then.

        Other loaders make it before they draw a seed for their workers.
        """
        own = iter(own)
        indices = self.indices(loader, own)
        return Resumable(indices, own) if hasattr(own, "load_state_dict") else indices

    def indices(self, loader, own):
        """The sampler's output, as the loader requests it."""
        if self.walking:
            self.walked = self._walk(loader, own)
            return
        for index in own:
            self.noted.append(index)
            yield index

    def _walk(self, loader, own):
        walked, number = [], 0
        for index in itertools.islice(own, self.options.batches):
            walked.append(rows_in(index))
            number += len(walked[-1])
            if self.options.batches is None and number > ENDLESS * len(loader.dataset):
                give_up("the sampler does not end: say --batches N")
        return walked

    def walk(self, begin):
        """[rows of each rank] of each batch of an epoch that begins now. No data is loaded."""
        self.walking, self.walked = True, None
        next(self.fetch(begin), None)
        self.walking = False
        by_rank = ranks.of_all_processes(self.walked, "the end of the epoch")
        if None in by_rank or len(set(map(len, by_rank))) > 1:
            numbers = ", ".join(str(of and len(of)) for of in by_rank)
            give_up(
                f"ranks have {numbers} batches: each has to make its own, as many as the others"
            )
        return list(zip(*by_rank))

    def watched(self, loader, begin):
        """The batches of a pass, counted for the user."""
        progress = Progress(self.options.verb, self.number_of_batches(loader))
        for batch in self.fetch(begin):
            yield batch
            progress.step()
        progress.close()

    def fetch(self, begin):
        """The batches of a pass over the loader, which begins when the first one is requested."""
        self.noted.clear()
        self.fetched, batches = 0, None
        while True:
            self.fetching = True
            try:
                batches = begin() if batches is None else batches
                batch = next(batches)
            except StopIteration:
                return
            finally:
                self.fetching = False
            self.fetched += 1
            yield batch

    def finish(self):
        """When the job has ended by itself: reports missing results. Returns an exit status."""
        return hold.missing(hold.unseen(self.others)) if self.dataset is None else 0


def length_of(loader):
    """The loader's number of batches; None if it is unknown."""
    try:
        return len(loader)
    except TypeError:
        return None


def rows_in(index):
    """The rows of a batch, from its sampler's output."""
    try:
        return [row.__index__() for row in (index if hasattr(index, "__iter__") else [index])]
    except (AttributeError, TypeError):
        return give_up(f"the sampler hands out no row numbers but {index!r}: {hold.BY_HAND}")
