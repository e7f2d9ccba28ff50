"""Samplers and streams that do not end, or not within an epoch that anybody trains.

A list of their batches would fill the memory, and a reading of all would take for ever.
"""

import time

from .saying import give_up, say_meanwhile

TIMES = 100  # the rows of a data set: a sampler that delivers more often does not end
FEW_ROWS = 1_000_000  # are listed all the same
MOST_ROWS = 10_000_000  # more than the data set has
MOST_BATCHES = 1_000_000  # of a stream
WORD_S, PATIENCE_S = 60, 600  # until a line says that a stream goes on; until it is refused
NEARLY = 3  # a sampler that is a third of its way after a minute comes to its end
HOW_MANY = "say how many batches you call an epoch, such as --batches 250"
FEW_SAMPLES = 100  # may come again by chance, or be written twice
PASSES = 3  # over its samples: no epoch has as many


def most_rows(of_data):
    """How many rows a sampler may deliver; `of_data`: rows of the data set, or None."""
    if of_data is None:
        return MOST_ROWS
    return min(max(TIMES * of_data, FEW_ROWS), of_data + MOST_ROWS)


class Walk:
    """A sampler's way through an epoch. `stated`: its batches, as its loader states; or None."""

    def __init__(self, name, rows_of_data, stated):
        self.name, self.stated = name, stated
        self.most, self.rows, self.batches = most_rows(rows_of_data), 0, 0
        self.begun_s = time.monotonic()
        if stated is not None and stated > self.most:
            give_up(
                f"{name} states that it has {stated:,} batches, and no epoch has as many", HOW_MANY
            )

    def step(self, rows):
        """Counts one batch. Ends the job if the sampler does not end."""
        self.rows, self.batches = self.rows + rows, self.batches + 1
        if self.rows > self.most or self._takes_long():
            fault = f"the sampler of {self.name} has delivered {self.rows:,} rows, and does not end"
            give_up(fault, HOW_MANY)

    def _takes_long(self):
        nears_end = self.stated is not None and self.batches > self.stated / NEARLY
        return not nears_end and time.monotonic() - self.begun_s > WORD_S


class Samples:
    """Which samples of a stream have come before: in one that does not end, all come again."""

    def __init__(self):
        self.known, self.again = set(), 0  # the samples; how many in a row have come before
        self.batches = self.of_pass = 0  # that have come; until the last with a new sample

    def see(self, samples):
        """Counts a batch, whose samples have an identity each."""
        self.batches += 1
        for sample in samples:
            if sample in self.known:
                self.again += 1
            else:
                self.known.add(sample)
                self.again, self.of_pass = 0, self.batches

    def repeat(self, most):
        """Whether more than that share of all samples has come again, in a row."""
        return self.again > max(most * len(self.known), FEW_SAMPLES)


class Reading:
    """The reading of a stream that states no end. `samples`: those that have come, if known."""

    def __init__(self, name, samples=None):
        self.name, self.samples = name, samples or Samples()
        self.begun_s, self.said = time.monotonic(), False

    def step(self, number):
        """Called with the number of batches so far. Ends the job if they do not end."""
        taken_s = time.monotonic() - self.begun_s
        if self.samples.repeat(PASSES if taken_s < WORD_S else 0.25):
            passed = self.samples.of_pass
            fault = f"the samples of the first {passed:,} batches of {self.name} come again"
            give_up(f"{fault}: it does not end", HOW_MANY.replace("250", str(passed)))
        if number > MOST_BATCHES or taken_s > PATIENCE_S:
            give_up(f"{self.name} has delivered {number:,} batches, and does not end", HOW_MANY)
        if taken_s > WORD_S and not self.said:
            self.said = True
            say_meanwhile(
                f"{self.name} has delivered {number:,} batches within a minute, and goes on; if it "
                f"does not end, {HOW_MANY}"
            )
