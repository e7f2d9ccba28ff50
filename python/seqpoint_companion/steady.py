"""When a process is warm: its time for one batch, run again and again, no longer falls."""

import statistics
import time

FEWEST, MOST = 3, 100  # executions
MOST_S = 10  # of wall-clock time, once there are the fewest
WIDEST = 10  # executions in a window
SHORTEST = 2  # fewer have no scatter


class Steady:
    """Takes the times of one batch and compares the last window of executions with the one before.

    Steady is a process when the mean of the last is below that of the one before by no more than
    the standard error of their difference. The very first execution (kernels are compiled, memory
    is allocated) is in no window.
    """

    def __init__(self, clock=time.monotonic):
        self.clock, self.begun = clock, None
        self.accumulate = 1  # batches of an optimiser's step
        self.executions = 0
        self.seconds = (
            []
        )  # of each execution that has no optimiser's step where that is in some only
        self.done = False  # as all ranks have agreed

    def add(self, seconds, stepped=False):
        if self.begun is None:
            self.begun = self.clock() - seconds
        self.executions += 1
        if self.accumulate == 1 or not stepped:
            self.seconds.append(seconds)

    def is_steady(self):
        """Whether this process need not repeat the batch again."""
        if self.executions < FEWEST:
            return False
        if self.executions >= MOST or self.clock() - self.begun >= MOST_S:
            return True
        if self.accumulate > 1 and self.executions <= 2 * self.accumulate:
            return False  # too few with an optimiser's step to tell what it takes
        width = min((len(self.seconds) - 1) // 2, WIDEST)
        return width >= SHORTEST and not falls(
            self.seconds[-2 * width : -width], self.seconds[-width:]
        )


def falls(before, last):
    """Whether times have fallen by more than two means of as many are unsure."""
    variance = (statistics.variance(before) + statistics.variance(last)) / len(last)
    return statistics.fmean(before) - statistics.fmean(last) > variance**0.5
