"""The cost of an optimiser's step if gradients are accumulated over several batches.

Each batch is timed by itself, and only some batches include the optimiser's step. The step's cost
is found from batches that ran with and without it. Every batch is assigned its share, so that the
sum over a run includes as many steps as the run.
"""

import collections
import functools
import statistics

from .asking import answer, has
from .live_objects import optimisers
from .phases import OPTIMIZER, OTHER, Phases, with_share_of_step


class OptimizerSteps:
    def __init__(self, batches=None, phases=None):
        self.batches = batches  # per step, as a framework reports it; None: as observed
        self.phases = phases or Phases(on=False)  # of the running batch
        self.optimisers = []  # the job's optimisers whose steps are observed
        self.steps = []  # the numbers of the batches that ended a step
        self.ended = 0  # batches
        self.runtime_s = self.cpu_s = None  # cost of a step, once it is known

    def watch(self):
        """Wraps the step of every optimiser that the job has so far."""
        for optimiser in optimisers():
            if not any(known is optimiser for known in self.optimisers):
                answer(self._watch, optimiser)

    def _watch(self, optimiser):
        optimiser.step = noting(optimiser.step, self.note, self.ends)
        self.optimisers.append(optimiser)

    def note(self):
        """Called when an optimiser begins a step during the current batch."""
        self.phases.mark(OTHER)
        if self.steps[-1:] != [self.ended]:
            self.steps.append(self.ended)

    def ends(self):
        self.phases.mark(OPTIMIZER)

    def take(self):
        """Called when a batch has ended. Returns whether it included a step."""
        self.ended += 1
        return self.steps[-1:] == [self.ended - 1]

    def left(self):
        """Forgets steps since the last batch ended, because no batch's time includes them."""
        if self.steps[-1:] == [self.ended]:
            self.steps.pop()

    def accumulate(self):
        """Whether some batches include no step."""
        several = self.batches is not None and self.batches > 1
        return several or bool(self.optimisers) and len(self.steps) < self.ended

    def per_step(self):
        """Batches per optimiser step: the framework's number, else the mean so far.

        A single step covers all batches before it, because a loop begins without gradients.
        """
        if self.batches is not None:
            return self.batches
        if len(self.steps) == 1:
            return self.steps[0] + 1
        return (self.steps[-1] - self.steps[0]) / (len(self.steps) - 1)

    def settled_per_step(self):
        """Batches per optimiser step as a whole number; 1 if it is not known."""
        known = self.accumulate() and (self.batches is not None or self.steps)
        return round(self.per_step()) if known else 1

    def settle(self, executions):
        """Finds the cost of a step. Returns a line for the user, or "".

        It is at most the shortest time of a batch that included one, so that no time becomes 0.

        `executions`: (key of the batch, whether it ended a step, times).
        """
        if not self.accumulate():
            return ""
        if not self.steps:
            return (
                f"warning: no optimiser of torch.optim has stepped in {self.ended} batches: if the "
                "job's optimiser is another one, its steps are in the times of single batches"
            )
        if self.per_step() == 1:
            return ""
        pairs = pairs_of(executions)
        if not pairs:
            return (
                "warning: the cost of an optimiser's step is not known, because no batch ran both "
                "with one and without: it stays in the times of the batches that had one"
            )
        stepped = [times for _, stepped, times in executions if stepped]
        self.runtime_s, self.cpu_s = (
            min(added(pairs, field), *(getattr(times, field) for times in stepped))
            for field in ("runtime_s", "cpu_s")
        )
        return (
            f"an optimiser's step, after {self.per_step():.3g} batches, takes {self.runtime_s:.3g} "
            "s: each row has its share"
        )

    def shared(self, stepped, times):
        """The times of a batch with its share of a step, in place of a whole step or none."""
        if self.runtime_s is None:
            return times
        part = 1 / self.per_step() - stepped
        phases = times.phases and with_share_of_step(times.phases, part * self.runtime_s)
        return times._replace(
            runtime_s=times.runtime_s + part * self.runtime_s,
            cpu_s=times.cpu_s + part * self.cpu_s,
            phases=phases,
        )


def pairs_of(executions):
    """[(times without a step, times with one)] of the batches that ran both ways."""
    by_key = collections.defaultdict(lambda: ([], []))
    for key, stepped, times in executions:
        by_key[key][stepped].append(times)
    return [both for both in by_key.values() if all(both)]


def added(pairs, field):
    """The cost of a step: the pairs' mean difference, weighted by their numbers of executions.

    The differences are of medians, because a single stall of the machine changes a mean of few
    executions a lot.
    """
    total = weights = 0
    for without, with_step in pairs:
        weight = len(without) * len(with_step) / (len(without) + len(with_step))
        difference = median(with_step, field) - median(without, field)
        total, weights = total + weight * difference, weights + weight
    return max(total / weights, 0)


def median(times, field):
    return statistics.median(getattr(step, field) for step in times)


def noting(step, begins, ends):
    @functools.wraps(step)
    def noted(*arguments, **named):
        begins()
        try:
            return step(*arguments, **named)
        finally:
            ends()

    for name in ("__func__", "__self__"):  # which schedulers of PyTorch look at
        if has(step, name):
            setattr(noted, name, getattr(step, name))
    return noted
