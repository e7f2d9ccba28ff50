"""Writes the batches of one epoch, then ends the job."""

import itertools
import os

from .. import ranks
from ..outputs import NotWritten, whole_csv
from ..saying import NOT_WRITTEN, give_up, leave, say
from ..shapes import padded_tokens
from . import frameworks, worth
from .axes import ENOUGH
from .base import Held
from .columns import Columns, text_of


class Order(Held):
    def __init__(self, options):
        super().__init__(options)
        self.accumulate = 1  # batches per optimiser step, if a framework reports it
        self.tokens = []  # tokens of each batch, with padding

    def hold(self, loader, begin, trainer):
        if not self.options.lengths and self.streams:
            give_up(
                f"{type(self.dataset).__name__} is an IterableDataset, which has no rows: say "
                "--lengths"
            )
        self.accumulate = frameworks.accumulation_of(trainer)
        try:
            written = self.write(
                self.read(loader, begin) if self.options.lengths else self.rows(begin)
            )
        except ranks.NotTogether as error:
            give_up(error)
        except NotWritten as error:
            fault = f"{self.options.output}: cannot be written: {error.strerror}"
            give_up(fault, "make room there, or give -o another place", NOT_WRITTEN)
        say(f"{self.options.output}: {written} batches")
        self.advise(written)
        self.tell_done(self.options.output, written)
        leave(0, together=True)

    def advise(self, written):
        line = worth.advice(written, self.tokens) if written != self.options.batches else ""
        if line:
            say(line)

    def rows(self, begin):
        for by_rank in self.walk(begin):
            yield {"rows": text_of(by_rank)}

    def read(self, loader, begin):
        """Columns of every batch, which the data set and the collator make; nothing is trained."""
        columns = Columns(self, counts_tokens=True)
        found = map(columns, itertools.islice(self.watched(loader, begin), self.options.batches))
        # The first batch decides which axes are lengths.
        first = list(itertools.islice(found, ENOUGH))
        for row in map(columns.settle, itertools.chain(first, found)):
            self.tokens.append(padded_tokens(row))
            yield row
        columns.of_ranks(((), None, None), "the end of the epoch")

    def place_of(self, iteration):
        """The columns that identify an iteration; with accumulated gradients also its step."""
        place = {"epoch": 0, "iteration": iteration}
        return {**place, "step": iteration // self.accumulate} if self.accumulate > 1 else place

    def write(self, batches):
        """Writes the file of rank 0. Returns the number of batches."""
        number = 0
        with whole_csv(self.options.output if ranks.process()[0] == 0 else os.devnull) as file:
            for number, columns in enumerate(batches, 1):
                columns = {**self.place_of(number - 1), **columns}
                if number == 1:
                    file.write(columns)
                file.write(columns.values())
            if number == 0:
                give_up("the DataLoader has no batches")
        return number
