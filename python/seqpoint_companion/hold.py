"""Instruments a job's loaders from outside, before the job has imported PyTorch.

`DataLoader.__iter__` and the property that returns its sampler are replaced as soon as torch has
been imported. All code that needs torch is in held/, which is imported when a loader is first
iterated. Until then few modules of the standard library are imported, because the hook runs this at
the start of every Python process.
"""

import os
import sys

from . import report
from .saying import FAILED, complain, rank

OTHER_LOADERS = ("nvidia.dali", "ffcv", "petastorm", "tensorflow")
BY_HAND = "use Plan and Recorder in the script (docs/pytorch.md)"
NO_TRAINING = (
    "check that the command trains. A job whose backward pass PyTorch does not see (a CUDA graph "
    "of the whole step) needs Plan and Recorder in the script (docs/pytorch.md)"
)


class Holder:
    """The loaders of this process, or of one that it forks before it trains.

    The object for the job is made when the first loader is iterated.
    """

    def __init__(self, options):
        self.options, self.process, self.job = options, os.getpid(), None
        change_on_import(
            {
                "torch.utils.data.dataloader": self._change_torch,
                "accelerate.data_loader": self._change_accelerate,
                "torchdata.stateful_dataloader.stateful_dataloader": self._change_torchdata,
            }
        )

    def _the_job(self):
        self.process = os.getpid()
        if self.job is None:
            import importlib

            module = importlib.import_module(f"seqpoint_companion.held.{self.options.verb}")
            self.job = getattr(module, self.options.verb.capitalize())(self.options)
        return self.job

    def _change_torch(self, module):
        loader = module.DataLoader
        own = loader._index_sampler.fget
        loader._index_sampler = property(lambda of: self._sampler_of(of, own(of)))
        loader.__iter__ = self._held(loader.__iter__)

    def _change_accelerate(self, module):
        """Observes Accelerate's loaders, which fetch one batch ahead, not those inside them."""
        for loader in (module.DataLoaderShard, module.DataLoaderDispatcher):
            loader.__iter__ = self._held(loader.__iter__)

    def _change_torchdata(self, module):
        """StatefulDataLoader makes an iterator if its state is read before the first batch.

        That iterator uses the loader's own sampler and has not delivered a batch, so it is made
        again.
        """
        loader = module.StatefulDataLoader
        own, own_state = loader.__iter__, loader.state_dict

        def state_dict(of):
            if of._iterator is None:
                from .held.stateful import Before

                vars(of).update(_before_iterator=Before(of))
            return own_state(of)

        def __iter__(of):
            if of._initial_iter_for_state_dict:
                return of._before_iterator.make_anew(of, lambda: own(of))
            return own(of)

        loader.state_dict = state_dict
        loader.__iter__ = self._held(__iter__)

    def _sampler_of(self, loader, own):
        return own if self.job is None else self.job.sampler_of(loader, own)

    def _held(self, own):
        import functools

        @functools.wraps(own)
        def __iter__(loader):
            if self.holds() and os.getpid() != self.process:  # a worker of a loader
                return own(loader)
            return self._the_job().iterate(loader, functools.partial(own, loader))

        return __iter__

    def holds(self):
        """Whether the job iterated a loader that may train."""
        return self.job is not None and self.job.training is not None

    def finish(self):
        """Called when the job has ended by itself: writes pending rows and reports missing results.

        Returns an exit status.
        """
        return missing(unseen([])) if self.job is None else self.job.finish()


def missing(fault, hint=""):
    """Reports once for all ranks why there is no result. Returns the exit status."""
    if rank() == 0:
        complain(fault, hint)
    return FAILED


def untrained(fault, hint):
    """Reports a job, or one program of a hooked job, that trained on nothing. Returns the status.

    Another program of a hooked job may train, so that this is no error yet.
    """
    if not os.environ.get("SEQPOINT_HOOK"):
        return missing(fault, hint)
    if rank() == 0:
        report.tell("untrained", fault=fault, hint=hint)
    return FAILED


def unseen(others):
    """Reports that no loader was observed. `others`: why some loaders were ignored."""
    imported = [
        f"it imports {name}, whose loader is another one"
        for name in OTHER_LOADERS
        if name in sys.modules
    ]
    missing = "no DataLoader was iterated in this process while gradients were on"
    return "; ".join([missing, *others, *imported, BY_HAND])


def change_on_import(changes):
    """{module: function that patches it}, called right after the module was imported."""

    def find_spec(name, path=None, target=None):
        change = changes.pop(name, None)
        spec = spec_of(name) if change else None
        if spec is not None:
            spec.loader.exec_module = then(spec.loader.exec_module, change)
        return spec

    sys.meta_path.insert(0, Finder(find_spec))
    for name in changes.keys() & sys.modules.keys():
        changes.pop(name)(sys.modules[name])


class Finder:
    """For sys.meta_path."""

    def __init__(self, find_spec):
        self.find_spec = find_spec


def spec_of(name):
    import importlib.util

    return importlib.util.find_spec(name)


def then(execute, change):
    def exec_module(module):
        execute(module)
        change(module)

    return exec_module
