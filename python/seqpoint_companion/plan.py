"""The batches of a plan.json, in the order in which to run them."""

import itertools
import os
import warnings

from . import device, ranks
from .asking import length_of
from .check import WrongBatch
from .plan_file import read_plan
from .shapes import SIGNATURE
from .steady import MOST, Steady

PREFLIGHT, WARM_UP = "preflight", "warm-up"  # in place of a point's id
INTERRUPTED = "interrupted"  # the `execution` of a row with other work in it
PROFILED = "profiled"  # the `execution` that device_busy is measured in
TRACED = "traced"  # the `execution` whose trace is kept


class Plan:
    """A batch sampler: the batches of a plan, warm-up and repeats included.

    process        this process's number in the plan; else SEQPOINT_PROCESS, else all of the
                   plan's processes in one
    rank           the rank of this process, if torch.distributed does not provide it
    warmup_rounds  number of warm-up batches, taken from the plan's in turn; None: as planned
    until_steady   repeats the first batch of warm-up until its time no longer falls (steady.py)
    traced         each point runs once more at the end, for a trace
    rows_of        for a plan without manifests: rows_of(iteration) is [rows of each rank]
    without        iterations that cannot run in this process
    """

    def __init__(
        self,
        path,
        rank=None,
        warmup_rounds=None,
        process=None,
        rows_of=None,
        until_steady=False,
        traced=False,
        without=(),
    ):
        plan = read_plan(path)
        plan["steps"] = [step for step in plan["steps"] if step["iteration"] not in without]
        if without and all(step["warmup"] for step in plan["steps"]):
            raise ValueError(f"{path}: no batch of this start has the lengths of a point")
        fill_rows(path, plan, rows_of)
        self.path = path
        self.selection = plan.get("selection")
        self.world_size = plan.get("world_size", 1)
        self.processes = plan.get("processes", 1)
        self.counts_first = plan.get("counts_first", False)
        self.process = self._process(process)
        self.steady = Steady() if until_steady else None
        self._arrange(plan["steps"], warmup_rounds, traced)
        if self.steady is not None:  # with it, a plan is no longer than an epoch
            self.steady.most_brief = int(epoch_of(plan["steps"])) - len(self.steps)
        self.rank = self._rank(rank)
        self.exhausted = False  # whether all batches were delivered, and none can be added
        self.passes = 0  # loops over the plan
        self.start = 0  # the batch with which the next loop begins
        self.wanted = []  # numbers of batches that this rank wants to repeat
        self._restart()

    def _arrange(self, planned, warmup_rounds, traced):
        """Orders the steps of this process: preflight, warm-up, points, then what is profiled."""
        steps = sorted(planned, key=lambda step: step["index"])
        if self.process is not None:
            steps = [step for step in steps if step.get("process", 0) == self.process]
        self.measured = [step for step in steps if not step["warmup"]]
        self.preflight = [{**step, "id": PREFLIGHT} for step in steps if step.get("preflight")]
        warmup = [{**step, "id": WARM_UP} for step in steps if warms_up_process(step)]
        self.warmup = rounds_of(self.path, warmup, warmup_rounds)
        firsts = [] if self.counts_first else first_of_points(self.measured, steps)
        self.steps = [*self.preflight, *self.warmup[:1], *firsts]
        self.steadying = len(self.steps)  # the first batch that shows if the process is warm
        self.steps += self._warmup_before_measuring()
        self.begin = len(self.steps)
        self.steps += self.measured
        # From this step on every point has been measured.
        first = {step["id"]: n for n, step in reversed([*enumerate(self.measured, self.begin)])}
        self.all_seen = max(first.values())
        mark_first_executions(self.steps)
        self.profiled = []
        if device.is_there():  # the point with the most work shows the device's busy share
            self.profiled.append(as_profiled(max(self.measured, key=work_of), PROFILED))
        if traced:
            firsts = [self.measured[at - self.begin] for at in sorted(first.values())]
            self.profiled += [as_profiled(step, TRACED) for step in firsts]
        self.steps += self.profiled

    def _warmup_before_measuring(self):
        """The rest of the warm-up. Measured batches follow it, as they follow others in an epoch.

        First executions leave a GPU idle, whose clock is then higher for a moment. Without a rest,
        the batch before is the one that is repeated until the process is steady.
        """
        if self.steady is None or len(self.warmup) > 1:
            return self.warmup[1:]
        return [as_warmup(self.steps[-1], 1)]

    def _process(self, process):
        """The number of the process, or None for all processes."""
        wanted = os.environ.get("SEQPOINT_PROCESS") if process is None else process
        if wanted is None:
            self._warn_of_one_process()
            return None
        if not (str(wanted).isdecimal() and int(wanted) < self.processes):
            raise ValueError(
                f"{self.path} is for {self.processes} processes: process is 0 to "
                f"{self.processes - 1}, not {wanted!r}"
            )
        return int(wanted)

    def _warn_of_one_process(self):
        if self.processes > 1:
            warnings.warn(
                f"{self.path} is for {self.processes} processes, this one runs all of it: start "
                f"the job {self.processes} times, with SEQPOINT_PROCESS=0 to {self.processes - 1} "
                "and a file each"
            )

    def _rank(self, rank):
        here, processes = ranks.process()
        if rank is None:
            rank, fits = here, processes == self.world_size
        else:
            fits = rank < self.world_size
        if not fits:
            raise ValueError(
                f"{self.path} is for {self.world_size} ranks, this job has {processes}: select for "
                "as many ranks, or set the rank of this process (rank=..., below "
                f"{self.world_size})"
            )
        return rank

    def _restart(self):
        """Counts the batches of a loop: handed to the loader, delivered by it, run to their end."""
        self.handed_out = self.delivered = self.ran = self.start

    def __iter__(self):
        self._restart()
        return self._hand_out()

    def _hand_out(self):
        self.passes += 1
        self.exhausted = False
        this = self.passes
        while self.handed_out < len(self.steps):
            if this != self.passes:
                raise RuntimeError(
                    f"{self.path}: two loops iterate over this Plan at once: give each loop its own"
                )
            if self._repeats():
                self._insert_repeat(self.handed_out)
            self.handed_out += 1
            yield rows_of_rank(self.steps[self.handed_out - 1], self.rank)
        self.exhausted = True

    def _repeats(self):
        """Whether the first batch of warm-up is to be repeated."""
        if self.steady is None or self.steady.done:
            return False
        return self.handed_out > self.steadying

    def _insert_repeat(self, place):
        again = as_warmup(self.steps[place - 1], place - self.steadying + 1)
        self.steps.insert(place, again)
        self.begin += 1
        self.all_seen += 1

    def want_again(self, batch):
        """Requests a batch again. Several ranks agree on it when the next batch arrives."""
        if self.world_size == 1:
            self.run_again(batch)
        else:
            self.wanted.append(batch)

    def receive_wanted(self, wanted):
        """Receives each rank's requests for repeats: all ranks run a repeat that one requests."""
        self.wanted = []
        for batch in sorted(set(itertools.chain(*wanted))):
            self.run_again(batch)

    def run_again(self, batch):
        """Repeats the measured batch with that number, before all other batches."""
        step = self.steps[batch]
        if step["warmup"] or self.exhausted:
            return
        self.steps.insert(self.handed_out, {**step})
        if self.handed_out <= self.all_seen:
            self.all_seen += 1

    def is_only_one(self, batch):
        """Whether the batch with that number is measured, and is the only one of its iteration."""
        step = self.steps[batch]
        alike = [other for other in self.steps if other["iteration"] == step["iteration"]]
        return not step["warmup"] and sum(not other["warmup"] for other in alike) == 1

    def receive_steady(self, all_ranks):
        """Receives whether every rank is warm."""
        if self.steady is not None and not self.steady.done:
            self.steady.done = all(all_ranks)

    def warms_up(self, batch):
        """Whether the batch with that number shows if this rank is warm."""
        return not self.is_steady() and batch >= self.steadying

    def is_steady(self):
        """Whether this rank is warm, as far as is known."""
        return self.steady is None or self.steady.done or self.steady.is_steady()

    def __len__(self):
        """An upper bound on the number of batches."""
        more = 0
        if self.steady is not None and not self.steady.done:
            more = max(MOST, self.steady.most_brief) - self.handed_out
        return len(self.steps) + max(more, 0)

    def last_measured(self):
        """The number of the last batch that is measured."""
        return len(self.steps) - len(self.profiled) - 1

    def require_rows_in(self, dataset):
        last = max(max(step["rows"]) for step in self.steps)
        samples = length_of(dataset)
        if samples is not None and last >= samples:
            raise WrongBatch(
                f"{self.path} names row {last}, counted from 0; the data set has {samples} "
                "samples: is it the planned one?"
            )

    def schedule(self):
        """For torch.profiler: one trace from the first measured batch to the last."""
        from torch.profiler import ProfilerAction

        def action(_):  # the profiler counts on where a loop was left; the plan does not
            last = self.last_measured()
            if self.ran < self.begin:
                return ProfilerAction.WARMUP
            if self.ran < last:
                return ProfilerAction.RECORD
            return ProfilerAction.RECORD_AND_SAVE if self.ran == last else ProfilerAction.NONE

        return action


