"""A stretch of consecutive batches of the epoch, timed after a plan as an epoch runs them.

It is a test of the plan: what its points predict for these batches is compared with their times.
"""

import math
import statistics

from ..recorder import Recorder

FEWEST = 20  # batches
SHARE = 0.05  # of the plan's time, if that is more batches
MOST_BEFORE = 10  # batches that run before it, until the loader delivers as in an epoch
GOLDEN = (math.sqrt(5) - 1) / 2


def number_of(plan_s, batches_s, per_step):
    """The number of batches: 20, or those that take 5 % of the plan's time; whole optimiser steps.

    `plan_s`: seconds of the plan; `batches_s`: of each batch that it measured.
    """
    number = FEWEST
    if batches_s:
        number = max(number, math.ceil(SHARE * plan_s / statistics.fmean(batches_s)))
    return math.ceil(number / per_step) * per_step


def place_of(process, number, before, epoch):
    """(batches before, iteration of the first, number of batches) in an epoch of `epoch` batches.

    The first batch depends on the number of the process only: the places of processes 0, 1, 2, ...
    are spread over the epoch by the golden ratio, so that any first few of them are.
    """
    before = min(before, epoch // 2)
    number = min(number, epoch - before)
    share = (0.5 + process * GOLDEN) % 1
    return before, before + int(share * (epoch - before - number + 1)), number


class StretchRecorder(Recorder):
    """Records the iterations from `first` on, `number` of them; then calls at_end."""

    def begin_at(self, first, number, before):
        self.iterations, self.first, self.last = first - before, first, first + number - 1
        # Rows are written together: all or none.
        self.rows.every_s = self.rows.most_waiting = math.inf

    def is_complete(self):
        return len(self.rows.waiting) == self.last - self.first + 1

    def _record(self, number, row, times, peak):
        if number >= self.first:
            super()._record(number, row, times, peak)
        if number == self.last:
            self.at_end()
