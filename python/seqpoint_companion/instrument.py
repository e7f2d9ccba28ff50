"""Instruments a job's loaders from outside, before the job has imported PyTorch.

Every Python process of a hooked job runs this module, so the modules of CHANGES are changed once
the job has imported them. All code that needs torch is in loop/.
"""

import os

from . import caller
from .libraries import NAMES
from .on_import import change_on_import

# {module of another package: (module here, its function that changes that one)}
CHANGES = {
    "torch.utils.data.dataloader": (".loop.loaders", "change_torch"),
    "accelerate.data_loader": (".loop.loaders", "change_accelerate"),
    "torchdata.stateful_dataloader.stateful_dataloader": (".loop.loaders", "change_torchdata"),
    "torch.optim.optimizer": (".live_objects", "watch_optimisers"),
    "torch.nn.modules.module": (".live_objects", "watch_modules"),
    **dict.fromkeys(NAMES, (".report", "tell_imported")),
    "jax": (".unknown_loop", "jax_was_imported"),
    "thinc.model": (".unknown_loop", "thinc_was_imported"),
    "torch": (".loop.unfed", "torch_was_imported"),
}
# {verb: (module, its class that observes the job)}
VERBS = {
    "order": (".loop.order_loop", "Order"),
    "record": (".loop.timed_loop", "Record"),
    "measure": (".loop.plan_loop", "Measure"),
}
active = None  # the Loaders of this process, which seqpoint.iterate looks for


def found_at(place, name):
    """What has that name in a module, which is imported only now."""
    import importlib

    return getattr(importlib.import_module(place, __package__), name)


class Loaders:
    """The loaders of this process, or of one that it forks before it trains.

    The object for the job is made when the first loader is iterated.
    """

    def __init__(self, options):
        global active
        active = self
        self.options, self.process, self.job = options, os.getpid(), None
        change_on_import(dict.fromkeys(CHANGES, self._change))

    def _change(self, module):
        found_at(*CHANGES[module.__name__])(module, self)

    def the_job(self):
        self.process = os.getpid()
        if self.job is None:
            self.job = found_at(*VERBS[self.options.verb])(self.options)
            self.job.loaders = self  # another job may take its place
        return self.job

    def iterate(self, batches, lengths, pad, sync):
        """What `seqpoint.iterate` returns while the job is observed."""
        if caller.is_gone() or getattr(self.job, "elected", None) is not None:
            return batches
        from .iterated import jobs

        if not isinstance(self.job, jobs.Iterated):
            self.process, self.job = os.getpid(), jobs.VERBS[self.options.verb](self.options)
            self.job.loaders = self
        return self.job.around(batches, lengths, pad, sync)

    def are_held(self):
        """Whether the job iterated a loader that may train."""
        return self.job is not None and self.job.training is not None

    def finish(self):
        """Called when the job has ended by itself: writes pending rows and reports missing results.

        Returns an exit status.
        """
        if self.job is not None:
            return self.job.finish()
        from . import untrained

        return untrained.missing(untrained.unseen([]), untrained.BY_HAND)