def fill_rows(path, plan, rows_of):
    """Asks the job for rows that the plan lacks, or lacks by rank."""
    several = rows_of is not None and ranks.process()[1] > 1
    for step in plan["steps"]:
        if step["rows"] and not (several and "rank_ends" not in step):
            continue
        if rows_of is None:
            raise ValueError(
                f"{path}: step {step['index']} has no rows: select from the manifest, or let "
                "`python3 -m seqpoint_companion measure` ask the job's own loader for them"
            )
        fill_step(path, plan, step, rows_of(step["iteration"]))


def fill_step(path, plan, step, by_rank):
    rows = list(itertools.chain(*by_rank))
    if step["rows"] and rows and rows != step["rows"]:
        raise ValueError(
            f"{path}: step {step['index']} has other rows than iteration {step['iteration']} of "
            "this job, whose seed, batch size or data set is then another one"
        )
    plan["world_size"], step["rows"] = len(by_rank), rows
    if len(by_rank) > 1:
        step["rank_ends"] = list(itertools.accumulate(map(len, by_rank)))


def rows_of_rank(step, rank):
    ends = [0, *step.get("rank_ends", [len(step["rows"])])]
    return step["rows"][ends[rank] : ends[rank + 1]]


def as_profiled(step, execution):
    """One more execution of a point, which is not measured."""
    return {**step, "warmup": True, "execution": execution}


