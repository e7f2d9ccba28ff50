"""Runs the points of `seqpoint select` in a PyTorch job, and records what iterations take.

    plan = Plan("plan/plan.json")                                  # what `seqpoint plan` wrote
    loader = DataLoader(data, batch_sampler=plan, collate_fn=pad)  # instead of batch_size=..., shuffle=True
    for batch in Recorder("v1.csv", plan=plan)(loader):            # instead of: for batch in loader
        ...

Without a plan, Recorder("epoch.csv", signature)(loader) records whatever the loop runs. Or leave the job as it is:
`python3 -m seqpoint_companion --help` (seqpoint_wrapper.py, beside this file). docs/pytorch.md has the rest.
"""

if __name__ == "__main__":  # before torch is imported: the job may want to set something first
    import seqpoint_wrapper
    raise SystemExit(seqpoint_wrapper.main())

import collections
import contextlib
import csv
import ctypes
import datetime
import functools
import gc
import importlib
import io
import itertools
import json
import os
import platform
import re
import time
import types
import warnings

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, record_function

fcntl = importlib.import_module("fcntl") if os.name == "posix" else None  # Windows has none

PREFLIGHT, WARM_UP = "preflight", "warm-up"  # in the place of a point's id
NONE_YET = 0, 0, 0  # of an optimiser step: how many of its batches have ended, their seconds and CPU seconds
SIGNATURE = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens")
CLEARLY_LONGER = 1.5  # where planned lengths differ by this factor, lengths in another unit have to be in the same order
# Names of tensors that say which side of pairs they are; without pairs there is the source alone.
MEANT = {"src_len": ("input_ids", "attention_mask"), "tgt_len": ("decoder_input_ids", "labels")}
CAUSES = """Usual causes: the data set is not the manifest's, or in another order (each run has one of its own, without a seed);
it shuffles or drops samples itself; the batch size is another one; the loader has no batch_sampler=plan; samples are cut or
padded otherwise than planned. Where lengths are off by one frame, choose the points with the --front-end of the job.
If the batch is right, pass Recorder a signature(batch) that returns its lengths in the manifest's unit."""


class NotTogether(RuntimeError):
    """Processes of the job have come to different places."""


class WrongBatch(ValueError):
    """The loader delivered something else than the plan's batch. Nothing was recorded for it."""


