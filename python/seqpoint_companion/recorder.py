"""Times the body of a training loop, and writes one row per iteration."""

import atexit
import collections
import contextlib
import functools
import os
import platform
import time
import typing

from . import caller, device, page_faults, provenance, ranks
from .batches import Batches, Pass
from .busy import BusyTime
from .check import CAUSES, BatchCheck, WrongBatch
from .memory import NoMemory, PeakMemory
from .optimizer_steps import OptimizerSteps
from .outputs import NotWritten, OwnFile, SharedFile
from .own_work import job_clocks
from .phases import Phases, as_one_step
from .plan import INTERRUPTED, PREFLIGHT, PROFILED, TRACED, WARM_UP
from .saying import NOT_WRITTEN, complain, say
from .shapes import SIGNATURE, sizes_in
from .traces import NoTraces

FREE_S = 0.1  # s, for gloo's threads, which need the interpreter to free messages


PRECISION = 0.02  # share: what `seqpoint run` aims at; smaller disturbances are not reported


RETRY_S = 5  # s between attempts to write to a full disk


MOST_WAITING = 50  # rows that wait: fewer containers than start a collection of Python (700)


NO_RANGE = contextlib.nullcontext()  # while nobody records ranges


MAKE_ROOM = "make room there; the rows before are whole"


class Times(typing.NamedTuple):
    """The times of a batch."""

    runtime_s: float
    cpu_s: float
    phases: dict = None  # seconds of each; None: not measured


class Running(typing.NamedTuple):
    """A running batch: its number in the plan or its iteration, and the columns of its row."""

    number: int
    row: dict
    wait: Times  # for the loader to deliver it


class Unwritten(typing.NamedTuple):
    """A row to be written, with all values that were read when its iteration ended."""

    row: dict
    clocks: dict
    peak_bytes: int
    device_busy: typing.Union[float, str]  # a share, or ""
    stepped: bool  # whether the optimiser has stepped in it
    times: Times


