"""Runs the points of `seqpoint select` in a PyTorch job, and records what iterations take.

    plan = Plan("plan/plan.json")                                  # what `seqpoint plan` wrote
    loader = DataLoader(data, batch_sampler=plan, collate_fn=pad)  # instead of batch_size=..., shuffle=True
    for batch in Recorder("v1.csv", plan=plan)(loader):            # instead of: for batch in loader
        ...

Then `seqpoint project points.json --profile v1=v1.csv`. Without a plan, Recorder("epoch.csv", signature)(loader) records
whatever the loop runs. Plain Python over torch 1.13 or newer: copy this file beside your script.
"""

import contextlib
import json
import time

import torch
from torch.profiler import ProfilerAction, record_function

SIGNATURE = ("src_len", "tgt_len", "batch_size")


class Plan:
    """The batches of a plan.json in the order in which to run them, warm-up and repeats included: a batch sampler.

    `task` takes those of one task of a job array alone (SEQPOINT_TASK of the plan's scripts), warmed up with the largest of
    them. `rank` takes the part of one process where the plan is for several; torch.distributed knows it. `settle` runs every
    batch that often before its first measurement: 1 where the first iteration of a shape costs extra, because cuDNN tries
    algorithms (torch.backends.cudnn.benchmark) or a compiler runs (torch.compile).
    """

    def __init__(self, path, task=None, rank=None, settle=0):
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        if plan.get("schema") != "seqpoint/plan/1":
            raise ValueError(f"{path}: schema is {plan.get('schema')!r}, not 'seqpoint/plan/1': give what `seqpoint plan` wrote")
        steps = sorted(plan["steps"], key=lambda step: step["index"])
        for step in steps:
            if not step["rows"]:
                raise ValueError(f"{path}: step {step['index']} has no rows: run `seqpoint plan` with the run's manifests")
        if plan.get("world_size", 1) > 1 and rank is None:
            if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
                raise ValueError(f"{path}: is for {plan['world_size']} ranks: say which one this is (rank=...)")
            rank = torch.distributed.get_rank()
        self.rank = rank or 0
        self.steps = settled(steps if task in (None, "all") else steps_of_task(steps, plan["tasks"][int(task)]["points"]), settle)

    def __iter__(self):
        return (rows_of_rank(step, self.rank) for step in self.steps)

    def __len__(self):
        return len(self.steps)

    def measured(self):
        """Places of the steps that are measured."""
        return [number for number, step in enumerate(self.steps) if not step["warmup"]]

    def schedule(self):
        """For torch.profiler: records the steps that are measured."""
        return schedule(self.measured())


def rows_of_rank(step, rank):
    ends = [0, *step.get("rank_ends", [len(step["rows"])])]
    return step["rows"][ends[rank]:ends[rank + 1]]


def steps_of_task(steps, points):
    measured = [step for step in steps if step["id"] in points and not step["warmup"]]
    largest = max(measured, key=lambda step: (step["src_len"] + step.get("tgt_len", 0)) * step.get("batch_size", 1))
    return [{**largest, "warmup": True} for step in steps if step["warmup"]] + measured


def settled(steps, times):
    """The steps, with each point's first measurement preceded by so many that are not measured."""
    out, met = [], set()
    for step in steps:
        if not step["warmup"] and step["id"] not in met:
            met.add(step["id"])
            out += [{**step, "warmup": True}] * times
        out.append(step)
    return out


def schedule(steps, warmup=1):
    """For torch.profiler: records these steps of the loop, counted from 0, and no other; neighbours go into one trace. The
    profiler runs, its records thrown away, for `warmup` steps before each: its own first step is slow."""
    steps = frozenset(steps)

    def action(step):
        if step in steps:
            return ProfilerAction.RECORD if step + 1 in steps else ProfilerAction.RECORD_AND_SAVE
        return ProfilerAction.WARMUP if any(step + k in steps for k in range(1, warmup + 1)) else ProfilerAction.NONE

    return action


def uses_device():
    return torch.cuda.is_available() and torch.cuda.is_initialized()


def synchronise():
    """Waits for the device, if the job uses one: a line of Python ends when kernels are launched, not when they are done."""
    if uses_device():
        torch.cuda.synchronize()


