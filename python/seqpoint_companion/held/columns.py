"""The columns of a batch: its rows, of several ranks by `|`.

And the lengths of the heaviest rank.
"""

import pkgutil

from .. import ranks
from ..shapes import padded_tokens, shapes_in
from .axes import Lengths
from .base import rows_in


class Columns:
    """A signature for a Recorder: says at once what a batch is, and settles later which axes are
    lengths.

    `asks_at_end`: other ranks are asked for their rows when the iteration has ended, not when a
    batch arrives, as one rank alone may look at a batch before it trains.
    """

    def __init__(self, job, asks_at_end=False):
        self.job, self.asks_at_end = job, asks_at_end
        self.lengths = Lengths()
        self.batches = 0
        self.ranks = ranks.process()[1]
        name = job.options.signature
        self.signature = pkgutil.resolve_name(name) if name else None

    @property
    def settled(self):
        return self.job.trained and bool(self.signature or self.lengths.ways)

    def __call__(self, batch):
        index = self.job.noted.pop(0) if self.job.noted else ()
        self.batches += 1
        shapes = self.signature(batch) if self.signature else shapes_in(batch)
        if not self.signature and not self.lengths.ways:
            self.lengths.see(shapes, len(rows_in(index)) or None)
        found = index, shapes
        if self.asks_at_end:
            return {"found": [found]}
        return {"found": self.of_ranks(found, f"batch {self.batches}")}

    def of_ranks(self, found, place):
        """[(rows, shapes)] of each rank."""
        if self.ranks == 1:
            return [found]
        index, shapes = found
        return ranks.of_all_processes((rows_in(index), shapes), place)

    def ended(self, row):
        """The row of an iteration that has ended on all ranks."""
        if not (self.asks_at_end and self.job.trained):
            return row
        return {**row, "found": self.of_ranks(row["found"][0], f"iteration {row['iteration']}")}

    def settle(self, row):
        """The row with columns in the place of `found`; not before it is written.

        And many at once.
        """
        if "found" not in row:
            return row
        columns = {}
        for name, value in row.items():
            columns.update(self._columns(value) if name == "found" else {name: value})
        return columns

    def _columns(self, found):
        lengths = [self._lengths(shapes) for _, shapes in found]
        rows = [rows_in(index) for index, _ in found]
        return {"rows": text_of(rows), **max(lengths, key=padded_tokens)}

    def _lengths(self, shapes):
        return shapes if self.signature else self.lengths.of(shapes)


def text_of(by_rank):
    return "|".join(" ".join(map(str, rows)) for rows in by_rank)
