"""What an optimiser's step takes where gradients are accumulated over several batches.

Each batch is timed by itself; one in so many has the optimiser's step in it. What the step adds is
found by batches that ran both ways, and every batch gets its share of it: then the sum over a run
has as many steps as the run.
"""

import collections
import functools
import gc
import statistics

import torch


class OptimizerSteps:
    def __init__(self, batches=None):
        self.batches = batches  # of a step, as a framework says it; None: as they are seen
        self.optimisers = []  # those of the job whose steps are seen
        self.steps = []  # the numbers of the batches that ended a step
        self.ended = 0  # batches
        self.runtime_s = self.cpu_s = None  # of a step, once it is known

    def watch(self):
        """Has the steps of all optimisers noted that the job has by now."""
        for optimiser in optimisers():
            if not any(known is optimiser for known in self.optimisers):
                self.optimisers.append(optimiser)
                optimiser.step = noting(optimiser.step, self.note)

    def note(self):
        """An optimiser steps, in the batch that runs."""
        if self.steps[-1:] != [self.ended]:
            self.steps.append(self.ended)

    def take(self):
        """A batch has ended. Returns whether a step was in it."""
        self.ended += 1
        return self.steps[-1:] == [self.ended - 1]

    def left(self):
        """What has stepped since the last batch ended is in no batch's time."""
        if self.steps[-1:] == [self.ended]:
            self.steps.pop()

    def accumulate(self):
        """Whether some batches have no step in them."""
        several = self.batches is not None and self.batches > 1
        return several or bool(self.optimisers) and len(self.steps) < self.ended

    def per_step(self):
        """Batches of an optimiser's step: as the framework says, else as they came in the mean.

        A single step has all batches before it: a loop begins with no gradients.
        """
        if self.batches is not None:
            return self.batches
        if len(self.steps) == 1:
            return self.steps[0] + 1
        return (self.steps[-1] - self.steps[0]) / (len(self.steps) - 1)

    def settle(self, executions):
        """Finds what a step adds. Returns a line for the user, or "".

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
                "warning: what an optimiser's step takes is not known, as no batch ran both with "
                "one and without: it is in the times of the batches that had one"
            )
        self.runtime_s, self.cpu_s = added(pairs, "runtime_s"), added(pairs, "cpu_s")
        return (
            f"an optimiser's step, after {self.per_step():.3g} batches, takes {self.runtime_s:.3g} "
            "s: each row has its share"
        )

    def shared(self, stepped, times):
        """The times of a batch with its share of a step in the place of a whole one or none."""
        if self.runtime_s is None:
            return times
        part = 1 / self.per_step() - stepped
        return times._replace(
            runtime_s=max(times.runtime_s + part * self.runtime_s, 0),
            cpu_s=max(times.cpu_s + part * self.cpu_s, 0),
        )


def pairs_of(executions):
    """[(times without a step, times with one)] of the batches that ran both ways."""
    by_key = collections.defaultdict(lambda: ([], []))
    for key, stepped, times in executions:
        by_key[key][stepped].append(times)
    return [both for both in by_key.values() if all(both)]


def added(pairs, field):
    """What a step adds: the mean of the pairs' differences, by how many executions they have.

    A difference is of medians, as a machine that stalls once makes one of few as long as many.
    """
    total = weights = 0
    for without, with_step in pairs:
        weight = len(without) * len(with_step) / (len(without) + len(with_step))
        difference = median(with_step, field) - median(without, field)
        total, weights = total + weight * difference, weights + weight
    return max(total / weights, 0)


def median(times, field):
    return statistics.median(getattr(of, field) for of in times)


def optimisers():
    """Those of the job, without what frameworks wrap around them."""
    kind = torch.optim.Optimizer
    found = [of for of in gc.get_objects() if issubclass(type(of), kind)]
    return [of for of in found if not hasattr(of, "optimizer")]


def noting(step, note):
    @functools.wraps(step)
    def noted(*arguments, **named):
        note()
        return step(*arguments, **named)

    return noted
