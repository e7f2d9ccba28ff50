"""Loads the rest of a pass in more worker processes than the job's loader has.

An order needs the batches and not the job's way to them. Only loaders of PyTorch's own class get
more workers, which are forked from the job's process as its own would be. Each has positions of its
own in files that are open. Connections cannot be had twice: a job with an open socket that has no
workers gets none. What they load first is compared with what the job's loader has loaded of the
same rows. If it differs, or they fail, the rest is loaded by the job's loader. Random numbers of
this process are drawn as without them.
"""

import contextlib
import fcntl
import functools
import os
import stat
import time

import torch

from .. import ranks
from ..asking import attribute
from ..saying import attempt
from ..shapes import shapes_in

LOOK_S = 1.0  # loading by the job's loader, which shows how long all of it takes
WORTH_S = 4.0  # about as long as workers take to start
COMPARED = 5  # batches that are loaded twice
FOR_A_CORE = 2  # workers: those that wait for a disk leave the core to others
MOST = 16
END = object()
PATIENCE_S = 120  # for a batch of a worker, which may hang where it uses what it shares with others


def number_for(loader):
    """The number of workers that a loader may have; 0: it has enough, or is of another kind.

    Several ranks begin a pass together, and load side by side anyway.
    """
    own = _own(loader)
    usual = type(own) is torch.utils.data.DataLoader and not own.persistent_workers
    forks = torch.multiprocessing.get_start_method() == "fork"
    if not usual or not forks or own.multiprocessing_context is not None:
        return 0
    number = min(FOR_A_CORE * len(os.sched_getaffinity(0)), MOST)
    alone = ranks.process()[1] == 1
    if own.num_workers == 0 and any(stat.S_ISSOCK(mode) for _, mode in open_files()):
        return 0
    return number if alone and number > max(own.num_workers, 1) else 0


def open_files():
    """(descriptor, mode) of all files that are open in this process."""
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the folder itself
            yield int(name), os.fstat(int(name)).st_mode


def begin_worker(own_begin, worker):
    """Opens what is read anew: positions in a file are shared with the process that was forked."""
    for file, mode in list(open_files()):
        flags = fcntl.fcntl(file, fcntl.F_GETFL)
        if not stat.S_ISREG(mode) or flags & os.O_ACCMODE != os.O_RDONLY:
            continue
        again = os.open(f"/proc/self/fd/{file}", os.O_RDONLY)
        os.lseek(again, os.lseek(file, 0, os.SEEK_CUR), os.SEEK_SET)
        os.dup2(again, file, inheritable=os.get_inheritable(file))
        os.close(again)
    if own_begin is not None:
        own_begin(worker)


def _own(loader):
    """The loader inside that of accelerate."""
    return attribute(loader, "base_dataloader", loader)


@contextlib.contextmanager
def more(loader, number):
    """Meanwhile the loader has that many workers."""
    own = _own(loader)
    names = ("num_workers", "prefetch_factor", "timeout", "worker_init_fn")
    before = {name: getattr(own, name) for name in names}
    drawn = [(of, of.get_state()) for of in {torch.default_generator, own.generator} - {None}]
    own.num_workers, own.prefetch_factor = number, own.prefetch_factor or 2
    own.timeout = own.timeout or PATIENCE_S
    own.worker_init_fn = functools.partial(begin_worker, own.worker_init_fn)
    try:
        yield
    finally:
        vars(own).update(before)
        for generator, state in drawn:
            generator.set_state(state)


class Batches:
    """The batches of a loader that is begun anew, with indices in place of its sampler's.

    `fetch(place)` begins it, with `loop.given`, the indices from that place on.
    """

    def __init__(self, loop, indices, place, fetch):
        self.loop, self.indices, self.place, self.fetch = loop, indices, place, fetch
        self.shapes = []  # of the last batches of the job's loader

    def of_loader(self, begun, expected):
        """The batches that the loader delivers, if it takes long by more workers.

        `begun`: by the job's own; `expected`: the place up to which they are loaded.
        """
        begun_s = time.monotonic()
        for number, batch in enumerate(begun, 1):
            self.place += 1
            yield batch
            self.shapes = [*self.shapes, shapes_in(batch)][-COMPARED:]
            seconds = (time.monotonic() - begun_s) * (expected - self.place) / number
            if number >= COMPARED and self.are_worth(time.monotonic() - begun_s, seconds):
                break
        else:
            return
        begun.close()
        yield from self.of_workers()
        if self.place < len(self.indices):
            yield from self.begin()

    def are_worth(self, seconds, left):
        """Whether workers are worth it after so many seconds, for what takes so many without."""
        return seconds > LOOK_S and left > WORTH_S and number_for(self.loop.loader) > 0

    def begin(self, again=0):
        """Begins the loader, `again` batches before the place."""
        self.loop.given = self.indices[self.place - again :]
        self.loop.noted.clear()
        return self.fetch(self.place)

    def of_workers(self):
        """The batches from here on as far as workers deliver them as the job's loader would."""
        with more(self.loop.loader, number_for(self.loop.loader)):
            batches = self.begin(again=len(self.shapes))
            goes_on = attempt(self.are_alike, batches)[0]
            while goes_on:
                batch, fault = attempt(next, batches, END)
                goes_on = fault is None and batch is not END
                if goes_on:
                    self.place += 1
                    yield batch
            batches.close()

    def are_alike(self, batches):
        """Whether workers deliver the last batches of the job's loader once more."""
        for shapes in self.shapes:
            if shapes_in(next(batches)) != shapes:
                return False
            self.loop.noted.pop(0)
        return True