class Recorder:
    """Times the body of a training loop and names its iterations as `seqpoint project` reads them.

    Writes CSV to `path`, one row per iteration: with a plan the profile of its points, else a
    trace. signature(batch) returns the columns of a batch: {"src_len": padded length, "tgt_len": of
    pairs, "batch_size": samples}, and others. With a plan it may be omitted: BatchCheck then
    compares the batch's tensors. A batch that differs from the plan's raises WrongBatch before it
    runs. `epoch` counts loops; a plan starts again with each. profiler.step() is called after each
    batch. peak_memory=True adds peak_bytes, phases=False leaves out those of a batch's time. sync()
    waits for the job's device, if it is not PyTorch's, JAX's or TensorFlow's.
    """

    def __init__(
        self,
        path,
        signature=None,
        plan=None,
        profiler=None,
        cpu_time=True,
        peak_memory=False,
        phases=True,
        sync=None,
    ):
        if signature is None and plan is None:
            raise ValueError(
                "Recorder without a plan needs a signature(batch), to distinguish iterations"
            )
        self.path, self.signature, self.plan, self.profiler = path, signature, plan, profiler
        self.sync = sync or device.waiting()
        self.cpu_time = cpu_time and os.name != "nt"  # on Windows: 64 ticks per second
        self.check = BatchCheck(plan, signature is not None)
        self.epoch = -1  # the loop, from 0
        self.iterations = 0  # batches that have begun
        # (number, columns, batch, wait for it) of those that have not begun
        self.arrived = collections.deque()
        self.left_s = 0.0  # how long the device still worked when the last iteration ended
        self.running = self.range = self.began = None
        self.memory = PeakMemory() if peak_memory else NoMemory()
        self.busy = BusyTime()  # the device's busy time, in the execution that is profiled for it
        self.traces = NoTraces()  # of the plan's batches that are traced
        self.gpu_clocks = []  # MHz, of the plan's measured rows
        self.page_faults = page_faults.PageFaults()  # of the same rows
        self.measured_s = {}  # {(point, iteration): seconds of its last execution}
        self.interruptions = None  # Interruptions, if they are observed
        self.phases = Phases(phases)
        self.optimizer = OptimizerSteps(phases=self.phases)
        self.spare = 0  # executions that may be added to find a step's cost
        self.captures = False  # whether the GPU's profilers were told to begin
        self.file = self.clocks = None  # from the first row on
        self.rows, self.unwritten = 0, []  # number of rows in the file; pending rows
        self.one_step = False  # whether the phases of a batch could not be told apart
        self.every_s, self.flushed = 0, time.monotonic()  # maximum delay of a trace's rows
        self.most_waiting = MOST_WAITING  # rows
        self.trouble = ""  # reason of the last failed write
        self.troubled = None  # when that was, by the monotonic clock
        self.at_end = None  # called when the last batch of the plan has run, instead of close()
        self.fail = reraise  # called with an error that ends the recording
        self.has_trained = bool  # whether a batch at which its loop is left has run: not known

    def __call__(self, loader):
        """For the job's own loop: the batches of the loader; the body of the loop is timed."""
        return Batches(loader, lambda batches: Pass(self, self._timed(batches)))

    def watch(self, loader):
        """The loader's batches, examined as they arrive; the caller calls begin() and end()."""
        return Batches(loader, self._watched)

    def _timed(self, loader):
        for batch in self._watched(loader):
            self.begin()
            this = self.running
            try:
                yield batch
            except BaseException:
                if self.running is this:  # else another loop has begun
                    (self.end if self.has_trained() else self.leave)()
                raise
            if self.running is this:
                self.end()

    def leave(self):
        """Drops the running batch, if there is one, because it will not end."""
        if self.running is not None:
            self.memory.end()
            self.range.__exit__(None, None, None)
            self.busy.end()
            self.traces.leave()
            self.running = None
            self.left_s = 0.0
        self.phases.leave()
        self.optimizer.left()

    def _watched(self, loader):
        self._begin_loop(loader)
        try:
            for batch, wait in fetches(loader):
                self._arrive(batch, wait)
                yield batch
        finally:
            time.sleep(FREE_S if ranks.process()[1] > 1 else 0)
        if self.plan is not None and self.plan.delivered < self.plan.handed_out:
            raise WrongBatch(
                f"the loader took {self.plan.handed_out} batches from the plan and delivered "
                f"{self.plan.delivered}: does it deal them to processes? The plan has done that"
            )

    def _begin_loop(self, loader):
        self.leave()  # a batch that an earlier loop left did not end
        self.arrived.clear()
        self.epoch += 1
        self._stop_capture()
        self.phases.watch()
        self.optimizer.watch()
        if self.plan is None:
            return
        self._allow_more_batches()
        self.plan.require_rows_in(getattr(loader, "dataset", None))
        if not getattr(loader, "in_order", True):
            raise WrongBatch(
                "the loader delivers batches in any order, the plan has one: leave out "
                "in_order=False"
            )

    def _allow_more_batches(self):
        """To find the cost of an optimiser's step, a plan may run a quarter more batches.

        `seqpoint select` includes these executions in its price.
        """
        atexit.register(self._close_at_exit)
        if self.optimizer.optimisers:
            self.spare = len(self.plan.steps) // 4
        if self.plan.steady is not None:
            self.plan.steady.patience = self.spare

    def _arrive(self, batch, wait):
        """Registers a batch that the loader has delivered."""
        columns = self.signature(batch) if self.signature else None
        number = None
        if self.plan is not None:
            try:
                columns = self._columns_of_plan(batch, columns)
            except (WrongBatch, ranks.NotTogether, SharedFile) as error:
                self.fail(error)
            number = self.plan.delivered - 1
        self.arrived.append((number, columns, batch, wait))

    def _columns_of_plan(self, batch, found):
        """The columns of a delivered batch. Raises WrongBatch if it differs from the plan's."""
        plan, number = self.plan, self.plan.delivered
        looked = sizes_in(batch) if found is None else only_signature(found)
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
        plan.delivered, step = number + 1, plan.step(number)
        fault = self.check.fault(step, batches)
        if fault:
            raise WrongBatch(self._wrong_batch_text(step, number, fault, looked or type(batch)))
        return self._row_of_step(step, found or {})

    @functools.cached_property
    def place(self):
        """Identifies the output file, to detect that two processes write the same one."""
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

    def begin(self, batch=None):
        """A delivered batch begins to run, and earlier ones are dropped. None: the first."""
        self.leave()
        self._skip_to(batch)
        number, row, _, wait = self.arrived.popleft()
        if self.plan is None:
            number = self.iterations
            row = {"iteration": number, "epoch": max(self.epoch, 0), **row}
            self.iterations += 1
        self.running = Running(number, row, wait)
        self._start_capture(row)
        self.sync()
        if row.get("execution") == PROFILED:
            self.busy.begin()
        elif row.get("execution") == TRACED:
            self.traces.begin()
        self.range = self._range_of(row)
        self.range.__enter__()
        self.memory.begin()
        if self.plan is not None:
            self.page_faults.begin()
        cpu_s = time.process_time()  # outside the timed section
        self.began = time.perf_counter(), cpu_s
        self.phases.begin(self.began[0])

    def _skip_to(self, batch):
        if batch is None or not any(of is batch for _, _, of, _ in self.arrived):
            return
        while self.arrived[0][2] is not batch:
            self.arrived.popleft()
            self.iterations += 1

    def _range_of(self, row):
        if device.traced():
            return device.named(name_of(self._settled(row)))
        return NO_RANGE

    def end(self):
        """The running batch has ended."""
        if self.running is None:
            return  # its loop was left
        launched = time.perf_counter()
        self.sync()  # before the range ends: the host's time is then the device's as well
        ended, cpu_s = time.perf_counter(), time.process_time()
        times = self._with_wait(Times(ended - self.began[0], cpu_s - self.began[1]))
        self.left_s = ended - launched
        if self.plan is not None:
            self.page_faults.end()
        peak = self.memory.end()
        self.range.__exit__(None, None, None)
        self.busy.end()
        (number, row, _), self.running = self.running, None
        if row.get("execution") == TRACED:
            self.traces.end(row["point"])
        if self.plan is not None:
            self.plan.ran = number + 1
            if number >= self.plan.last_measured():
                self._stop_capture()
        self._record(number, row, times, peak)
        if self.profiler is not None:
            self.profiler.step()
        if self.plan is not None and number + 1 == self.plan.batches():
            (self.at_end or self.close)()

    def _with_wait(self, times):
        """The times of the running batch with the wait for it, during which the device works on.

        So in a steady loop an iteration takes the longer of what the host and the device need.
        """
        wait = self.running.wait
        wait_s = max(wait.runtime_s - self.left_s, 0)
        phases = self.phases.end(wait_s, times.runtime_s)
        return Times(times.runtime_s + wait_s, times.cpu_s + wait.cpu_s, phases)

    def _start_capture(self, row):
        measures = self.plan is not None and not row["warmup"]
        if measures and not self.captures and device.uses_device():
            self.captures = True
            device.start_profilers()

    def _stop_capture(self):
        if self.captures:
            self.captures = False
            device.stop_profilers()

    def _record(self, number, row, times, peak):
        stepped = self.optimizer.take()
        if row.get("point") == PREFLIGHT or row.get("execution") == TRACED:
            return
        row = self._interrupted(number, row, times.runtime_s)
        if self.plan is not None and not row.get("interrupted"):
            self._ran(number, times, stepped)
        if row.get("execution") == PROFILED and not self.busy.known():
            return
        ended = getattr(self.signature, "ended", dict)(row)
        self.clocks = self.clocks or device.Clocks()
        busy = self._device_busy(row, times.runtime_s)
        clocks = self.clocks.columns()
        if row.get("execution") == "measured":
            self.page_faults.add(times.runtime_s)
            if clocks.get("gpu_clock_mhz"):
                self.gpu_clocks.append(clocks["gpu_clock_mhz"])
        self.unwritten.append(Unwritten(ended, clocks, peak, busy, stepped, times))
        if not self._waits(number, row):
            self.flush()

    def _ran(self, number, times, stepped):
        """Registers a batch of the plan that ran without interruption."""
        if self.plan.warms_up(number):
            self.plan.steady.add(times.runtime_s, stepped)
            self.spare -= 1
        lacks_other = stepped and self.optimizer.accumulate() and self.plan.is_only_one(number)
        if lacks_other and self.spare > 0:
            self.spare -= 1
            self.plan.want_again(number)

    def _interrupted(self, number, row, seconds):
        """The row, marked if other work interrupted it; a plan then runs its batch again."""
        if self.interruptions is None:
            return row
        kind = self.interruptions.take(seconds)
        if kind and self.plan is not None and kind not in self.interruptions.routine:
            self.plan.want_again(number)
            row.update(warmup=1, execution=INTERRUPTED)
        row["interrupted"] = kind
        return row

    def _device_busy(self, row, runtime_s):
        """The device's busy share of the time that the batch took without the profiler.

        The profiler slows the host, so the profiled time would make the share too small.
        """
        if self.plan is None:
            return ""
        key = row["point"], row["iteration"]
        if row["execution"] != PROFILED:
            self.measured_s[key] = runtime_s
            return ""
        return f"{min(self.busy.seconds / self.measured_s.get(key, runtime_s), 1):.6f}"

    def _waits(self, number, row):
        """Whether rows are held back: with a plan, until every point has run once.

        They are also held back until the plan's end while the cost of an optimiser's step is
        unknown.
        """
        if self.plan is not None:
            if self.optimizer.accumulate():
                return True
            if row["execution"] == PROFILED:
                return False
            settled = not row["warmup"] and number >= self.plan.all_seen
        else:
            settled = getattr(self.signature, "settled", True)
        if not settled:
            return True
        few = len(self.unwritten) < self.most_waiting
        return few and time.monotonic() - self.flushed < self.every_s

    def flush(self):
        """Writes the pending rows. On a full disk they stay pending, and the loop continues."""
        if not self.unwritten or (self.troubled and time.monotonic() - self.troubled < RETRY_S):
            return
        try:
            self._write()
            self.troubled = None
        except SharedFile as error:
            self.fail(error)
        except NotWritten as error:
            self._note_trouble(error)

    def _write(self):
        """Appends the pending rows, at first with a header. They stay pending if that fails."""
        conditions = conditions_now()
        if self.rows == 0:
            self.one_step = not self.phases.told_apart
        rows = [self._row(batch, conditions) for batch in self.unwritten]
        if self.rows == 0 and rows:
            rows[0]["recorded_by"] = provenance.recorded_by()
        header = [list(rows[0])] if self.rows == 0 and rows else []
        self.file = self.file or OwnFile(self.path)
        self.file.append(header + [list(row.values()) for row in rows])
        self.rows, self.unwritten, self.flushed = self.rows + len(rows), [], time.monotonic()

    def _note_trouble(self, error):
        if not self.trouble:
            atexit.register(self._close_at_exit)
            say(
                f"warning: {self.path} cannot be written ({error.strerror}): the job goes on, and "
                "rows wait in memory until there is room"
            )
        self.trouble, self.troubled = error.strerror, time.monotonic()

    def close(self):
        """Writes the pending rows. Returns an error message if that fails, or ""."""
        atexit.unregister(self._close_at_exit)
        self.troubled = None
        if self.plan is not None and self.unwritten:
            self._settle_steps()
        self.flush()
        if self.gpu_clocks:
            self._report_clocks()
        self._report_page_faults()
        if not self.troubled:
            return ""
        return f"{self.path}: {len(self.unwritten)} rows could not be written: {self.trouble}"

    def _settle_steps(self):
        runs = [(key_of(batch.row), batch.stepped, batch.times) for batch in self.unwritten]
        line = self.optimizer.settle(runs)
        if line:
            say(line)

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

    def _report_page_faults(self):
        share, self.page_faults = self.page_faults.share(), page_faults.PageFaults()
        if share > PRECISION and not page_faults.is_advice_followed():
            say(
                f"warning: page faults take {100 * share:.0f} % of a measured batch, maybe less in "
                f"an epoch; set {page_faults.ADVICE}",
                of_result=True,
            )

    def complete(self):
        """Whether every point of the plan has run once."""
        return self.plan is None or self.plan.ran > self.plan.all_seen

    def _close_at_exit(self):
        """Called at the end of a process that did not close the recorder."""
        wanted = (self.troubled or self.complete()) and not caller.is_gone(now=True)
        lost = self.close() if wanted else ""
        if lost:
            complain(lost, MAKE_ROOM, NOT_WRITTEN)

    def _settled(self, row):
        """The row with the columns that a signature could not decide when the batch arrived."""
        return getattr(self.signature, "settle", dict)(row)

    def _row(self, batch, conditions):
        row = {**self._settled(batch.row), **conditions, **batch.clocks}
        if isinstance(self.memory, PeakMemory):
            row["peak_bytes"] = batch.peak_bytes
        if self.plan is not None and device.uses_device():
            row["device_busy"] = batch.device_busy
        times = self.optimizer.shared(batch.stepped, batch.times)
        row["runtime_s"] = f"{times.runtime_s:.9f}"
        if self.cpu_time:
            row["cpu_s"] = f"{times.cpu_s:.9f}"
        if times.phases:
            phases = as_one_step(times.phases) if self.one_step else times.phases
            row.update({column: f"{seconds:.9f}" for column, seconds in phases.items()})
        return row


