"""torchdata's StatefulDataLoader: its samplers have a state, and it may be asked for early.

Before the first batch the loader makes an iterator for that, with its own sampler, and hands it out
later. Where the loader is held, the iterator is made anew, with the random numbers and from the
place of the first one: the batches are those of the job.
"""

import torch

from ..asking import attribute


class Before:
    """What the making of an iterator changes, as it was before."""

    def __init__(self, loader):
        self.state = loader.next_iter_state  # of a checkpoint
        self.drawn = torch.default_generator.get_state()
        self.generators = [
            (generator, generator.get_state()) for generator in generators_of(loader)
        ]

    def make_anew(self, loader, make):
        """Has the loader make its iterator once more, and returns it.

        The loader's generators go on from before, as its sampler draws when the first batch is
        asked for. PyTorch's own is left as the job has it by now.
        """
        loader._iterator, loader._initial_iter_for_state_dict = None, False
        loader.next_iter_state = self.state
        for generator, state in self.generators:
            generator.set_state(state)
        now = torch.default_generator.get_state()
        torch.default_generator.set_state(self.drawn)
        try:
            return make()
        finally:
            torch.default_generator.set_state(now)


def delivered_before(loader):
    """The number of batches that came before the place in an epoch that a checkpoint has set."""
    state = attribute(loader, "next_iter_state")
    before = attribute(loader, "_before_iterator")
    if state is None and before is not None and loader._initial_iter_for_state_dict:
        state = before.state
    if not state or state.get("_iterator_finished"):
        return 0
    of_workers = state.get("_snapshot", {}).get("_snapshot_step", 0)
    return state.get("_num_yielded", of_workers) + state.get("_steps_since_snapshot", 0)


def generators_of(loader):
    """The generators of random numbers that its iterators draw from."""
    batches = loader.batch_sampler
    owners = [loader, loader.sampler, batches, attribute(batches, "sampler")]
    found = {
        id(generator): generator
        for generator in (attribute(owner, "generator") for owner in owners)
    }
    own = torch.default_generator
    return [
        generator
        for generator in found.values()
        if isinstance(generator, torch.Generator) and generator is not own
    ]


class Resumable:
    """Indices whose place is that of the sampler's own iterator: a checkpoint sets it."""

    def __init__(self, indices, own):
        self._indices, self._own = indices, own

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._indices)

    def state_dict(self):
        return self._own.state_dict()

    def load_state_dict(self, state):
        self._own.load_state_dict(state)
