"""Jobs that train on no batch of a loader: told early, as nothing of them would be measured.

Nothing that a job may do before its loader ends it: a few steps, steps while a loader is open, any
steps once it has made a loader, or uses seqpoint.iterate. A line then says what is missing.
"""

import os
import time

import torch

from .. import libraries
from ..asking import answer
from ..live_objects import MODULES, all_optimisers, has_loader
from ..phases import Engine
from ..report import tell_imported
from ..saying import say_meanwhile
from ..unknown_loop import ITERATE, PATIENCE_S, end, uses_iterate, way_out

ENOUGH = 20  # backward passes, or batches
A_MINUTE = 60  # s of batches without a backward pass, until a line is printed


class Watch:
    """Counts the backward passes while no loader is open."""

    def __init__(self, loaders):
        self.loaders, self.passes, self.begun_s = loaders, 0, None
        self.on = loaders.options.one_epoch
        variable = torch.autograd.Variable
        variable._execution_engine = Engine(variable._execution_engine, self.note_backward)

    def note_backward(self):
        if not self.on or os.getpid() != self.loaders.process:
            return
        job = self.loaders.job
        if job is not None and (job.elected is not None or job.loops):
            self.passes, self.on = 0, job.elected is None
            return
        if self.passes == 0:
            self.begun_s = time.monotonic()
        self.passes += 1
        if self.passes >= ENOUGH and time.monotonic() - self.begun_s > PATIENCE_S:
            self.on = False
            self.tell()

    def tell(self):
        fault = f"{self.passes} backward passes of the job were on no batch of a DataLoader"
        if self.loaders.job is not None or has_loader() or uses_iterate():
            say_meanwhile(f"{fault} so far; if it trains already: {way_out()}")
            return
        end(fault, way_out())


def torch_was_imported(module, loaders):
    tell_imported(module, loaders)
    answer(Watch, loaders)  # a module of that name need not be PyTorch


class Untrained:
    """The batches of a loop without a backward pass. It may be one of another library."""

    def __init__(self, name):
        self.name, self.batches, self.begun_s, self.said = name, 0, time.monotonic(), False

    def step(self):
        self.batches += 1
        taken_s = time.monotonic() - self.begun_s
        if self.said or self.batches < ENOUGH or taken_s < PATIENCE_S:
            return
        library = other_library()
        fault = f"{self.batches} batches of {self.name} had no backward pass of PyTorch"
        hint = ITERATE.format("loader")
        if library and not uses_iterate() and not MODULES.living() and not all_optimisers():
            end(f"{fault}: the job computes with {library}", hint)
        elif taken_s > A_MINUTE:
            self.said = True
            say_meanwhile(f"{fault} so far; if it trains already: {hint}")


def other_library():
    """The name of a library that the job computes with, apart from PyTorch; or ""."""
    return next((module.__name__ for module, *_ in libraries.used()), "")