def conditions_now():
    """The columns that rows written together have in common."""
    return {
        "host": platform.node(),
        "device": device.name(),
        "session": provenance.session(),
        "recorded_by": "",
        "load": provenance.load(),
    }


def key_of(row):
    """(iteration, whether it is a first or interrupted execution): equal keys are comparable."""
    return row["iteration"], row["execution"] in ("first", INTERRUPTED)


def reraise(error):
    raise error


def only_signature(columns):
    return {column: columns[column] for column in SIGNATURE if column in columns}


def fetches(loader):
    """(batch, the wait for it) of a pass. The first wait counts as 0: it is the loader's start."""
    batches, waits = iter(loader), False
    while True:
        began = job_clocks()
        try:
            batch = next(batches)
        except StopIteration:
            return
        now = job_clocks()
        wait = Times(now[0] - began[0], now[1] - began[1])
        yield batch, wait if waits else Times(0.0, 0.0)
        waits = True


def name_of(row):
    """'sp3', a point of a plan, or 'iter:17 src_len=213 batch_size=64'."""
    if "point" in row:
        warms_up = row["warmup"] and row.get("execution") != TRACED
        return WARM_UP if warms_up else row["point"]
    lengths = [f"{column}={row[column]}" for column in SIGNATURE[:3] if column in row]
    return " ".join([f"iter:{row['iteration']}", *lengths])
