"""Decides when a process is warm: the time of one repeated batch no longer falls."""

import statistics
import time

FEWEST, MOST = 3, 100  # executions
MOST_S = 10  # seconds, after the minimum number of executions
WIDEST = 10  # executions in a window
SHORTEST = 2  # fewer have no variance
ENOUGH_STEPS = 2  # steps of the optimiser, to find the cost of one


class Steady:
    """Compares the times of one batch in the last window of executions with the window before.

    A process is steady if the mean of the last window is below that of the one before by no more
    than the standard error of their difference. The very first execution (kernels are compiled,
    memory is allocated) is in no window. `patience`: the maximum number of executions until the
    optimiser has stepped twice, if gradients are accumulated.
    """

    def __init__(self, patience=0, clock=time.monotonic):
        self.patience, self.clock, self.begun = patience, clock, None
        self.seconds = {False: [], True: []}  # times of the executions without and with a step
        self.done = False  # as all ranks have agreed

    def add(self, seconds, stepped=False):
        if self.begun is None:
            self.begun = self.clock() - seconds
        self.seconds[stepped].append(seconds)

    def is_steady(self):
        """Whether this process can stop repeating the batch."""
        executions = sum(map(len, self.seconds.values()))
        if executions < FEWEST:
            return False
        if executions >= MOST or self.clock() - self.begun >= MOST_S:
            return True
        if self.lacks_steps() and executions < self.patience:
            return False
        alike = max(self.seconds.values(), key=len)
        width = min((len(alike) - 1) // 2, WIDEST)
        return width >= SHORTEST and not falls(alike[-2 * width : -width], alike[-width:])

    def lacks_steps(self):
        return len(self.seconds[True]) < ENOUGH_STEPS


def falls(before, last):
    """Whether times have fallen by more than the error of two means of as many executions."""
    variance = (statistics.variance(before) + statistics.variance(last)) / len(last)
    return statistics.fmean(before) - statistics.fmean(last) > variance**0.5