def work_of(step):
    """The padded tokens of all iterations that a point represents."""
    lengths = step.get("src_len", 1) + step.get("tgt_len", 0)
    return step.get("weight", 0) * step.get("batch_size", 1) * lengths


def epoch_of(steps):
    """The batches of an epoch: all that the points represent."""
    measured = [step for step in steps if not step["warmup"]]
    return sum({step["id"]: step.get("weight", 0) for step in measured}.values())


def warms_up_process(step):
    return step["warmup"] and not step.get("first") and not step.get("preflight")


def rounds_of(path, planned, rounds):
    """That many of the planned warm-up batches, in turn; None: as planned."""
    if rounds is None:
        return planned
    if rounds and not planned:
        raise ValueError(
            f"{path}: has no batches to warm up with: plan with --warmup {rounds}, or auto"
        )
    return [{**planned[n % len(planned)], "repeat": n} for n in range(rounds)]


def as_warmup(step, repeat):
    own = {"id": WARM_UP, "warmup": True, "first": False, "execution": WARM_UP}
    return {**step, **own, "repeat": repeat}


def first_of_points(measured, points):
    """A point's first execution each, in the order in which points are measured.

    It runs the planned batch, or the point's first measured one if none is planned.
    """
    own = {}
    for step in measured:
        own.setdefault(step["id"], step)
    for step in reversed(points):
        if step.get("first"):
            own[step["id"]] = step
    return [{**step, "warmup": True, "first": True} for step in own.values()]


def mark_first_executions(steps):
    """Sets each step's `execution`: "first" for a point's first one if its shape is new so far."""
    seen = set()
    for step in steps:
        shape = tuple(step.get(column) for column in SIGNATURE)
        is_first = step.get("first") and shape not in seen
        step["execution"] = "first" if is_first else WARM_UP if step["warmup"] else "measured"
        seen.add(shape)