@contextlib.contextmanager
def named(name):
    """A range of that name in the traces of torch.profiler and, on a GPU, of Nsight Systems (NVTX) or rocprof (roctx)."""
    device = uses_device()
    with record_function(name):
        if device:
            torch.cuda.nvtx.range_push(name)
        try:
            yield
        finally:
            if device:
                torch.cuda.nvtx.range_pop()


class Recorder:
    """Times the body of a training loop and names its iterations in profiles as `seqpoint project` understands them.

    Writes CSV to `path`, a row an iteration: with a plan the profile of its points, else a trace, which `seqpoint evaluate`
    and `select` read, too. `signature(batch)` returns the columns of a batch, {"src_len": padded length, "tgt_len": of
    pairs, "batch_size": samples}; more are welcome ("tokens": unpadded). With a plan it may be left out; if it is given, a
    batch that is not the plan's is an error.

    What the loader takes to deliver a batch is not in runtime_s. An iteration that is left by `break` or an exception has not
    ended, so it has no row. Of several ranks each needs a file of its own, or one of them records.

    `profiler`, a torch.profiler.profile, is told of each step: do not call its step() yourself. With a plan, profilers that wait
    for the program (nsys --capture-range=cudaProfilerApi, ncu --profile-from-start off) are started before the first measured
    step and stopped after the last. `cpu_time` adds cpu_s, the processor time of the process.
    """

    def __init__(self, path, signature=None, plan=None, profiler=None, cpu_time=False):
        if signature is None and plan is None:
            raise ValueError("Recorder needs a signature(batch) where there is no plan: nothing else tells iterations apart")
        self.path, self.signature, self.plan, self.profiler, self.cpu_time = path, signature, plan, profiler, cpu_time
        measured = plan.measured() if plan is not None else [None]
        self.first, self.last = measured[0], measured[-1]
        self.rows = self.epoch = 0

    def __call__(self, batches):
        for number, batch in enumerate(batches):
            step = self._step_of_plan(number, batch) if self.plan is not None else self._step_of_run(batch)
            if number == self.first and uses_device():
                torch.cuda.profiler.start()
            synchronise()
            with named(name_of(step)):
                wall, cpu = time.perf_counter(), time.process_time()
                yield batch
                synchronise()  # before the range ends: the host's time is then the device's as well
                times = {"runtime_s": time.perf_counter() - wall}
                if self.cpu_time:
                    times["cpu_s"] = time.process_time() - cpu
            if number == self.last and uses_device():
                torch.cuda.profiler.stop()
            self._write({**step, **{name: f"{seconds:.9f}" for name, seconds in times.items()}})
            if self.profiler is not None:
                self.profiler.step()
        self.epoch += 1

    def _step_of_run(self, batch):
        return {"iteration": self.rows, "epoch": self.epoch, **self.signature(batch)}

    def _step_of_plan(self, number, batch):
        if number >= len(self.plan):
            raise ValueError(f"the loader delivers more than the plan's {len(self.plan)} batches: give it batch_sampler=plan")
        step = self.plan.steps[number]
        # With several ranks the plan has the largest of each, which need not be this one's.
        found = self.signature(batch) if self.signature else {}
        for column in SIGNATURE if "rank_ends" not in step else ():
            if found.get(column, step.get(column)) != step.get(column):
                raise ValueError(
                    f"step {number} of the plan has {column} {step.get(column)}, the loader delivered {found[column]}: is the "
                    "data set that of the manifest, row by row, with the same unit of length?")
        columns = {column: step[column] for column in SIGNATURE if step.get(column) is not None}
        return {"point": step["id"], "repeat": step["repeat"], "warmup": int(step["warmup"]), **found, **columns}

    def _write(self, row):
        row = {name: " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value for name, value in row.items()}
        # Row by row: a job that is cut short keeps what it has measured.
        with open(self.path, "a" if self.rows else "w", encoding="utf-8") as file:
            if self.rows == 0:
                print(*row, sep=",", file=file)
            print(*row.values(), sep=",", file=file)
        self.rows += 1


def name_of(step):
    """'sp3', a point of a plan, or 'iter:17 src_len=213 batch_size=64'."""
    if "point" in step:
        return "warm-up" if step["warmup"] else step["point"]
    return " ".join([f"iter:{step['iteration']}", *(f"{column}={step[column]}" for column in SIGNATURE if column in step)])