class Plan:
    """The batches of a plan.json in the order in which to run them, warm-up and repeats included: a batch sampler.

    Of the plan's processes this is `session`, else what SEQPOINT_SESSION says, else all in one; `task` is one of a job array. Each batch
    comes `accumulate` times in a row: a row of the profile is their mean. Of a plan without manifests rows_of(iteration) says the rows of each rank.
    """
    def __init__(self, path, task=None, rank=None, warmup_rounds=None, accumulate=1, session=None, rows_of=None):
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        schema = plan.get("schema") if isinstance(plan, dict) else None
        if schema != "seqpoint/plan/1":
            other = str(schema).startswith("seqpoint/plan/")
            raise ValueError(f"{path}: schema is {schema!r}, not 'seqpoint/plan/1': " + (
                "take `seqpoint` and seqpoint_companion.py of one version, and plan anew" if other else "give what `seqpoint plan` wrote"))
        by_rank = rows_of is not None and process()[1] > 1
        for step in (step for step in plan["steps"] if not step["rows"] or (by_rank and "rank_ends" not in step)):
            if rows_of is None:
                raise ValueError(f"{path}: step {step['index']} has no rows: run `seqpoint plan` with the manifests")
            planned, ranks = step["rows"], rows_of(step["iteration"])
            plan["world_size"], step["rows"] = len(ranks), [*itertools.chain(*ranks)]
            if planned and step["rows"] not in ([], planned):
                raise ValueError(f"{path}: step {step['index']} has other rows than iteration {step['iteration']} of this job, whose seed, "
                                 "batch size or data set is then another one")
            step.update({"rank_ends": list(itertools.accumulate(map(len, ranks)))} if len(ranks) > 1 else {})
        self.path, self.selection, self.world_size = path, plan.get("selection"), plan.get("world_size", 1)
        self.sessions, self.accumulate = plan.get("sessions", 1), accumulate
        task = None if task in (None, "all") else self._task(plan["tasks"], str(task))
        self.session = self._session(session, task)
        steps = [step for step in sorted(plan["steps"], key=lambda step: step["index"])
                 if self.session is None or step.get("session", 0) == self.session]
        points = [step for step in steps if task is None or step.get("id") in task["points"]]
        self.measured = [step for step in points if not step["warmup"]]
        self.preflight = [{**step, "id": PREFLIGHT} for step in steps if step.get("preflight") and task is None]
        of_process = [step for step in steps if step["warmup"] and not step.get("first") and not step.get("preflight")]
        self.warmup = warmup_of(path, [{**step, "id": WARM_UP} for step in of_process], warmup_rounds)
        self.steps = [*self.preflight, *self.warmup, *with_own_warmup(self.measured, points)]
        mark_first_executions(self.steps)
        self.begin = self.steps.index(self.measured[0])
        self.all_seen = max(n for n, step in enumerate(self.steps) if step.get("first"))  # from here on every point has come
        self.rank = self._rank(rank)
        self.passes = self.start = 0  # loops over it; the batch with which the next begins
        self._restart()

    def _task(self, tasks, number):
        if not (number.isdecimal() and int(number) < len(tasks)):
            raise ValueError(f"{self.path} has {len(tasks)} tasks: task (SEQPOINT_TASK) is 0 to {len(tasks) - 1}, not {number!r}")
        return tasks[int(number)]

    def _session(self, session, task):
        said = os.environ.get("SEQPOINT_SESSION") if session is None else session
        if task:
            if str(task.get("session", 0)) != str(task.get("session", 0) if said is None else said):
                raise ValueError(f"{self.path}: the task (SEQPOINT_TASK) is of session {task.get('session', 0)}, SEQPOINT_SESSION says {said}: "
                                 "leave one of them out")
            said = task.get("session", 0)
        if said is not None and not (str(said).isdecimal() and int(said) < self.sessions):
            raise ValueError(f"{self.path} is for {self.sessions} processes: session is 0 to {self.sessions - 1}, not {said!r}")
        if said is None and self.sessions > 1:
            warnings.warn(f"{self.path} is for {self.sessions} processes, this one runs all of it: start the job {self.sessions} times, "
                          f"with SEQPOINT_SESSION=0 to {self.sessions - 1} and a file each, as the plan's run.sh does")
        return None if said is None else int(said)

    def _rank(self, rank):
        here, processes = process()
        if processes != self.world_size if rank is None else rank >= self.world_size:
            raise ValueError(f"{self.path} is for {self.world_size} ranks, this job has {processes}: plan with the manifests and so "
                             f"many, or say which rank this process is (rank=..., below {self.world_size})")
        return here if rank is None else rank

    def _restart(self):
        self.handed_out = self.delivered = self.ran = self.start  # batches: to the loader, by it, up to and with the last that ended

    def __iter__(self):
        self._restart()
        return self._hand_out()

    def _hand_out(self):
        self.passes += 1
        this = self.passes
        while self.handed_out < len(self):
            if this != self.passes:
                raise RuntimeError(f"{self.path}: two loops ask for its batches by turns: give each a Plan of its own")
            self.handed_out += 1
            yield rows_of_rank(self.step(self.handed_out - 1), self.rank)

    def __len__(self):
        return len(self.steps) * self.accumulate

    def step(self, batch):  # by the batch's number
        return self.steps[batch // self.accumulate]

    def require_rows_in(self, dataset):
        last = max(max(step["rows"]) for step in self.steps)
        if hasattr(dataset, "__len__") and last >= len(dataset):
            raise WrongBatch(f"{self.path} names row {last}, counted from 0; the data set has {len(dataset)} samples: is it the planned one?")

    def schedule(self):
        """For torch.profiler: records from the first batch that is measured to the last, in one trace."""
        def action(_):  # how many steps it has seen: more than batches of this pass, where a loop was left
            if self.ran < self.begin * self.accumulate:
                return ProfilerAction.WARMUP
            last = len(self) - 1
            return ProfilerAction.RECORD if self.ran < last else ProfilerAction.RECORD_AND_SAVE if self.ran == last else ProfilerAction.NONE

        return action


def rows_of_rank(step, rank):
    ends = [0, *step.get("rank_ends", [len(step["rows"])])]
    return step["rows"][ends[rank]:ends[rank + 1]]


def size_of(step):
    return (step.get("src_len", step.get("tokens", 0)) + step.get("tgt_len", 0)) * step.get("batch_size", 1)


def warmup_of(path, planned, batches):
    """So many of the planned batches of warm-up, in turn; None: as planned."""
    if batches is None:
        return planned
    if batches and not planned:
        raise ValueError(f"{path}: has no batches to warm up with: plan with --warmup {batches}, or auto")
    return [{**planned[n % len(planned)], "repeat": n} for n in range(batches)]


def with_own_warmup(measured, points):
    """The measured steps, each point's first behind the point's own warm-up: as planned, in plans of 1.0 its own batch."""
    own, steps = {step["id"]: step for step in [*reversed(measured), *(step for step in reversed(points) if step.get("first"))]}, []
    for step in measured:
        first = own.pop(step["id"], None)
        steps += [{**first, "warmup": True, "first": True}, step] if first else [step]
    return steps


def mark_first_executions(steps):
    """Sets what a row calls its `execution`: "first" of a point's own warm-up where no batch of its shape ran before."""
    shapes = [tuple(step.get(column) for column in SIGNATURE) for step in steps]
    for n, step in enumerate(steps):
        first = step.get("first") and shapes[n] not in shapes[:n]
        step["execution"] = "measured" if not step["warmup"] else "first" if first else WARM_UP


def process():
    """The rank of this process, and how many the job has."""
    together = torch.distributed.is_available() and torch.distributed.is_initialized()
    return (torch.distributed.get_rank(), torch.distributed.get_world_size()) if together else (0, 1)


def of_all_processes(value, place):
    """The value of each process of the job, in order of rank. All have to be at the same place."""
    values = [(place, value)] * process()[1]
    if len(values) > 1:
        torch.distributed.all_gather_object(values, (place, value))
    if len({at for at, _ in values}) > 1:
        raise NotTogether("the processes of the job are not at the same place. By rank: "
                          f"{', '.join(at for at, _ in values)}. All need as many batches, and where one leaves a loop, all have to")
    return [of for _, of in values]


def uses_device():
    return torch.cuda.is_initialized()


def wait():
    return torch.cuda.synchronize() if uses_device() else None


@contextlib.contextmanager
def named(name):
    """A range of that name in traces of torch.profiler and, on a GPU, of Nsight Systems (NVTX) or rocprof (roctx)."""
    with record_function(name), contextlib.ExitStack() as range_of_device:
        if uses_device():
            torch.cuda.nvtx.range_push(name)
            range_of_device.callback(torch.cuda.nvtx.range_pop)
        yield


def shapes_in(value, where="batch", depth=0):
    """{tensor: shape} of what a batch holds, however nested; a list is an axis, before those of its items."""
    items, shape = (), getattr(value, "shape", ())
    if isinstance(value, torch.Tensor):
        return {where: shape} if shape else {}
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        shape = int(value.batch_sizes[0]), len(value.batch_sizes)
    elif isinstance(value, collections.abc.Mapping):
        items = [(f"{where}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        items = [(f"{where}[{n}]", item) for n, item in enumerate(value)]
        shapes = [getattr(item, "shape", ()) for item in value]
        shape = len(value), *(map(max, zip(*shapes)) if len(set(map(len, shapes))) == 1 else ())
    elif not shape and hasattr(value, "__dict__"):
        items = [(f"{where}.{name}", item) for name, item in vars(value).items()]
    shapes = {where: tuple(shape)} if len(shape) else {}
    for inside, item in items[:8] if depth < 4 else ():  # more than a few are samples, which the list stands for
        shapes.update(shapes_in(item, inside, depth + 1))
    return shapes


def sizes_in(batch):  # {tensor and axis: size}
    return {f"{where} axis {axis}": size for where, shape in shapes_in(batch).items() for axis, size in enumerate(shape)}


def name_in(axis):
    """Of "batch['input_ids'] axis 1" input_ids, with or without the axis."""
    return re.search(r"(\w+)\W*( axis \d+)?$", axis).group(1)


def same_unit(lengths, planned):
    """Whether these are the planned lengths, perhaps with marks for start and end."""
    return len({length - plan for length, plan in zip(lengths, planned)}) == 1


def strays(lengths, planned):
    """Whether these are the planned lengths but for some of them: so many are not the same by chance."""
    same = [plan for length, plan in zip(lengths, planned) if length == plan]
    if 2 * len(same) > len(planned) > len(same) and len(set(same)) > 2:
        return True
    longest = max(lengths)
    # One more is a mark, one less a frame; where there are more, a cut makes some lengths larger than planned and some smaller.
    return max(planned) > longest + 1 and len({length for length in lengths if length < longest}) > 1 and any(
        all(length == min(plan + marks, longest) for length, plan in zip(lengths, planned)) for marks in (-1, 0, 1))


def may_be(lengths, planned, others):
    """Whether batches of these lengths may be the planned ones. `others`: planned for the other side of pairs."""
    if same_unit(lengths, planned):
        return True
    batches = sorted(set(zip(lengths, planned, others)))
    # A finer unit counts more of every sample, a coarser one less, but for a mark or a cut.
    if any(length < plan - 1 for length, plan, _ in batches) and any(length > plan + 1 for length, plan, _ in batches):
        return False
    return not any(a[1] >= CLEARLY_LONGER * b[1] and a[2] >= b[2] and a[0] < b[0] for a in batches for b in batches)


class BatchCheck:
    """Whether batches are the plan's: by their `signature` exactly, else by the shapes of the tensors in them. Any tensor and
    axis will do that fits all batches so far: one has the planned number of samples; another, if any varies, lengths that may
    be the planned ones, of the side that its name means (MEANT). docs/pytorch.md says what passes and what is not noticed."""
    def __init__(self, plan, by_signature):
        self.plan, self.by_signature, self.steps, self.said = plan, by_signature, [], False
        self.sample_axes = self.lengths = None  # axes; {axis: its sizes so far}

    def samples(self, step, rank):  # of packed ones there are fewer than rows
        return len(rows_of_rank(step, rank)) if "rank_ends" in step else step.get("batch_size", len(step["rows"]))

    def fault(self, step, batches):
        """What is wrong with a batch, or "". `batches`: rank, and signature or sizes by axis, of each process."""
        samples = [self.samples(step, rank) for rank, _ in batches]
        # The rank whose lengths the plan has; None: it is not told, or not of this job.
        heaviest = dict(batches).get(step.get("heaviest_rank", None if "rank_ends" in step else self.plan.rank))
        if self.by_signature:
            if [of.get("batch_size", n) for (_, of), n in zip(batches, samples)] != samples:
                return "batch_size is another one"
            wrong = [f"{key} is {size}" for key, size in (heaviest or {}).items()
                     if key != "batch_size" and step.get(key, size) != size]
            if heaviest is not None and not {"src_len", "tgt_len", "tokens"} & heaviest.keys():
                return self._doubt("signature(batch) returns none")
            return wrong[0] if wrong else ""
        if "tokens" in step:
            return self._doubt("runs without padding have no shape to compare")
        axes = {key for key in batches[0][1] if [of.get(key) for _, of in batches] == samples}
        self.sample_axes = axes if self.sample_axes is None else self.sample_axes & axes
        if not self.sample_axes:
            return "no axis has the planned number of samples, or not the same as so far"
        if heaviest is None:
            return self._doubt("the plan has those of another rank")
        self.steps.append(step)
        return self._fault_of_lengths(heaviest)

    def _doubt(self, why):
        """Says once what is not compared. No fault."""
        if not self.said and process()[0] == 0:
            warnings.warn(f"{self.plan.path}: whether lengths are the planned ones cannot be told from the batches: {why}. "
                          "Samples that are cut, or another data set, may pass: Recorder(..., signature) compares exactly")
        self.said = True
        return ""

    def _axes(self, column):
        """Sizes, batch by batch, of the axes that may be this side of pairs."""
        axes = {axis: of for axis, of in self.lengths.items() if axis not in self.sample_axes}
        meant = [axis for axis in axes if name_in(axis) in MEANT[column]]
        others = {name for side, names in MEANT.items() if side != column for name in names}
        possible = meant or [axis for axis in axes if name_in(axis) not in others] or list(axes)
        return sorted({axes[axis] for axis in possible})

    def _fault_of_lengths(self, sizes):
        before = dict.fromkeys(sizes, ()) if self.lengths is None else self.lengths
        self.lengths = {key: (*before[key], size) for key, size in sizes.items() if key in before}
        planned = {column: tuple(step.get(column, 0) for step in self.steps) for column in MEANT}
        planned = {column: of for column, of in planned.items() if any(of)}
        axes = {column: self._axes(column) for column in planned}
        varying = {column: [of for of in axes[column] if len(set(of)) > 1] for column in planned}
        found = sorted({of for all_of in varying.values() for of in all_of})
        told = ", ".join(f"{plan}: {'/'.join(map(str, of))}" for plan, of in list(zip(planned.get("src_len", ()), zip(*found)))[-5:])
        told = f"(planned src_len: axes that vary, up to this batch: {told})" if found else "(no axis varies)"
        if self._cut(planned, varying):
            return f"lengths are the planned ones but for some, as where samples are cut {told}"
        other = lambda column: next((of for side, of in planned.items() if side != column), (0,) * len(planned[column]))
        fits = [not varying[column] or any(may_be(of, planned[column], other(column)) for of in varying[column]) for column in planned]
        if found and not (all(fits) if len(found) > 1 else any(fits)):
            return f"lengths are the planned ones in no unit {told}"
        exact = lambda of, planned: same_unit(of, planned) if len(set(planned)) > 1 else of == planned
        if {step["id"] for step in self.steps} >= {step["id"] for step in self.plan.measured} and not all(
                any(exact(of, planned[column]) for of in axes[column]) for column in planned):
            self._doubt(f"they are in another unit, or all alike {told}")
        return ""

    @staticmethod
    def _cut(planned, varying):
        """Whether an axis is one side but for some lengths, and none is all of it."""
        whole = {column: {of for of in varying[column] if same_unit(of, planned[column])} for column in planned}
        return any(strays(of, planned[column]) for column in planned if not whole[column]
                   for of in varying[column] if not any(of in axes for axes in whole.values()))


class Pass:
    """The batches of one pass over a loader. Where a loop over it goes on, the batch in which another was left did not end."""
    def __init__(self, recorder, batches):
        self._recorder, self._batches = recorder, batches

    def __iter__(self):
        self._recorder.leave()
        return self

    def __next__(self):
        return next(self._batches)


class Batches:
    """A loader whose batches go through `run`."""
    def __init__(self, loader, run):
        self._loader, self._run = loader, run

    def __iter__(self):
        return self._run(self._loader)

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._loader, name)


class PeakMemory:
    """Bytes at the peak of an iteration: of the GPU as its allocator counts, else by the memory events of torch.profiler."""
    def begin(self):
        self.profiler = None if uses_device() else torch.profiler.profile(activities=[ProfilerActivity.CPU], profile_memory=True)
        if self.profiler is None:
            return torch.cuda.reset_peak_memory_stats()
        tensors = [of for of in gc.get_objects() if issubclass(type(of), torch.Tensor) and of.device.type == "cpu"]
        tensors += [of.grad for of in tensors if of.is_leaf and of.grad is not None]
        storages = [of.untyped_storage() if hasattr(of, "untyped_storage") else of.storage() for of in tensors]
        self.before = sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
        return self.profiler.__enter__()

    def end(self):
        if self.profiler is None:
            return torch.cuda.max_memory_allocated()
        self.profiler.__exit__(None, None, None)
        sizes = [event.nbytes() for event in self.profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
        return self.before + max(itertools.accumulate(sizes, initial=0))


class Recorder:
    """Times the body of a training loop and names its iterations in profiles as `seqpoint project` understands them.

    Writes CSV to `path`, a row an iteration: with a plan the profile of its points, else a trace. signature(batch) returns
    the columns of a batch, {"src_len": padded length, "tgt_len": of pairs, "batch_size": samples} and others. With a plan it
    may be left out: BatchCheck then compares what is in the batch. One that is not the plan's raises WrongBatch before it runs.
    `epoch` counts loops; a plan begins anew with each. `profiler` is told of each batch. peak_memory=True adds peak_bytes.
    """
    def __init__(self, path, signature=None, plan=None, profiler=None, cpu_time=True, peak_memory=False):
        if signature is None and plan is None:
            raise ValueError("Recorder needs a signature(batch) where there is no plan, to tell iterations apart")
        self.path, self.signature, self.plan, self.profiler, self.captures = path, signature, plan, profiler, False
        self.cpu_time = cpu_time and os.name != "nt"  # where that clock ticks 64 times a second
        self.check = BatchCheck(plan, signature is not None)
        self.epoch, self.iterations, self.rows = -1, 0, 0  # the loop, from 0; batches that began; rows in the file
        self.arrived = collections.deque()  # (batch of the plan, columns, batch) of those of this loop that have come and not begun
        self.running = self.range = self.began = None  # (batch of the plan or iteration, columns) of the batch that runs
        self.file = self.clocks = None  # from the first row on
        self.unwritten, self.times = [], NONE_YET  # rows that wait; of the step that is running
        self.every_s, self.flushed = 0, time.monotonic()  # a job that is cut short keeps what was written; rows of a trace may wait so long
        self.settle, self.ended = (getattr(signature, name, dict) for name in ("settle", "ended"))
        self.memory, self.peak = PeakMemory() if peak_memory else types.SimpleNamespace(begin=int, end=int), 0
        self.at_end = lambda: None  # called when the last batch of the plan has run

    def __call__(self, loader):
        """For a loop of one's own: the batches of the loader; the body of the loop is timed."""
        return Batches(loader, lambda of: Pass(self, self._timed(of)))

    def watch(self, loader):
        """For a loop where others call begin() and end(): the batches of the loader, looked at."""
        return Batches(loader, self._watched)

    def _timed(self, loader):
        for batch in self._watched(loader):
            self.begin()
            this = self.running
            try:
                yield batch
            except BaseException:
                if self.running is this:  # else another loop has begun
                    self.leave()
                raise
            if self.running is this:
                self.end()

    def leave(self):
        """The batch that runs, if any, will not end, nor will its optimiser step be whole."""
        if self.running is not None:
            self.memory.end()
            self.range.__exit__(None, None, None)
            self.running = None
            self.times = NONE_YET

    def _watched(self, loader):
        self.leave()  # what an earlier loop left behind did not end and will not run
        self.arrived.clear()
        self.times = NONE_YET
        self.epoch += 1
        self._stop_capture()
        if self.plan is not None:
            self.plan.require_rows_in(getattr(loader, "dataset", None))
            if not getattr(loader, "in_order", True):
                raise WrongBatch("the loader delivers batches in any order, the plan has one: leave out in_order=False")
        try:
            for batch in loader:
                columns = self.signature(batch) if self.signature else None
                if self.plan is not None:
                    columns = self._columns_of_plan(batch, columns)
                self.arrived.append((self.plan.delivered - 1 if self.plan is not None else None, columns, batch))
                yield batch
        finally:  # to free what ranks told each other gloo's threads need the interpreter, or the end of their group waits for ever
            time.sleep(0.1 if process()[1] > 1 else 0)
        if self.plan is not None and self.plan.delivered < self.plan.handed_out:
            raise WrongBatch(f"the loader took {self.plan.handed_out} batches from the plan and delivered "
                             f"{self.plan.delivered}: does it deal them to processes? The plan has done that")

    def _columns_of_plan(self, batch, found):
        """Of a batch that the loader has delivered. Raises WrongBatch if it is not the plan's."""
        plan, number = self.plan, self.plan.delivered
        file = (platform.node(), os.path.realpath(self.path)) if self.path != os.devnull else process()
        looked = sizes_in(batch) if found is None else {c: found[c] for c in SIGNATURE if c in found}
        taken, files, batches = zip(*of_all_processes((number < plan.handed_out, file, (plan.rank, looked)), f"batch {number}"))
        if not all(taken):
            raise WrongBatch(f"batch {number} is not from the plan: give the loader batch_sampler=plan, and neither "
                             "batch_size nor shuffle nor sampler")
        if len(set(files)) < len(files):
            raise ValueError(f"several processes record into {self.path}: give each a file of its own")
        plan.delivered, step = number + 1, plan.step(number)
        fault = self.check.fault(step, batches)
        if fault:
            planned = {column: step[column] for column in SIGNATURE if column in step}
            samples = self.check.samples(step, plan.rank)
            raise WrongBatch(f"batch {number} is not the plan's, {step['id']} of {planned}: {fault}. Rank {plan.rank} "
                             f"should have {samples} samples. Found: {looked or type(batch)}.\n{CAUSES}")
        row = {"point": step["id"], "repeat": step["repeat"], "warmup": int(step["warmup"]), "execution": step["execution"]}
        row.update({"selection": plan.selection} if plan.selection else {})
        row.update({c: step[c] if step["id"] == WARM_UP else "" for c in SIGNATURE if c in step})  # warm-up is known by its lengths alone
        if plan.world_size > 1:
            found = {"rank": plan.rank, **{c: value for c, value in (found or {}).items() if c not in SIGNATURE}}
        return {**row, **(found or {})}

    def begin(self, batch=None):
        """A batch that has arrived begins to run: this one, and those before it will not, or the first."""
        self.leave()
        while batch is not None and any(of is batch for _, _, of in self.arrived) and self.arrived[0][2] is not batch:
            self.arrived.popleft()
            self.iterations += 1
        number, step, _ = self.arrived.popleft()
        if self.plan is None:
            number, step = self.iterations, {"iteration": self.iterations, "epoch": max(self.epoch, 0), **step}
            self.iterations += 1
        self.running = number, step
        if self.plan is not None and not step["warmup"] and not self.captures and uses_device():
            self.captures = True
            torch.cuda.profiler.start()
        wait()  # a line of Python ends when kernels are launched, not when they end
        watched = uses_device() or torch.autograd._profiler_enabled()
        self.range = named(name_of(self.settle(step))) if watched else contextlib.nullcontext()
        self.range.__enter__()
        self.memory.begin()
        cpu = time.process_time()  # outside of what is timed
        self.began = time.perf_counter(), cpu

    def end(self):
        """The batch that began has run."""
        if self.running is None:
            return  # its loop was left
        wait()  # before the range ends: the host's time is then the device's as well
        seconds = time.perf_counter() - self.began[0]
        cpu = time.process_time() - self.began[1]
        peak = self.memory.end()
        self.range.__exit__(None, None, None)
        (number, row), self.running = self.running, None
        accumulate, last = (1, False) if self.plan is None else (self.plan.accumulate, number + 1 == len(self.plan))
        if number % accumulate == 0:
            self.times, self.peak = NONE_YET, 0
        self.peak = max(peak, self.peak)
        batches, runtime_s, cpu_s = self.times
        self.times = batches + 1, runtime_s + seconds, cpu_s + cpu
        if self.plan is not None:
            self.plan.ran = number + 1
        if last:
            self._stop_capture()
        if (number + 1) % accumulate == 0 and batches + 1 == accumulate:
            self._record(number, row)
        if self.profiler is not None:
            self.profiler.step()
        if last:
            self.at_end()

    def _stop_capture(self):
        if self.captures:
            self.captures = False
            torch.cuda.profiler.stop()

    def _record(self, number, row):
        times, self.times = self.times, NONE_YET
        if row.get("point") == PREFLIGHT:
            return
        self.clocks = self.clocks or gpu_clocks()
        self.unwritten.append(({**self.ended(row), **({"executions": times[0]} if times[0] > 1 else {})}, self.clocks(), self.peak, times))
        waits = not getattr(self.signature, "settled", True) or time.monotonic() - self.flushed < self.every_s if self.plan is None else \
            row["warmup"] or number // self.plan.accumulate < self.plan.all_seen
        if not waits:
            self.flush()

    def flush(self):
        """Writes the rows that wait. A signature may leave in them what its settle() makes columns of."""
        device = torch.cuda.get_device_name() if uses_device() else "cpu"
        said = {"host": platform.node(), "device": device, "session": session(os.getpid()), "recorded_by": "", "load": load()}
        rows = [{**self.settle(row), **said, **clocks, **({"peak_bytes": peak} if isinstance(self.memory, PeakMemory) else {}), "runtime_s": f"{runtime_s / batches:.9f}",
                 **({"cpu_s": f"{cpu_s / batches:.9f}"} if self.cpu_time else {})} for row, clocks, peak, (batches, runtime_s, cpu_s) in self.unwritten]
        for row in rows[:self.rows == 0]:
            row["recorded_by"] = recorded_by()
        self.file = self.file or OwnFile(self.path)
        self.file.append([list(row) for row in rows[:self.rows == 0]] + [list(row.values()) for row in rows])
        self.rows, self.unwritten, self.flushed = self.rows + len(rows), [], time.monotonic()


class OwnFile:
    """A CSV that one process writes. Another that writes it meanwhile is an error: by a lock and, as some file systems have none, by its size."""
    def __init__(self, path):
        self.path, self.size, self.file = path, 0, open(path, "ab", buffering=0)
        self.regular = os.path.isfile(path)  # others, as os.devnull, are for all
        if self.regular and not self._locked():
            warnings.warn(f"{path}: locks are missing here: a second process that records into this file is noticed only "
                          "once both have written")
        if self.regular:
            self.file.truncate(0)

    def _locked(self):
        """Whether this process has the file now. The lock goes where the process closes the file anywhere: it is taken anew each time."""
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise self._error("another process is recording into it") from None
        except (AttributeError, OSError):
            return False
        return True

    def _error(self, what):
        return RuntimeError(f"{self.path}: {what}: give each process a file of its own, or begin when the other has ended")

    def append(self, rows):
        if self.regular:
            self._locked()
            own = os.fstat(self.file.fileno())
            if not os.path.exists(self.path) or not os.path.samestat(own, os.stat(self.path)):
                raise self._error("it was removed or replaced meanwhile")
            if own.st_size != self.size:
                raise self._error("something else has written into it")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [" ".join(map(str, of)) if isinstance(of, (list, tuple)) else of for of in row] for row in rows)
        written, data = 0, text.getvalue().encode()
        while written < len(data):
            written += self.file.write(data[written:])
        self.size += written


@functools.lru_cache(maxsize=1)  # a process that was forked is another
def session(pid):
    """'p4711-1f2e3d4c', an id of this process, not of another of that number or on another machine."""
    return f"p{pid}-{os.urandom(4).hex()}"


def load():
    """How many processes ran or waited for a processor, a mean of the last minute; "" where the system does not tell."""
    with contextlib.suppress(AttributeError, OSError):
        return f"{os.getloadavg()[0]:.2f}"
    return ""


def gpu_clocks():
    """A function that returns the clocks of the job's GPU by column; no column where NVIDIA's libraries do not tell them."""
    bus, handle = ctypes.create_string_buffer(32), ctypes.c_void_p()

    def clock(kind):
        mhz = ctypes.c_uint()
        return "" if clock_of(handle, kind, ctypes.byref(mhz)) else mhz.value

    try:
        nvml, cuda = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.CDLL("libcuda.so.1")
        # By its bus, as the job may number GPUs otherwise (CUDA_VISIBLE_DEVICES).
        failed = not uses_device() or cuda.cuDeviceGetPCIBusId(bus, len(bus), torch.cuda.current_device()) or \
            nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByPciBusId_v2(bus, ctypes.byref(handle))
        clock_of = nvml.nvmlDeviceGetClockInfo
    except (OSError, AttributeError):
        failed = True
    return dict if failed else lambda: {"gpu_clock_mhz": clock(1), "gpu_memory_clock_mhz": clock(2)}


def recorded_by():
    """'date=2026-11-20T10:00:00+00:00 clock=perf_counter ...': what a file was recorded by."""
    date, clock = datetime.datetime.now(datetime.timezone.utc), time.get_clock_info("perf_counter")
    return (f"date={date.isoformat(timespec='seconds')} clock=perf_counter resolution_s={clock.resolution:g} "
            f"python={platform.python_version()} torch={torch.__version__} cuda={torch.version.cuda} hip={torch.version.hip}")


def name_of(step):
    """'sp3', a point of a plan, or 'iter:17 src_len=213 batch_size=64'."""
    if "point" in step:
        return WARM_UP if step["warmup"] else step["point"]
    return " ".join([f"iter:{step['iteration']}", *(f"{c}={step[c]}" for c in SIGNATURE[:3] if c in step)])
