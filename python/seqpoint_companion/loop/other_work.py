"""Work inside an iteration that does not belong to it: validation, checkpoints.

Iterations that include it are left out, and reported with their time.
"""

import collections
import functools
import sys

import torch

SAVING = "checkpoint"
VALIDATION = "validation"
ROUTINE = 3  # first iterations in a row: then it is part of every iteration


class Interruptions:
    """Counts the interruptions of iterations by kind: "validation", "checkpoint"."""

    def __init__(self):
        self.kind = ""  # kind of work in the running iteration
        self.seconds = collections.defaultdict(list)  # {kind: times of the interrupted iterations}
        self._alike = collections.Counter()  # {kind: number of first iterations that all had it}
        self._iterations = 0
        self.routine = set()

    def note(self, kind):
        if kind not in self.routine:
            self.kind = self.kind or kind

    def take(self, seconds):
        """The kind of interruption in the iteration that has ended, or ""."""
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
        """A line for the user: the number of interruptions of each kind.

        `outcome` describes the handling of such rows.
        """
        for kind, seconds in self.seconds.items():
            if kind in self.routine:
                yield f"{kind} is in every iteration, and is counted as a part of it"
                continue
            yield (
                f"{outcome}: {len(seconds)} iterations with {kind} in them, {sum(seconds):.3g} s "
                "in all; add a run's share with --epoch-overhead of `seqpoint project`"
            )


def watch(note):
    """Makes the job call `note(kind)` when it saves something. base observes other loaders."""
    torch.save = noting(torch.save, note)
    safetensors = sys.modules.get("safetensors.torch")
    if safetensors is not None:
        safetensors.save_file = noting(safetensors.save_file, note)


def noting(save, note):
    @functools.wraps(save)
    def noted(*arguments, **named):
        note(SAVING)
        return save(*arguments, **named)

    return noted
