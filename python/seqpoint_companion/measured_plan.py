"""A plan while a Recorder measures it: whether batches are the planned ones, what runs again, and
what the conditions were."""

import atexit
import functools
import os
import platform

from . import ranks, report
from .asking import attribute
from .check import CAUSES, BatchCheck, WrongBatch
from .outputs import SharedFile
from .plan import INTERRUPTED, PROFILED, WARM_UP
from .saying import say
from .shapes import SIGNATURE, sizes_in

PRECISION = 0.02  # share: what `seqpoint run` aims at; smaller disturbances are not reported


class MeasuredPlan:
    """`path`: the file that is recorded, to detect that two processes write the same one."""

    def __init__(self, plan, path, by_signature):
        self.plan, self.path = plan, path
        self.check = BatchCheck(plan, by_signature)
        self.spare = 0  # executions that may be added to find a step's cost
        self.measured_s = {}  # {(point, iteration): seconds of its last execution}
        self.gpu_clocks = []  # MHz, of the measured rows

    # --- batches arrive ---------------------------------------------------------------------------

    def begin_loop(self, loader, optimizer, at_exit):
        """To find the cost of an optimiser's step, a plan may run a quarter more batches.

        `seqpoint select` includes these executions in its price.
        """
        atexit.register(at_exit)
        if optimizer.optimisers:
            self.spare = len(self.plan.steps) // 4
        if self.plan.steady is not None:
            self.plan.steady.patience = self.spare
        self.plan.require_rows_in(attribute(loader, "dataset"))
        if attribute(loader, "in_order", True) is False:
            raise WrongBatch(
                "the loader delivers batches in any order, the plan has one: leave out "
                "in_order=False"
            )

    def end_loop(self):
        if self.plan.delivered < self.plan.handed_out:
            raise WrongBatch(
                f"the loader took {self.plan.handed_out} batches from the plan and delivered "
                f"{self.plan.delivered}: does it deal them to processes? The plan has done that"
            )

    def arrive(self, batch, columns):
        """Raises WrongBatch if the batch differs from the plan's."""
        plan, number = self.plan, self.plan.delivered
        looked = sizes_in(batch) if columns is None else only_signature(columns)
        of_rank = plan.rank, looked
        taken = number < plan.handed_out
        own = taken, self.place, of_rank, plan.is_steady(), plan.wanted
        of_ranks = zip(*ranks.of_all_processes(own, f"batch {number}"))
        taken, files, batches, steady, wanted = of_ranks
        plan.receive_steady(steady)
        plan.receive_wanted(wanted)
        if not all(taken):
            raise WrongBatch(
                f"batch {number} is not from the plan: give the loader batch_sampler=plan, and "
                "neither batch_size nor shuffle nor sampler"
            )
        if len(set(files)) < len(files):
            raise SharedFile(
                f"several processes record into {self.path}: give each a file of its own"
            )
        plan.delivered, step = number + 1, plan.steps[number]
        fault = self.check.fault(step, batches)
        if fault:
            raise WrongBatch(self._wrong_batch_text(step, number, fault, looked or type(batch)))
        return number, self._row_of_step(step, columns or {})

    @functools.cached_property
    def place(self):
        """Identifies the output file."""
        if self.path == os.devnull:
            return ranks.process()
        return platform.node(), os.path.realpath(self.path)

    def _wrong_batch_text(self, step, number, fault, looked):
        planned = only_signature(step)
        samples = self.check.samples(step, self.plan.rank)
        return (
            f"batch {number} is not the plan's, {step['id']} of {planned}: {fault}. "
            f"Rank {self.plan.rank} should have {samples} samples. Found: {looked}.\n{CAUSES}"
        )

    def _row_of_step(self, step, found):
        """The key columns of a row, then the columns of the signature."""
        row = {
            "point": step["id"],
            "repeat": step["repeat"],
            "iteration": step["iteration"],
            "warmup": int(step["warmup"]),
            "execution": step["execution"],
        }
        if self.plan.selection:
            row["selection"] = self.plan.selection
        # Only the lengths identify a warm-up batch; copying a point's lengths would confirm
        # nothing.
        is_warmup = step["id"] == WARM_UP
        row.update({c: step[c] if is_warmup else "" for c in SIGNATURE if c in step})
        if self.plan.world_size > 1:
            others = {c: value for c, value in found.items() if c not in SIGNATURE}
            return {**row, "rank": self.plan.rank, **others}
        return {**row, **found}

    # --- batches run ------------------------------------------------------------------------------

    def end(self, number):
        self.plan.ran = number + 1

    def is_over(self):
        return self.plan.ran == len(self.plan.steps)

    def is_after_measuring(self, number):
        return number >= self.plan.last_measured()

    def add(self, number, row, times, stepped, optimizer):
        """Registers a batch that ran; one that other work has interrupted shows nothing."""
        if row.get("interrupted"):
            return
        if self.plan.warms_up(number):
            self.plan.steady.add(times.runtime_s, stepped)
            self.spare -= 1
        lacks_other = stepped and optimizer.accumulate() and self.plan.is_only_one(number)
        if lacks_other and self.spare > 0:
            self.spare -= 1
            self.plan.want_again(number)

    def busy_share(self, row, runtime_s, busy_s):
        """The device's busy share of the time that the batch took without the profiler.

        The profiler slows the host, so the profiled time would make the share too small.
        """
        key = row["point"], row["iteration"]
        if row["execution"] != PROFILED:
            self.measured_s[key] = runtime_s
            return ""
        return f"{min(busy_s / self.measured_s.get(key, runtime_s), 1):.6f}"

    def note_conditions(self, row, runtime_s, clocks):
        if row["execution"] == "measured" and clocks.get("gpu_clock_mhz"):
            self.gpu_clocks.append(clocks["gpu_clock_mhz"])

    def settled(self, number, row, optimizer):
        """Rows wait until every point has run once, and until the plan's end while the cost of an
        optimiser's step is unknown."""
        if optimizer.accumulate():
            return False
        if row["execution"] == PROFILED:
            return True
        return not row["warmup"] and number >= self.plan.all_seen

    # --- the end ----------------------------------------------------------------------------------

    def is_complete(self):
        """Whether every point has run once."""
        return self.plan.ran > self.plan.all_seen

    def report(self):
        if self.gpu_clocks:
            self._report_clocks()

    def _report_clocks(self):
        """Says if the device's clock changed while points were measured.

        A short measurement begins with a cool device. Training for longer may run at the lower
        clock throughout.
        """
        low, high = min(self.gpu_clocks), max(self.gpu_clocks)
        self.gpu_clocks = []
        if high - low <= PRECISION * high:
            return
        say(
            f"warning: the GPU's clock was between {low} and {high} MHz while points were "
            f"measured: an epoch at the lower clock takes up to {high / low - 1:.0%} longer; "
            "nvidia-smi --lock-gpu-clocks holds it",
            of_result=True,
        )


def key_of(row):
    """(iteration, whether it is a first or interrupted execution): equal keys are comparable."""
    return row["iteration"], row["execution"] in ("first", INTERRUPTED)


def only_signature(columns):
    return {column: columns[column] for column in SIGNATURE if column in columns}
