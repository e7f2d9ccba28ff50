"""Makes the job run the batches of a plan, then a stretch of its epoch, then ends it."""

import functools
import os
import time

import torch

from .. import duet, ranks, report, untrained
from ..asking import attribute, copy_of, has
from ..check import CAUSES, WrongBatch
from ..kept_batches import KeptBatches
from ..own_work import OWN_WORK
from ..plan import Plan, rows_of_rank
from ..plan_file import NoPlan, read_plan
from ..saying import WRONG_INPUT, attempt, exception_of_job, give_up, say, warn_of_left
from ..shapes import SIGNATURE
from ..traces import Traces
from . import frameworks, other_work, stretch, surroundings
from .base import Held
from .batch_columns import Columns
from .other_samples import OtherSamples, batches_for
from .position import REDRAWN, REDRAWS, WITHOUT_CHECKPOINT, rows_in
from .timed_loop import Record, refuse_batch

WHOLE_EPOCHS = (
    "points need lengths that depend on the rows alone; `seqpoint run -o NEWFOLDER --record` times "
    "a whole epoch"
)
MOST_WAITING = 100  # batches of a stream that are held until it is known which axes are lengths


class Measure(Record):
    leaves_out = False
    outcome = "left out"

    def __init__(self, options):
        super().__init__(options)
        self.kept = {}  # {position in the plan: batch} for an IterableDataset
        self.epoch = []  # [rows of each rank] of each batch of the job's epoch, once it was walked
        self.waiting = 0  # batches from before the plan that a framework has not begun
        self.raised = False  # whether an exception of the job has ended a pass over the plan
        self.begun_s = 0.0  # when the plan began
        self.duet = duet.of_this_process()
        self.backwards = 0  # backward passes before it
        self.stretch_path = os.environ.get("SEQPOINT_STRETCH")
        self.lengths = {}  # of all batches, if those that come are drawn anew
        self.has_others = False  # whether rows are other samples than in the order
        self.whole = None  # for the stretch: what the sampler of this rank delivers in an epoch
        self.stretch = None  # its recorder
        self.left_after = None  # batches, if the job's loop left a pass before the plan's end

    def hold(self, loop):
        """The job's own batches until it trains, then the plan's, then the stretch's."""
        if self.recorder is None:
            loop.kept, loop.columns = [], Columns(loop, asks_at_end=True)
            loop.wanted = positions_in(self.options.plan) if loop.streams else set()
            self.waiting = 0
            self.tell_recorder(loop.trainer)
            yield from self.let_through(loop)
            if self.elected is not loop:
                return
            loop.batches.close()
        else:
            self.require_no_other_try()
            self.report_left(loop)
            if self.stretch is not None:  # the job's loop is shorter than it
                self.end_of_plan()
        yield from self.run_all(loop)

    def run_all(self, loop):
        """The plan's batches, then the stretch's."""
        self.in_pass = True
        try:
            yield from self.run_plan(loop)
            if self.whole:
                yield from self.run_stretch(loop)
        except BaseException as error:
            self.raised = surroundings.is_raised(error, loop.taker)
            raise
        finally:
            self.in_pass = False
            if not self.kept:
                self.left_after = loop.taken(self.training.backwards)

    def require_no_other_try(self):
        """Ends a job that has caught an exception at a planned batch, and begins its loop again."""
        if self.raised:
            give_up(
                f"the job has caught an exception at a batch of {self.elected.name}, and tries "
                "again: its epoch is that of its last try",
                "start it with what its last try has, such as the batch size; or let "
                "`seqpoint run -o NEWFOLDER --record` time whole epochs",
                WRONG_INPUT,
            )

    def report_left(self, loop):
        """The job comes round again: says if its loop has left the pass before early."""
        after, of = self.left_after, loop.most or loop.length
        self.left_after = None
        if after and of and after < of:
            warn_of_left(loop.name, after, of)

    def see(self, loop, batch):
        self.waiting += 1
        if loop in self.beside:
            loop.require_one_shape(self.elected)
        if loop.streams:
            row = attempt(loop.columns, batch)[0]
            if loop.fetched - 1 in loop.wanted:
                loop.kept.append((loop.fetched - 1, row, copy_of(batch)))

    # --- frameworks -------------------------------------------------------------------------------

    def recorders(self):
        return [self.recorder, self.stretch]

    def begin(self, batch=None):
        """A framework begins an iteration: of the plan, of the stretch, or from before them."""
        if ranks.are_left():
            return
        recorders = [
            recorder for recorder in self.recorders() if recorder is not None and recorder.arrived
        ]
        own = [
            recorder
            for recorder in recorders
            if any(batch is arrived[2] for arrived in recorder.arrived)
        ]
        self.timer = None
        if not own and self.waiting:
            self.waiting -= 1
        elif recorders:
            self.timer = (own or recorders)[0]
            self.timer.begin(batch)

    # --- the plan ---------------------------------------------------------------------------------

    def found(self, loop):
        self.require_in_turn(loop)
        for other in self.beside:
            other.require_one_shape(loop)
        if loop.resumed:
            give_up(
                f"{loop.name} goes on from a checkpoint, after batch {loop.resumed}: the rest of "
                "an epoch is not the epoch",
                WITHOUT_CHECKPOINT,
                WRONG_INPUT,
            )
        try:
            self._read_plan(loop)
        except ValueError as error:
            give_up(error, status=WRONG_INPUT)
        signature = self._keep_plan(loop) if loop.streams else Columns(loop).signature
        self.lengths = self.planned_lengths(loop)
        self._make_recorder(signature)
        other_work.watch(self.note_interruption)
        if self.stretch_path:
            self._prepare_stretch(loop)

    def _make_recorder(self, signature):
        path = self._path(self.options.output)
        self.recorder = self.recorder_into(path, signature, self.plan)
        if self.options.traces:
            stem = os.path.splitext(os.path.basename(path))[0]
            self.recorder.traces = Traces(self.options.traces, stem)
        self.recorder.at_end, self.recorder.fail = self.plan_has_run, self.refuse_batch
        self.recorder.measured.check.any_length = bool(self.lengths)
        self.recorder.measured.check.exact = self.options.exact

    def refuse_batch(self, error):
        """Names the cause if a batch cannot have the plan's lengths: they are drawn anew."""
        loop = self.elected
        if isinstance(error, WrongBatch) and attempt(loop.read_again, REDRAWN)[0]:
            give_up(
                f"{REDRAWS.format(loop.name)}, and points are of the lengths that came first",
                "let this job make its order anew, which counts its batches as one shape",
                WRONG_INPUT,
            )
        if self.options.exact and isinstance(error, WrongBatch) and self.may_have_others(loop):
            raise OtherSamples(str(error).replace(f"\n{CAUSES}", "")) from error
        if self.options.exact:
            give_up(str(error).replace(f"\n{CAUSES}", ""), WHOLE_EPOCHS, WRONG_INPUT)
        refuse_batch(error)

    def _path(self, path):
        rank = ranks.process()[0]
        stem, suffix = os.path.splitext(path)
        return f"{stem}.rank{rank}{suffix}" if rank else path

    def _read_plan(self, loop, without=()):
        rows_of = functools.partial(self._rows_of, loop)
        traced = bool(self.options.traces)
        self.plan = Plan(
            self.options.plan, rows_of=rows_of, until_steady=True, traced=traced, without=without
        )
        if not all(step["rows"] for step in self.plan.steps):
            samples = sum(len(rows) for by_rank in self.epoch for rows in by_rank)
            raise ValueError(
                f"{self.options.plan} is of a longer epoch, with "
                f"{self.plan.steps[0].get('batch_size')} samples a batch: this job's has "
                f"{len(self.epoch)} batches, {samples} rows: start it with the plan's batch size "
                "and data set"
            )
        self._require_size(loop.loader)
        self.plan.require_rows_in(loop.dataset)

    def _rows_of(self, loop, iteration):
        """[rows of each rank] of an iteration by the job's sampler; for a stream, its position."""
        number = ranks.process()[1]
        if loop.streams:
            return [[iteration]] * number
        self.epoch = self.epoch or loop.rows()
        return self.epoch[iteration] if iteration < len(self.epoch) else [[]] * number

    def _require_size(self, loader):
        """Checks that the plan's batches are as large as the job's, if the job's have one size.

        A plan that contains only the short last batch is also valid.
        """
        own = attribute(loader, "batch_sampler")
        splits = attribute(own, "split_batches", False) is True
        own = attribute(own, "batch_sampler", own)  # accelerate's has another in it, of all ranks
        if self.streams or splits or type(own) is not torch.utils.data.BatchSampler:
            return
        plan = self.plan
        sizes = {step["iteration"]: len(rows_of_rank(step, plan.rank)) for step in plan.steps}
        largest = max(sizes.values())
        if largest > own.batch_size or (largest < own.batch_size and len(sizes) > 1):
            raise ValueError(
                f"{plan.path} has batches of {largest} samples, this job has a batch size of "
                f"{own.batch_size}: start it with the plan's, or make order, points and plan again "
                "with this one"
            )

    def _keep_plan(self, loop):
        """Reads the stream up to the plan's last batch, and keeps batches for the plan.

        Returns their signature.
        """
        wanted = {step["iteration"]: step["rows"] for step in self.plan.steps}
        if any(set(rows) != {at} for at, rows in wanted.items()):
            give_up(
                f"rows of {type(self.dataset).__name__}, an IterableDataset, cannot be chosen: "
                "select from the trace of `order --lengths`, and plan without manifests"
            )
        for step in self.plan.steps:
            step["heaviest_rank"] = 0  # all ranks report the lengths of the heaviest
        columns = loop.columns
        kept, waiting = KeptBatches(self.plan.steps, copy_of), []
        for place, row, batch in loop.kept:
            if columns.ranks > 1 or row is None:  # each rank knows its own lengths alone
                kept.batches[place] = batch
            else:
                waiting.append((place, row, batch))
        columns.asks_at_end = False
        while loop.fetched <= kept.last():
            batch = next(loop.batches, None)
            if batch is None:
                break
            waiting.append((loop.fetched - 1, columns(batch), batch))
            # Until the axes are chosen, those of the first batches may be others by chance.
            if columns.signature or columns.lengths.ways or len(waiting) >= MOST_WAITING:
                keep_all(kept, columns, waiting)
        lengths = columns.lengths
        lengths.ways = columns.signature or lengths.ways or lengths.found()
        keep_all(kept, columns, waiting)
        if loop.fetched <= kept.last() and not kept.another_draw:
            give_up(
                f"{self.options.plan} is of a longer epoch: this one has {loop.fetched} batches"
            )
        if kept.another_draw:
            report.tell("another draw")
        missing = kept.missing()
        if missing:
            self._read_plan(loop, missing)
        self.kept = kept.batches
        return functools.partial(signature_of_kept, columns)

    def may_have_others(self, loop):
        """Whether batches of the plan's lengths may be looked for in the job's own epoch."""
        if self.recorder.rows.written or self.has_others or "src_len" not in self.plan.steps[0]:
            return False
        return not loop.streams and ranks.process()[1] == 1 and self.duet is None

    def find_others(self, loop, fault):
        """Gives the plan batches of its lengths, as rows are other samples than in the order."""
        self.has_others = True
        batches = batches_for(self.plan, loop, self.watched)
        if not batches:
            give_up(fault, WHOLE_EPOCHS, WRONG_INPUT)
        planned = {step["iteration"] for step in self.plan.steps}
        try:
            self._read_plan(loop, planned - batches.keys())
        except ValueError as error:
            give_up(error, WHOLE_EPOCHS, WRONG_INPUT)
        for step in self.plan.steps:
            index, lengths = batches[step["iteration"]]
            step["rows"] = rows_in(index)
            step.update({name: lengths[name] for name in SIGNATURE if name in step})
        self.begun_s = 0.0
        self.recorder.leave()  # the first batches may have had the planned lengths by chance
        self.recorder.rows.drop()
        self._make_recorder(self.recorder.signature)
        report.tell("another draw")
        say(
            f"{loop.name}: rows are other samples than in the order (a random split without a "
            "seed?): points are batches of nearly the same lengths",
            of_result=True,
        )

    def run_plan(self, loop):
        try:
            yield from self.planned(loop)
        except OtherSamples as other:
            self.find_others(loop, str(other))
            yield from self.planned(loop)

    def planned(self, loop):
        """The plan's batches, from where an earlier pass has left it."""
        loop.given, self.plan.start, loop.strayed = self.plan, self.plan.ran, True
        self.begun_s = self.begun_s or self.begin_plan()
        self.backwards = self.backwards or self.training.backwards
        accumulated = frameworks.accumulation_of(loop.trainer)
        if loop.trainer is not None or accumulated > 1:  # else a loop may accumulate by itself
            self.recorder.optimizer.batches = accumulated
        yield from self.timed(self.recorder, loop, self.watched(loop))

    def begin_plan(self):
        """In a duet, waits for the other one. Returns the time."""
        if self.duet is not None:
            self.duet.begin(self.recorder)
        return duet.clock(self.duet)

    def indices(self, loop, loader, own):
        if loop.given is None or loop.given is not self.plan:
            yield from loop.indices(own)
        else:
            # If the data set makes batches itself, a batch is one row, not several.
            single = not loader._auto_collation and not has(loop.sampled[0], "__iter__")
            for rows in self.plan:
                yield rows[0] if single else rows

    def fetch(self, loop):
        if loop.given is not self.plan or not self.kept:
            yield from super().fetch(loop)
            return
        for rows in self.plan:
            with OWN_WORK:
                batch = copy_of(self.kept[rows[0]])
            yield batch

    def number_of_batches(self, loop):
        if loop.given is None:
            return super().number_of_batches(loop)
        return len(self.plan.steps if loop.given is self.plan else loop.given)

    # --- the stretch ------------------------------------------------------------------------------

    def _prepare_stretch(self, loop):
        """Walks the epoch of this rank. Without rows on all ranks there will be no stretch."""
        whole = None if loop.streams else loop.whole()
        if all(ranks.of_all_processes(bool(whole), "the batches of an epoch")):
            self.whole = whole
            if self.draws_others(whole):
                report.tell("another draw")
        else:
            say(
                f"{loop.name}: no consecutive batches are measured after the plan, because they "
                "cannot be chosen",
                of_result=True,
            )

    def draws_others(self, whole):
        """Whether iterations of the plan have other rows in this start's own epoch."""
        return any(
            rows_in(whole[step["iteration"]]) != rows_of_rank(step, self.plan.rank)
            for step in self.plan.steps
            if step["iteration"] < len(whole)
        )

    def plan_has_run(self):
        if self.whole:
            self.recorder.close()  # a job that ends in the stretch has its rows
        else:
            self.end_of_plan()

    def run_stretch(self, loop):
        """Consecutive batches of the epoch, after a few that bring the loader into its stride."""
        recorder = self.recorder
        measured_s = list(recorder.measured.measured_s.values())
        per_step = recorder.optimizer.settled_per_step()
        plan_s = duet.clock(self.duet) - self.begun_s
        number = stretch.number_of(plan_s, measured_s, per_step)
        number = ranks.of_all_processes(number, "the end of the plan")[0]
        before = min(max(loop.loader.num_workers, 1), stretch.MOST_BEFORE)
        epoch = len(self.whole)
        before, first, number = stretch.place_of(self.plan.process or 0, number, before, epoch)
        path = self.stretch_path if ranks.process()[0] == 0 else os.devnull
        loop.given = self.whole[first - before : first + number]
        loop.noted.clear()
        signature = Columns(loop, asks_at_end=True, planned=self.lengths)
        signature.lengths.ways = recorder.measured.check.exact_axes()
        self.stretch = self.recorder_into(path, signature, kind=stretch.StretchRecorder)
        self.stretch.begin_at(first, number, before)
        yield from self.timed(self.stretch, loop, self.watched(loop))

    # --- the end ----------------------------------------------------------------------------------

    def leave(self):
        super().leave()
        if self.stretch is not None:
            self.stretch.leave()

    def end_of_plan(self):
        if self.training.backwards == self.backwards:
            give_up(
                f"no batch of the plan from {self.elected.name} had a backward pass",
                untrained.NO_TRAINING,
            )
        super().end_of_plan()

    def close(self):
        if self.stretch is not None and self.stretch.is_complete():
            self.stretch.close()
        if self.duet is not None:
            self.duet.leave()
        return super().close()

    def finish(self):
        status = Held.finish(self)
        if status or self.ended:
            return status
        if self.plan.ran == len(self.plan.steps):
            say("the job ended in the stretch of consecutive batches after its plan")
            return self.close()
        if self.recorder.complete():
            self.recorder.close()
        return untrained.missing(*self._why_it_ended())

    def _why_it_ended(self):
        """(fault, hint) of a job that ended before its plan."""
        ran = f"{self.plan.ran} of {len(self.plan.steps)} batches of the plan had run"
        error = exception_of_job()
        if error:
            return f"the job ended by {error}: {ran}", ""
        loop, after = self.elected, self.left_after
        if not after or after >= (loop.most or loop.length or after + 1):
            return f"the job ended before its plan: {ran}", ""
        return (
            f"the job has left {loop.name} after {after} batches, and ended before its plan: {ran}",
            f"--batches {after} makes that an epoch",
        )


def positions_in(path):
    """The iterations of a plan's steps; none if it is no plan, which is reported later."""
    try:
        return {step["iteration"] for step in read_plan(path)["steps"]}
    except NoPlan:
        return set()


def keep_all(kept, columns, waiting):
    for place, row, batch in waiting:
        kept.see(place, columns.settle(row), batch)
    waiting.clear()


def signature_of_kept(columns, batch):
    """Lengths of a batch that was kept; numbers of samples may differ between ranks."""
    found = columns.settle(columns(batch))
    del found["rows"]
    if columns.ranks > 1:
        for name in ("batch_size", "samples", "ranks", "padded_tokens"):
            found.pop(name, None)
    return found
