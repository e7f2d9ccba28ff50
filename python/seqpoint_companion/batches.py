"""Loaders whose batches are observed on their way into the loop."""


class Batches:
    """A loader whose batches go through `run`, a function from a loader to an iterator."""

    def __init__(self, loader, run):
        self._loader, self._run = loader, run

    def __iter__(self):
        return self._run(self._loader)

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._loader, name)


class Pass:
    """The batches of one pass over a loader.

    If the loop continues with an iterator that another loop left, the batch at which that loop left
    did not end.
    """

    def __init__(self, recorder, batches, loader):
        self._recorder, self._batches, self._loader = recorder, batches, loader

    def __len__(self):
        return len(self._loader)

    def __iter__(self):
        self._recorder.leave()
        return self

    def __next__(self):
        return next(self._batches)
