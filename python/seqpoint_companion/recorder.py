"""Times the body of a training loop, and writes one row per iteration."""

import atexit
import collections
import contextlib
import time
import typing

from . import caller, device, ranks
from .batches import Batches, Pass
from .busy import BusyTime
from .check import WrongBatch
from .measured_plan import MeasuredPlan, key_of
from .memory import PeakMemory
from .optimizer_steps import OptimizerSteps
from .outputs import SharedFile
from .own_work import job_clocks
from .phases import Phases, as_one_step
from .plan import INTERRUPTED, PREFLIGHT, PROFILED, TRACED, WARM_UP
from .recorded_rows import RecordedRows, Times, Unwritten
from .saying import NOT_WRITTEN, complain, say
from .shapes import SIGNATURE
from .traces import Traces

FREE_S = 0.1  # s, for gloo's threads, which need the interpreter to free messages
NO_RANGE = contextlib.nullcontext()  # while nobody records ranges
MAKE_ROOM = "make room there; the rows before are whole"


class Running(typing.NamedTuple):
    """A running batch: its number in the plan or its iteration, and the columns of its row."""

    number: int
    row: dict
    wait: Times  # for the loader to deliver it


class Recorder:
    """Times the body of a training loop and names its iterations as `seqpoint project` reads them.

    Writes CSV to `path`, one row per iteration: with a plan the profile of its points, else a batch
    list with times. signature(batch) returns the columns of a batch: {"src_len": padded length,
    "tgt_len": of pairs, "batch_size": samples}, and others. With a plan it may be omitted:
    BatchCheck then compares the batch's tensors. A batch that differs from the plan's raises
    WrongBatch before it runs. `epoch` counts loops; a plan starts again with each. profiler.step()
    is called after each batch. peak_memory=True adds peak_bytes, phases=False leaves out those of a
    batch's time. sync() waits for the job's device, if it is not PyTorch's, JAX's or TensorFlow's.
    """

    def __init__(
        self,
        path,
        signature=None,
        plan=None,
        profiler=None,
        *,
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
        self.measured = None
        if plan is not None:
            self.measured = MeasuredPlan(plan, path, signature is not None)
        self.epoch = -1  # the loop, from 0
        self.iterations = 0  # batches that have begun
        # (number, columns, batch, wait for it) of those that have not begun
        self.arrived = collections.deque()
        self.first_wait_counts = False  # the wait for the first batch of a pass
        self.left_s = 0.0  # how long the device still worked when the last iteration ended
        self.running = self.range = self.began = None
        self.memory = PeakMemory(peak_memory)
        self.busy = BusyTime()  # the device's busy time, in the execution that is profiled for it
        self.traces = Traces()  # of the plan's batches that are traced
        self.interruptions = None  # Interruptions, if they are observed
        self.phases = Phases(phases)
        self.optimizer = OptimizerSteps(phases=self.phases)
        self.captures = False  # whether the GPU's profilers were told to begin
        self.clocks = None  # the GPU's, from the first row on
        self.rows = RecordedRows(path)
        self.one_step = False  # whether the phases of a batch could not be told apart
        self.duet = None  # Duet: another build runs the same plan in turns with this one
        self.at_end = None  # called when the last batch of the plan has run, instead of close()
        self.fail = reraise  # called with an error that ends the recording
        self.has_trained = bool  # whether a batch at which its loop is left has run: not known

    def __call__(self, loader):
        """For the job's own loop: the batches of the loader; the body of the loop is timed."""
        return Batches(loader, lambda batches: Pass(self, self._timed(batches), batches))

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
            for batch, wait in fetches(loader, self.first_wait_counts):
                self._arrive(batch, wait)
                yield batch
        finally:
            time.sleep(FREE_S if ranks.process()[1] > 1 else 0)
        if self.measured:
            self.measured.end_loop()

    def _begin_loop(self, loader):
        self.leave()  # a batch that an earlier loop left did not end
        self.arrived.clear()
        self.epoch += 1
        self._stop_capture()
        self.phases.watch()
        self.optimizer.watch()
        if self.measured:
            self.measured.begin_loop(loader, self.optimizer, self._close_at_exit)

    def _arrive(self, batch, wait):
        """Registers a batch that the loader has delivered."""
        number, columns = None, self.signature(batch) if self.signature else None
        try:
            if self.measured:
                number, columns = self.measured.arrive(batch, columns)
        except (WrongBatch, ranks.NotTogether, SharedFile) as error:
            self.fail(error)
        self.arrived.append((number, columns, batch, wait))

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
        if self.running is None:
            return  # its loop was left
        launched = time.perf_counter()
        self.sync()  # before the range ends: the host's time is then the device's as well
        ended, cpu_s = time.perf_counter(), time.process_time()
        times = self._with_wait(Times(ended - self.began[0], cpu_s - self.began[1]))
        self.left_s = ended - launched if device.works_beside_host() else 0.0
        if self.measured:
            self.measured.end(self.running.number)
        peak = self.memory.end()
        self.range.__exit__(None, None, None)
        self.busy.end()
        (number, row, _), self.running = self.running, None
        if row.get("execution") == TRACED:
            self.traces.end(row["point"])
        if self.measured and self.measured.is_after_measuring(number):
            self._stop_capture()
        self._record(number, row, times, peak)
        if self.profiler is not None:
            self.profiler.step()
        if self.measured and self.measured.is_over():
            (self.at_end or self.close)()
        if self.duet is not None:
            self.duet.batch_has_run(self.plan)

    def _with_wait(self, times):
        """The times of the running batch with the wait for it, during which the device works on.

        So in a steady loop an iteration takes the longer of what the host and the device need.
        """
        wait = self.running.wait
        wait_s = max(wait.runtime_s - self.left_s, 0)
        phases = self.phases.end(wait_s, times.runtime_s)
        return Times(times.runtime_s + wait_s, times.cpu_s + wait.cpu_s, phases)

    def _start_capture(self, row):
        is_measured = self.measured and not row["warmup"]
        if is_measured and not self.captures and device.uses_device():
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
        if self.measured:
            self.measured.add(number, row, times, stepped, self.optimizer)
        if row.get("execution") == PROFILED and not self.busy.profiled:
            return
        ended = getattr(self.signature, "ended", dict)(row)
        self.clocks = self.clocks or device.Clocks()
        clocks, busy = self.clocks.columns(), ""
        settled = getattr(self.signature, "settled", True)
        if self.measured:
            busy = self.measured.busy_share(row, times.runtime_s, self.busy.seconds)
            self.measured.note_conditions(row, times.runtime_s, clocks)
            settled = self.measured.settled(number, row, self.optimizer)
        if self.rows.add(Unwritten(ended, clocks, peak, busy, stepped, times), settled):
            self.flush()

    def _interrupted(self, number, row, seconds):
        """The row, marked if other work interrupted it; a plan then runs its batch again."""
        if self.interruptions is None:
            return row
        kind = self.interruptions.take(seconds)
        again = kind and kind not in self.interruptions.routine
        if self.measured and again:
            self.plan.want_again(number)
            row.update(warmup=1, execution=INTERRUPTED)
        row["interrupted"] = kind
        return row

    def flush(self):
        """Writes the rows that wait. On a full disk they wait on, and the loop continues."""
        troubled_before = bool(self.rows.trouble)
        try:
            self.rows.flush(self._cells)
        except SharedFile as error:
            self.fail(error)
        if self.rows.trouble and not troubled_before:
            atexit.register(self._close_at_exit)

    def close(self):
        """Writes the rows that wait. Returns an error message if that fails, or ""."""
        atexit.unregister(self._close_at_exit)
        self.rows.troubled = None
        if self.measured and self.rows.waiting:
            runs = [(key_of(of.row), of.stepped, of.times) for of in self.rows.waiting]
            line = self.optimizer.settle(runs)
            if line:
                say(line)
        self.flush()
        if self.measured:
            self.measured.report()
        return self.rows.lost()

    def complete(self):
        """Whether every point of the plan has run once."""
        return self.measured is None or self.measured.is_complete()

    def _close_at_exit(self):
        """Called at the end of a process that did not close the recorder."""
        wanted = (self.rows.troubled or self.complete()) and not caller.is_gone(now=True)
        lost = self.close() if wanted else ""
        if lost:
            complain(lost, MAKE_ROOM, NOT_WRITTEN)

    def _settled(self, row):
        """The row with the columns that a signature could not decide when the batch arrived."""
        return getattr(self.signature, "settle", dict)(row)

    def _cells(self, batch, conditions):
        if self.rows.written == 0:
            self.one_step = not self.phases.told_apart
        row = {**self._settled(batch.row), **conditions, **batch.clocks}
        if self.memory.on:
            row["peak_bytes"] = batch.peak_bytes
        if self.plan is not None and device.uses_device():
            row["device_busy"] = batch.device_busy
        times = self.optimizer.shared(batch.stepped, batch.times)
        row["runtime_s"] = f"{times.runtime_s:.9f}"
        row["cpu_s"] = f"{times.cpu_s:.9f}"
        if times.phases:
            phases = as_one_step(times.phases) if self.one_step else times.phases
            row.update({column: f"{seconds:.9f}" for column, seconds in phases.items()})
        return row


def reraise(error):
    raise error


def fetches(loader, waits=False):
    """(batch, the wait for it) of a pass. The first wait counts as 0: it is the loader's start.

    waits=True: it counts, as where no loader starts.
    """
    batches = iter(loader)
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
