"""Iterations with work in them that is none of theirs are left out, and said with their time."""

import collections

ROUTINE = 3  # so many iterations in a row from the first on: then it is a part of every iteration


class Interruptions:
    """What has come between, by kind: "validation", "checkpoint"."""

    def __init__(self):
        self.kind = ""  # of the iteration that runs
        self.seconds = collections.defaultdict(list)  # {kind: those of each iteration}
        self._alike = collections.Counter()  # {kind: iterations from the first on that all had it}
        self._iterations = 0
        self.routine = set()

    def note(self, kind):
        if kind not in self.routine:
            self.kind = self.kind or kind

    def take(self, seconds):
        """The kind that has come into the iteration that has ended, or ""."""
        kind, self.kind = self.kind, ""
        self._iterations += 1
        if not kind:
            return ""
        self._alike[kind] += 1
        if self._alike[kind] == self._iterations == ROUTINE:
            self.routine.add(kind)
        self.seconds[kind].append(seconds)
        return kind

    def lines(self, outcome):
        """For the user: how often what has come between. `outcome`: what became of such rows."""
        for kind, seconds in self.seconds.items():
            if kind in self.routine:
                yield f"{kind} is in every iteration, and is counted as a part of it"
                continue
            yield (
                f"{outcome}: {len(seconds)} iterations with {kind} in them, {sum(seconds):.3g} s "
                "in all; what a run has of it is --epoch-overhead of `seqpoint project`"
            )
