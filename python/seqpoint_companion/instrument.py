"""Instruments a job's loaders from outside, before the job has imported PyTorch.

Every Python process of a hooked job runs this module, so the modules of CHANGES are changed once
the job has imported them. All code that needs torch is in held/.
"""

import os

from .on_import import change_on_import

# {module of another package: (module here, its function that changes that one)}
CHANGES = {
    "torch.utils.data.dataloader": (".held.loaders", "change_torch"),
    "accelerate.data_loader": (".held.loaders", "change_accelerate"),
    "torchdata.stateful_dataloader.stateful_dataloader": (".held.loaders", "change_torchdata"),
    "torch.optim.optimizer": (".made", "watch_optimisers"),
    "torch.nn.modules.module": (".made", "watch_modules"),
}


class Loaders:
    """The loaders of this process, or of one that it forks before it trains.

    The object for the job is made when the first loader is iterated.
    """

    def __init__(self, options):
        self.options, self.process, self.job = options, os.getpid(), None
        change_on_import(dict.fromkeys(CHANGES, self._change))

    def _change(self, module):
        import importlib

        place, function = CHANGES[module.__name__]
        getattr(importlib.import_module(place, __package__), function)(module, self)

    def the_job(self):
        self.process = os.getpid()
        if self.job is None:
            import importlib

            module = importlib.import_module(f"seqpoint_companion.held.{self.options.verb}")
            self.job = getattr(module, self.options.verb.capitalize())(self.options)
        return self.job

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
