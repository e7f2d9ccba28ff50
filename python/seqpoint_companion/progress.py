"""Progress of a verb: on a terminal with the time left, and for `seqpoint run`; not in logs."""

import sys
import time

from . import ranks, report

EVERY_S = 1
CLEAR = "\r\033[K"  # to the beginning of the line, and erase it


class Progress:
    """Counts batches. `of`: the expected total, or None. `before`: batches that came before."""

    def __init__(self, verb, of=None, before=0):
        self.verb, self.of, self.before, self.done = verb, of, before, before
        self.begun = self.shown = time.monotonic()
        self.leads = ranks.process()[0] == 0
        self.terminal = self.leads and sys.stderr.isatty()

    def step(self):
        """Counts one more batch. Called outside the timed sections."""
        self.done += 1
        now = time.monotonic()
        if self.leads and now - self.shown >= EVERY_S:
            self.shown = now
            self._show(now)

    def _show(self, now):
        report.tell("progress", verb=self.verb, done=self.done, of=self.of)
        if self.terminal:
            text = f"seqpoint: {self.verb}: {self.done} {self._rest(now - self.begun)}"
            print(f"{CLEAR}{text}", end="", file=sys.stderr, flush=True)

    def _rest(self, seconds):
        if not self.of:
            return "batches"
        left = seconds / (self.done - self.before) * max(self.of - self.done, 0)
        return f"of {self.of} batches, {duration(left)} left"

    def close(self):
        if self.terminal and self.shown != self.begun:
            print(CLEAR, end="", file=sys.stderr, flush=True)


def duration(seconds):
    """'12 s', '3 min 20 s' or '2 h 5 min'."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
