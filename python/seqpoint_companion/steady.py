"""Decides when a process is warm: the time of one repeated batch no longer falls."""

import statistics
import time

FEWEST, MOST = 3, 100  # executions
# Seconds. A host that was idle takes some tenths of a second until its clocks, caches and allocator
# are those of a long run. Batches of less than a tenth of a second would be over before.
LEAST_S, MOST_S = 0.5, 10
WIDEST = 10  # executions in a window
SHORTEST = 2  # fewer have no variance
ENOUGH_STEPS = 2  # steps of the optimiser, to find the cost of one


class Steady:
    """Compares the times of one batch in the last window of executions with the window before.

    A process is steady if the mean of the last window is below that of the one before by no more
    than the standard error of their difference. The very first execution (kernels are compiled,
    memory is allocated) is in no window.
    """

    def __init__(self):
        self.clock, self.begun = time.monotonic, None  # seconds
        self.patience = 0  # most executions until the optimiser has stepped twice, if accumulated
        self.most_brief = 0  # most executions until LEAST_S
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
        elapsed_s = self.clock() - self.begun
        if elapsed_s < LEAST_S and executions < self.most_brief:
            return False
        if executions >= MOST or elapsed_s >= MOST_S:
            return True
        if len(self.seconds[True]) < ENOUGH_STEPS and executions < self.patience:
            return False
        alike = max(self.seconds.values(), key=len)
        width = min((len(alike) - 1) // 2, WIDEST)
        return width >= SHORTEST and not falls(alike[-2 * width : -width], alike[-width:])


def falls(before, last):
    """Whether times have fallen by more than the error of two means of as many executions."""
    variance = (statistics.variance(before) + statistics.variance(last)) / len(last)
    return statistics.fmean(before) - statistics.fmean(last) > variance**0.5
