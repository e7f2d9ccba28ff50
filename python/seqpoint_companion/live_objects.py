"""The job's optimisers and modules, noted as they are made.

Searching the heap for them takes longer the more objects a job has, inside the time of its batches.
"""

import functools
import sys
import weakref

from .asking import answer, attribute, has


class Made:
    """Objects of a class that live: those that were made, copied or loaded since watch()."""

    def __init__(self):
        self.watches = False
        self._known = {}  # {id: weak reference}, in the order in which they were made

    def watch(self, kind):
        self.watches = True
        for name in ("__init__", "__setstate__"):  # copies and loaded ones have the latter only
            if hasattr(kind, name):
                setattr(kind, name, self._noting(getattr(kind, name)))

    def _noting(self, own):
        @functools.wraps(own)
        def method(instance, *arguments, **named):
            self.note(instance)
            return own(instance, *arguments, **named)

        return method

    def note(self, instance):
        key = id(instance)
        if key not in self._known:
            self._known[key] = weakref.ref(instance, lambda _: self._known.pop(key, None))

    def living(self):
        found = (reference() for reference in list(self._known.values()))
        return [item for item in found if item is not None]


OPTIMISERS, MODULES = Made(), Made()


def watch_optimisers(module, _):
    OPTIMISERS.watch(module.Optimizer)


def watch_modules(module, _):
    MODULES.watch(module.Module)


def optimisers():
    """The job's optimisers, without the wrappers of frameworks."""
    return [item for item in all_optimisers() if not has(item, "optimizer")]


def all_optimisers():
    """In a script that uses Recorder, optimisers may be older than this module."""
    if OPTIMISERS.watches:
        return OPTIMISERS.living()
    if "torch" not in sys.modules:
        return []
    import gc

    from torch.optim import Optimizer

    return [item for item in gc.get_objects() if issubclass(type(item), Optimizer)]


def has_loader():
    """Whether the job has made a loader of PyTorch, which it may come to."""
    kind = attribute(sys.modules.get("torch.utils.data"), "DataLoader")
    if kind is None:
        return False
    import gc

    return any(issubclass(type(item), kind) for item in gc.get_objects())


def parameters_trained():
    """The number of parameters that the job's optimisers change; each counts once.

    None if its modules have others: frozen ones, or a discriminator's; what a token costs is not
    known then.
    """
    return answer(_parameters_trained)


def _parameters_trained():
    groups = [group["params"] for optimiser in optimisers() for group in optimiser.param_groups]
    trained = {id(item): item.numel() for params in groups for item in params}
    tables = (attribute(module, "_parameters", {}) for module in MODULES.living())
    there = (item for table in tables for item in table.values() if item is not None)
    return None if any(id(item) not in trained for item in there) else sum(trained.values())
