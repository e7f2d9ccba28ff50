"""The dates in a log's lines, compared with the times that the same lines state.

A time may be of one step, the mean of several, or that of several together: by its number alone
nobody can see which, by a clock beside it everybody can.
"""

import statistics
from array import array

from ..faults import BadInput
from .printed_numbers import SECOND, duration

LONG = 10 * SECOND  # compared stretches last so long by the clock or by the times: seconds show
NEAR = 1.3  # a reading fits that agrees so well: the next one differs by a factor of 2 or more
FAR = 1.5  # times that add up to so much more than the clock shows contradict it


class LineClock:
    """From line to line: the time by the dates, the stated time, and the number of steps."""

    def __init__(self, lines, attempts):
        self.elapsed, self.stated, self.steps = array("q"), array("q"), array("q")
        self.is_complete = False  # whether every line has a date
        last = None
        for line in lines:
            if line.date < 0:
                return
            place = attempts.take(line)
            if not place:
                continue
            if not place.is_first and line.date >= last.date:
                self.elapsed.append(line.date - last.date)
                self.stated.append(line.ns)
                self.steps.append(place.distance)
            last = line
        self.is_complete = True

    def seconds(self):
        """By the clock, in all. 0 without one; one that stands still is that of the job's start."""
        return sum(self.elapsed) / SECOND if self.is_complete else 0

    def claimed(self, per_line):
        """What the times make, in seconds. `per_line`: (stated ns, steps) -> ns."""
        return sum(map(per_line, self.stated, self.steps)) / SECOND

    def ratio(self, per_line):
        """The clock's time over that of a reading, the median of long stretches; None: too short.

        A median, because validation and checkpoints are in some stretches.
        """
        if not self.seconds():
            return None
        ratios, clock, claimed = [], 0, 0
        for elapsed, stated, steps in zip(self.elapsed, self.stated, self.steps):
            clock, claimed = clock + elapsed, claimed + per_line(stated, steps)
            if max(clock, claimed) >= LONG:
                ratios.append(clock / max(claimed, 1))
                clock = claimed = 0
        return statistics.median(ratios) if ratios else None

    def fits(self, per_line):
        ratio = self.ratio(per_line)
        return ratio is not None and 1 / NEAR < ratio < NEAR

    def require(self, reading, where, per):
        """BadInput if the times, so read, contradict the clock. `per`: steps from line to line."""
        ratio = self.ratio(reading.per_line)
        if ratio is None or not reading.is_far(ratio):
            return
        raise BadInput(
            f"{where}: the times of its lines make {duration(self.claimed(reading.per_line))}"
            f"{reading.said()}, and the clock in the same lines shows {duration(self.seconds())}",
            self._way_out(per),
        )

    def _way_out(self, per):
        if per > 1 and self.fits(Reading(per, True).per_line):
            return f"say --per {per} --sum: a time is of {per} steps together"
        if per > 1 and self.fits(Reading(per, False).per_line):
            return f"say --per {per}: a time is the mean of {per} steps"
        return (
            "check the unit of the group (time, time_ms, time_us), or take the clock: a group "
            "'clock' in place of 'time'"
        )


class Reading:
    """How many steps a time is of: the mean of `per` steps, or their sum."""

    def __init__(self, per, is_sum, of_epochs=False):
        self.per, self.is_sum, self.of_epochs = per, is_sum, of_epochs
        self.is_all = per > 1 or of_epochs  # nothing between two lines is left out

    def per_line(self, stated, steps):
        """Nanoseconds from line to line."""
        if self.is_sum:
            return stated * steps // min(self.per, steps)
        return stated * steps * (self.per if self.of_epochs else 1)

    def is_far(self, ratio):
        """Whether the clock contradicts it. Other work may come between two single steps."""
        return ratio < 1 / FAR or (self.is_all and ratio > FAR)

    def said(self):
        if self.is_sum:
            return f" (--per {self.per} --sum)"
        return f" (--per {self.per})" if self.is_all else ""
