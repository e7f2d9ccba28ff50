"""What an optimiser's step takes where gradients are accumulated over several batches.

Each batch is timed by itself; one in so many has the optimiser's step in it. What the step adds is
found by batches that ran both ways, and every batch gets its share of it: then the sum over a run
has as many steps as the run.
"""

import collections
import statistics


class OptimizerSteps:
    def __init__(self, batches):
        self.batches = batches  # of an optimiser's step
        self.runtime_s = self.cpu_s = None  # of a step, once it is known

    def settle(self, executions):
        """Finds what a step adds.

        `executions`: (key of the batch, whether it ended a step, times).
        """
        by_key = collections.defaultdict(lambda: ([], []))
        for key, stepped, times in executions:
            by_key[key][stepped].append(times)
        pairs = [both for both in by_key.values() if all(both)]
        if pairs:
            self.runtime_s = added(pairs, "runtime_s")
            self.cpu_s = added(pairs, "cpu_s")

    def shared(self, stepped, times):
        """The times of a batch with its share of a step in the place of a whole one or none."""
        if self.runtime_s is None:
            return times
        part = 1 / self.batches - stepped
        return times._replace(
            runtime_s=max(times.runtime_s + part * self.runtime_s, 0),
            cpu_s=max(times.cpu_s + part * self.cpu_s, 0),
        )


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
