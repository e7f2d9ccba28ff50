"""The columns of a batch: rows (of several ranks by `|`), and lengths of the heaviest rank."""

import pkgutil

from .. import ranks, report
from ..asking import answer
from ..saying import say
from ..shapes import padded_tokens, shapes_in
from .axes import PATIENCE, Lengths
from .position import rows_in
from .token_counts import tokens_in


class Columns:
    """A signature for a Recorder, which decides later which axes are lengths.

    `counts_tokens`: tokens without padding are a column if the first batch reveals them.
    `asks_at_end`: rows of other ranks are gathered when the iteration has ended, not when a batch
    arrives, because a single rank may fetch a batch before training.
    `planned`: lengths in place of those that come. `patience`: as of Lengths.
    """

    def __init__(
        self, job, asks_at_end=False, counts_tokens=False, planned=None, patience=PATIENCE
    ):
        self.planned = planned or {}
        self.job, self.asks_at_end, self.counts_tokens = job, asks_at_end, counts_tokens
        self.with_tokens = None if counts_tokens else False  # whether there is a column for them
        self.lengths = Lengths(patience, job.why_no_batches())
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
        found = index, shapes, self._tokens(batch)
        if self.asks_at_end:
            return {"found": [found]}
        return {"found": self.of_ranks(found, f"batch {self.batches}")}

    def _tokens(self, batch):
        """Tokens without padding, if they are requested and can be determined."""
        if not self.counts_tokens or self.signature:
            return None
        ways = self.lengths.ways or self.lengths.found()
        sides = [way[0] for of, way in ways.items() if of != "batch_size"]
        return answer(tokens_in, batch, sides)

    def tell_lengths(self):
        """Tells which axes were counted as lengths, and which were not."""
        if self.signature or not self.batches:
            return
        counted, uncounted = self.lengths.counted(), self.lengths.uncounted()
        report.tell("lengths", counted=counted, uncounted=uncounted)
        say(f"length = {counted}" + (f"; not counted: {uncounted}" if uncounted else ""))

    def of_ranks(self, found, place):
        """[(rows, shapes, tokens)] of each rank."""
        if self.ranks == 1:
            return [found]
        index, *rest = found
        return ranks.of_all_processes((rows_in(index), *rest), place)

    def ended(self, row):
        """The row of an iteration that has ended on all ranks."""
        if self.ranks == 1 or not (self.asks_at_end and self.job.trained):
            return row
        return {**row, "found": self.of_ranks(row["found"][0], f"iteration {row['iteration']}")}

    def settle(self, row):
        """The row with columns in place of `found`. Called when it is written, with many others."""
        if "found" not in row:
            return row
        columns = {}
        for name, value in row.items():
            if name == "found":
                columns.update(self._columns(value))
            else:
                columns[name] = value
        return columns

    def _columns(self, found):
        indices, shapes, tokens = zip(*found)
        columns = {"rows": text_of(map(rows_in, indices))}
        by_rank = list(map(self._lengths, shapes))
        columns.update(max(by_rank, key=padded_tokens) if len(by_rank) > 1 else by_rank[0])
        if self.with_tokens is None:  # columns of the first batch: a table has one header
            self.with_tokens = None not in tokens
        if self.with_tokens:
            columns["tokens"] = "" if None in tokens else sum(tokens)
        return {**columns, **of_all_ranks(by_rank), **self.planned}

    def lengths_of_batch(self, batch):
        """The lengths of a batch that is not of the job's pass."""
        return self._lengths(shapes_in(batch))

    def _lengths(self, shapes):
        return shapes if self.signature else self.lengths.of(shapes)


def of_all_ranks(by_rank):
    """What an iteration has on all ranks, where the columns of one are those of the heaviest."""
    if len(by_rank) == 1 or not all({"src_len", "batch_size"} <= found.keys() for found in by_rank):
        return {}
    return {
        "samples": sum(found["batch_size"] for found in by_rank),
        "ranks": len(by_rank),
        "padded_tokens": sum(map(padded_tokens, by_rank)),
    }


def text_of(by_rank):
    return "|".join(" ".join(map(str, rows)) for rows in by_rank)
