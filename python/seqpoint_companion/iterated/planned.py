"""Gives a loop the batches of a plan."""

import itertools
import math
import os
import statistics

from .. import duet, report, untrained
from ..kept_batches import KeptBatches
from ..loop import stretch
from ..measured_plan import PRECISION
from ..plan import Plan, epoch_of
from ..saying import WRONG_INPUT, give_up, say, warn_of_left
from .one_loop import SAME_ORDER, Iterated


class Measure(Iterated):
    """Gives the job the batches of a plan, then a stretch of its epoch."""

    def __init__(self, options):
        super().__init__(options)
        self.plan = self.source = self.stretch = None
        self.begun_s = 0.0
        self.duet = duet.of_this_process()
        self.left_after = None  # batches, if the job's loop left a pass before the plan's end

    def held(self, source):
        if self.plan is None:
            self.tell_held(source)
            self.prepare(source)
        elif self.left_after:
            self.warn_of_early_end()
        if self.stretch is not None:  # the job's loop is shorter than it
            self.end()
        self.plan.start, self.left_after = self.plan.ran, 0
        plan = self.timed(self.recorder, self.planned(), len(self.plan.steps))
        for batch in itertools.chain(plan, self.run_stretch()):
            self.left_after += 1
            yield batch
        self.left_after = None

    def warn_of_early_end(self):
        of = self.number_of(self.source) or round(epoch_of(self.plan.steps))
        if self.left_after < of:
            warn_of_left(self.source.name, self.left_after, of)

    def prepare(self, source):
        """Reads the plan, and finds batches for it."""
        self.source = source
        self.plan = self.read_plan()
        kept = KeptBatches(self.plan.steps, copy_of=lambda batch: batch)
        (source.choose if source.indexed else source.keep)(kept)
        if source.read <= kept.last() and not kept.another_draw:
            give_up(
                f"{self.options.plan} is of a longer epoch: that of {source.name} has "
                f"{source.read} batches",
                SAME_ORDER,
                WRONG_INPUT,
            )
        if kept.another_draw:
            report.tell("another draw")
        missing = kept.missing()
        if missing:
            self.plan = self.read_plan(missing)
        source.kept = kept.batches
        self.recorder = self.recorder_into(self.options.output, source, self.plan)
        self.recorder.at_end = self.plan_has_run
        if self.duet is not None:
            self.duet.begin(self.recorder)
        self.begun_s = duet.clock(self.duet)

    def read_plan(self, without=()):
        try:
            return Plan(
                self.options.plan,
                rows_of=lambda at: [[at]],
                until_steady=True,
                without=without,
            )
        except ValueError as error:
            return give_up(error, status=WRONG_INPUT)

    def planned(self):
        for _ in self.plan:
            step = self.plan.steps[self.plan.handed_out - 1]
            yield self.source.planned(step["iteration"])

    # --- the stretch ------------------------------------------------------------------------------

    def stretch_path(self):
        """The file for a stretch; none for a stream, whose batches cannot be chosen."""
        return os.environ.get("SEQPOINT_STRETCH") if self.source.indexed else None

    def plan_has_run(self):
        self.tell_waiting()
        if self.stretch_path():
            self.recorder.close()  # a job that ends in the stretch has its rows
        else:
            self.end()

    def tell_waiting(self):
        """Says if a stream's batches were waited for: in training that may overlap, or may not."""
        measured, waiting_s = self.recorder.measured.measured_s.values(), self.source.waiting_s()
        mean_s = statistics.fmean(measured) if measured else math.inf
        if waiting_s > PRECISION * mean_s:
            say(
                f"warning: a batch of {self.source.name} was waited for {waiting_s:.2g} s, which "
                "is not in its time: if nothing makes batches in advance, give it a list",
                of_result=True,
            )

    def run_stretch(self):
        """Consecutive batches of the epoch, after one that brings the loop into its stride."""
        of = self.number_of(self.source)
        plan_s = duet.clock(self.duet) - self.begun_s
        number = stretch.number_of(plan_s, list(self.recorder.measured.measured_s.values()), 1)
        before, first, number = stretch.place_of(self.plan.process or 0, number, 1, of)
        recorder = self.recorder_into(
            self.stretch_path(), self.source, kind=stretch.StretchRecorder
        )
        recorder.begin_at(first, number, before)
        self.stretch = recorder
        batches = map(self.source.batch, range(first - before, first + number))
        yield from self.timed(recorder, batches, before + number)

    # --- the end ----------------------------------------------------------------------------------

    def close(self):
        if self.stretch is not None and self.stretch.is_complete():
            self.stretch.close()
        if self.duet is not None:
            self.duet.leave()
        return super().close()

    def progress_text(self):
        if self.plan is None:
            return "before its plan"
        return f"before its plan: {self.plan.ran} of {len(self.plan.steps)} batches had run"

    def finish_early(self):
        if self.plan is not None and self.plan.ran == len(self.plan.steps):
            say("the job ended in the stretch of consecutive batches after its plan")
            return self.close()
        if self.recorder is not None and self.recorder.complete():
            self.recorder.close()
        after = self.left_after
        hint = f"--batches {after} makes that an epoch" if after else ""
        return untrained.missing(f"the job ended {self.progress_text()}", hint)
