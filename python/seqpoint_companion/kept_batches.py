"""The batches of a stream that a plan runs.

They are those at the plan's places. A job without a seed has other batches there at each start:
then a place gets one of its lengths from elsewhere in the stream, or none if none has come.
"""

from .shapes import SIGNATURE


class KeptBatches:
    """`steps`: of a plan; `copy_of`: makes a batch that stays as it is."""

    def __init__(self, steps, copy_of):
        self.copy_of = copy_of
        self.steps = {step["iteration"]: step for step in steps}
        self.names = None  # of the sizes that both the plan and the batches have
        self.sizes = {}  # {place in the plan: its sizes}
        self.elsewhere = {}  # {sizes: a batch that has them}
        self.batches = {}  # {place in the plan: batch}
        self.another_draw = False  # whether a place had other lengths than the plan

    def _sizes_in(self, columns):
        return tuple(columns.get(name) for name in self.names)

    def _compare_by(self, columns):
        """Sizes are compared that both the plan and the batches have."""
        first = next(iter(self.steps.values()))
        self.names = [name for name in SIGNATURE if name in first and name in columns]
        self.sizes = {place: self._sizes_in(step) for place, step in self.steps.items()}

    def last(self):
        return max(self.steps)

    def see(self, place, columns, batch):
        """Keeps the batch at a place of the stream if the plan can use it."""
        if self.names is None:
            self._compare_by(columns)
        sizes = self._sizes_in(columns)
        if self.sizes.get(place) == sizes:
            self.batches[place] = self.copy_of(batch)
            return
        self.another_draw |= place in self.sizes
        if sizes in self.sizes.values() and sizes not in self.elsewhere:
            self.elsewhere[sizes] = self.copy_of(batch)

    def missing(self):
        """Gives each place a batch of its lengths. Returns the places for which none has come."""
        of_sizes = {self.sizes[place]: batch for place, batch in self.batches.items()}
        of_sizes.update(self.elsewhere)
        for place, sizes in self.sizes.items():
            if place not in self.batches and sizes in of_sizes:
                self.batches[place] = of_sizes[sizes]
        return self.steps.keys() - self.batches.keys()
