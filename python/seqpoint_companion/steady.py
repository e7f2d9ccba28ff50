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
        self.seconds = []  # of each execution
        self.done = False  # as all ranks have agreed

    def add(self, seconds):
        if self.begun is None:
            self.begun = self.clock() - seconds
        self.seconds.append(seconds)

    def is_steady(self):
        """Whether this process need not repeat the batch again."""
        number = len(self.seconds)
        if number < FEWEST:
            return False
        if number >= MOST or self.clock() - self.begun >= MOST_S:
            return True
        width = min((number - 1) // 2, WIDEST)
        return width >= SHORTEST and not falls(
            self.seconds[-2 * width : -width], self.seconds[-width:]
        )


def falls(before, last):
    """Whether times have fallen by more than two means of as many are unsure."""
    variance = (statistics.variance(before) + statistics.variance(last)) / len(last)
    return statistics.fmean(before) - statistics.fmean(last) > variance**0.5
