"""Writes the batches of one epoch, then ends the job."""

import csv
import itertools
import os

from .. import ranks
from ..saying import give_up, leave, rank, say
from .axes import ENOUGH
from .base import Held
from .columns import Columns, text_of


class Order(Held):
    def hold(self, loader, begin, trainer):
        if not self.options.lengths and self.streams:
            give_up(
                f"{type(self.dataset).__name__} is an IterableDataset, which has no rows: say "
                "--lengths"
            )
        try:
            self.write(self.read(begin) if self.options.lengths else self.rows(begin))
        except ranks.NotTogether as error:
            give_up(error)
        leave(0)

    def rows(self, begin):
        for by_rank in self.walk(begin):
            yield {"rows": text_of(by_rank)}

    def read(self, begin):
        """Columns of every batch, which data set and collator make; nothing is trained."""
        columns = Columns(self)
        found = map(columns, itertools.islice(self.fetch(begin), self.options.batches))
        first = list(
            itertools.islice(found, ENOUGH)
        )  # after them it is settled which axes are lengths
        yield from map(columns.settle, itertools.chain(first, found))
        columns.of_ranks(((), None), "the end of the epoch")

    def write(self, batches):
        target = os.path.realpath(self.options.output) if rank() == 0 else os.devnull
        special = os.path.exists(target) and not os.path.isfile(target)
        path = target if special else f"{target}.part"  # nothing half-written has the name
        written = -1
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            for written, columns in enumerate(batches):
                if written == 0:
                    out.writerow(["epoch", "iteration", *columns])
                out.writerow([0, written, *columns.values()])
        if not special:
            os.replace(path, target) if written >= 0 else os.remove(path)
        if written < 0:
            give_up("the DataLoader has no batches")
        say(f"{self.options.output}: {written + 1} batches")
