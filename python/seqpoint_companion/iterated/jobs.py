"""What order, record and measure do with the batches of `seqpoint.iterate`."""

import functools
import itertools
import math
import os
import statistics
import sys
import time

from .. import caller, ranks, report, untrained
from ..batches import Batches
from ..check import CAUSES
from ..loop import stretch
from ..outputs import NotWritten, whole_csv
from ..own_work import OWN_WORK
from ..plan import Plan
from ..progress import Progress
from ..measured_plan import PRECISION
from ..recorder import MAKE_ROOM, Recorder
from ..saying import (
    NOT_WRITTEN,
    WRONG_INPUT,
    complain,
    exception_of_job,
    give_up,
    leave,
    say,
    warn,
)
from .source import Source

EVERY_S = 1  # between writes, as of loops over loaders
OWN = tuple(
    os.path.join(folder, "")
    for folder in (
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        os.path.dirname(os.path.abspath(sys.modules["seqpoint"].__file__)),
    )
)
SAME_ORDER = (
    "points need batches that are the same at each start: shuffle with a fixed seed, or let "
    "`seqpoint run --record` time whole epochs"
)


class Iterated:
    """A job with its loop around `seqpoint.iterate`. The first such loop is held."""

    def __init__(self, options):
        self.options = options
        self.training = self  # there is a loop that may train, for instrument.Loaders
        self.place = None  # ('/job/train.py', 41) of the loop that is held
        self.passes = 0  # over any batches
        self.recorder = None
        self.ended = False  # whether there is a result, and the process is being left
        if options.traces:
            give_up("--by needs traces of PyTorch's profiler, and this loop is not over its loader")
        if (options.epochs or 1) > 1:
            give_up("--epochs needs rows of a data set, and seqpoint.iterate has batches only")

    # --- for loaders of the job, which are not looked at -----------------------------------------

    def iterate(self, _, begin):
        return begin()

    def sampler_of(self, _, own):
        return own

    # --- the job's loop --------------------------------------------------------------------------

    def around(self, batches, lengths, pad, sync):
        place = place_of_job()
        through = Batches(batches, functools.partial(self._pass, place, lengths, pad, sync))
        return iter(through) if hasattr(batches, "__next__") else through

    def _pass(self, place, lengths, pad, sync, batches):
        """The iterator of one pass over the job's batches."""
        self.passes += 1
        if not self._takes(place):
            return iter(batches)
        if ranks.process()[1] > 1:
            give_up(
                "the loop around seqpoint.iterate is one of several processes",
                "leave seqpoint.iterate out: the loader of a distributed PyTorch job is found",
            )
        name = f"iterate at {os.path.basename(place[0])}:{place[1]}"
        return self._while_awaited(Source(batches, lengths, pad, sync, name))

    def _takes(self, place):
        if caller.is_gone():
            return False
        if self.place is None and self.options.loader in (None, self.passes):
            if report.is_done():  # by another program of the same job
                if self.options.verb != "record":
                    leave(0)
                return False
            self.place = place
        return self.place == place

    def _while_awaited(self, source):
        """The batches of a pass; once nobody waits for the job any more, the job's own."""
        number = 0
        try:
            for batch in self.held(source):
                number += 1
                yield batch
            return
        except caller.Gone:
            pass
        yield from itertools.islice(iter(source.own), number, None)

    def held(self, source):
        """The batches that the job gets in a pass."""
        raise NotImplementedError

    def tell_held(self, source, batch_s=None):
        report.tell(
            "held",
            verb=self.options.verb,
            rank=0,
            world_size=1,
            dataset=type(source.own).__name__,
            batches=source.length,
            batch_s=batch_s,
            parameters=None,
            loader=source.name,
        )

    def number_of(self, source):
        """Batches of an epoch, or None."""
        known = [number for number in (source.length, self.options.batches) if number is not None]
        return min(known, default=None)

    def watched(self, batches, progress):
        """Batches, counted for the user, as long as a caller waits."""
        for batch in batches:
            yield batch
            with OWN_WORK:
                progress.step()
            if caller.is_gone():
                raise caller.Gone
        progress.close()

    def recorder_into(self, path, source, plan=None, kind=Recorder):
        """A recorder whose rows have the lengths of a batch, not its tokens: plans have none."""

        def signature(batch):
            columns = source.columns(batch)
            return {name: value for name, value in columns.items() if name != "tokens"}

        phases = self.options.phases and not source.is_list
        recorder = kind(path, signature, plan, phases=phases, sync=source.sync)
        recorder.at_end, recorder.fail = self.end, self.refuse_batch
        recorder.every_s = EVERY_S
        return recorder

    def timed(self, recorder, batches, of):
        """Batches through a recorder, which times the loop's body."""
        through = self.watched(batches, Progress(self.options.verb, of))
        return iter(recorder(Batches(None, lambda _: through)))

    def refuse_batch(self, error):
        give_up(str(error).replace(f"\n{CAUSES}", ""), SAME_ORDER, WRONG_INPUT)

    # --- the end ---------------------------------------------------------------------------------

    def close(self):
        """Writes the pending rows. Returns an exit status."""
        lost = self.recorder.close()
        if lost:
            complain(lost, MAKE_ROOM, NOT_WRITTEN)
            return NOT_WRITTEN
        self.tell_done(self.recorder.rows.written)
        return 0

    def tell_done(self, rows):
        report.tell("done", rank=0, output=self.options.output, rows=rows, compilations=0)

    def end(self):
        """Ends the job, whose result is complete."""
        self.ended = True
        leave(self.close())

    def finish(self):
        """When the job has ended by itself: reports a missing result. Returns an exit status."""
        if self.ended:
            return 0
        error = exception_of_job()
        if error:
            return untrained.missing(f"the job ended by {error}, {self.progress_text()}")
        if self.place is None:
            return untrained.missing("the job took no batch from seqpoint.iterate")
        return self.finish_early()

    def progress_text(self):
        return "before its result"

    def finish_early(self):
        return untrained.missing(f"the job ended {self.progress_text()}")


class Order(Iterated):
    """Lets the job train on one batch, and reads the others without it."""

    def held(self, source):
        most = self.options.batches
        if most is None:
            source.require_end()
        batches = source.each(most)
        rows = []
        for batch in itertools.islice(batches, 1):
            rows.append(source.columns(batch))
            begun_s = time.perf_counter()
            yield batch
            source.sync()
            self.tell_held(source, time.perf_counter() - begun_s)
        if not rows:
            give_up(f"{source.name} got no batches")
        progress = Progress(self.options.verb, self.number_of(source))
        rows.extend(source.columns(batch) for batch in self.watched(batches, progress))
        self.write(source, rows)
        report.tell("lengths", counted=source.counted, uncounted="")
        say(f"{self.options.output}: {len(rows)} batches of {source.name}, by {source.counted}")
        self.tell_done(len(rows))
        self.ended = True
        leave(0)

    def write(self, source, rows):
        names = list(rows[0])
        with_lengths = self.options.lengths
        try:
            with whole_csv(self.options.output) as file:
                file.write(["epoch", "iteration", "rows", *(names if with_lengths else ())])
                for number, row in enumerate(rows):
                    if list(row) != names:
                        give_up(f"{source.name}: batch {number} has {list(row)}, others {names}")
                    file.write([0, number, "", *(row.values() if with_lengths else ())])
        except NotWritten as error:
            fault = f"{self.options.output}: cannot be written: {error.strerror}"
            give_up(fault, "make room there, or give -o another place", NOT_WRITTEN)


class Record(Iterated):
    """Times the first epoch of the job's own loop."""

    def held(self, source):
        if self.recorder is not None:
            self.end()
        if self.options.batches is None:
            source.require_end()
        self.tell_held(source)
        self.recorder = self.recorder_into(self.options.output, source)
        of, given = self.number_of(source), 0
        batches = source.each(self.options.batches)
        try:
            for batch in self.timed(self.recorder, batches, of):
                given += 1
                yield batch
        finally:
            if of is not None and given < of and not caller.is_gone():
                report.tell("part", last=given, of=of)
                warn(
                    f"the job has left {source.name} after {given} of its {of} batches",
                    f"--batches {given}",
                )
        if given == self.options.batches:
            self.end()

    def finish_early(self):
        return self.close()


class Measure(Iterated):
    """Gives the job the batches of a plan, then a stretch of its epoch."""

    def __init__(self, options):
        super().__init__(options)
        self.plan = self.source = self.stretch = None
        self.begun_s = 0.0
        self.left_after = None  # batches, if the job's loop left a pass before the plan's end

    def held(self, source):
        if self.plan is None:
            self.prepare(source)
        elif self.left_after:
            self.warn_of_early_end()
        self.plan.start, self.left_after = self.plan.ran, 0
        try:
            for batch in itertools.chain(self.run_plan(), self.run_stretch()):
                self.left_after += 1
                yield batch
        finally:
            self.source.own_s.clear()
        self.left_after = None

    def warn_of_early_end(self):
        of = self.number_of(self.source)
        if of and self.left_after < of:
            name, after = self.source.name, self.left_after
            warn(f"the job has left {name} after {after} of its {of} batches", f"--batches {after}")

    def prepare(self, source):
        """Reads the plan, and of a stream the plan's batches."""
        self.source = source
        self.tell_held(source)
        try:
            self.plan = Plan(self.options.plan, rows_of=lambda at: [[at]], until_steady=True)
        except ValueError as error:
            give_up(error, status=WRONG_INPUT)
        iterations = {step["iteration"] for step in self.plan.steps}
        if not source.indexed:
            source.keep(iterations)
        number = source.length if source.indexed else source.read
        if max(iterations) >= number:
            give_up(
                f"{self.options.plan} is of a longer epoch: that of {source.name} has {number} "
                "batches",
                SAME_ORDER,
                WRONG_INPUT,
            )
        self.recorder = self.recorder_into(self.options.output, source, self.plan)
        self.recorder.at_end = self.plan_has_run
        self.begun_s = time.perf_counter()

    def run_plan(self):
        return self.timed(self.recorder, self.planned(), self.plan.batches())

    def planned(self):
        for _ in self.plan:
            step = self.plan.step(self.plan.handed_out - 1)
            yield self.source.batch(step["iteration"])

    # --- the stretch -----------------------------------------------------------------------------

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
        plan_s = time.perf_counter() - self.begun_s
        number = stretch.number_of(plan_s, list(self.recorder.measured.measured_s.values()), 1)
        before, first, number = stretch.place_of(self.plan.process or 0, number, 1, of)
        recorder = self.recorder_into(
            self.stretch_path(), self.source, kind=stretch.StretchRecorder
        )
        recorder.begin_at(first, number, before)
        self.stretch = recorder
        batches = map(self.source.batch, range(first - before, first + number))
        yield from self.timed(recorder, batches, before + number)

    # --- the end ---------------------------------------------------------------------------------

    def close(self):
        if self.stretch is not None and self.stretch.is_complete():
            self.stretch.close()
        return super().close()

    def progress_text(self):
        if self.plan is None:
            return "before its plan"
        return f"before its plan: {self.plan.ran} of {self.plan.batches()} batches had run"

    def finish_early(self):
        if self.plan is not None and self.plan.ran == self.plan.batches():
            say("the job ended in the stretch of consecutive batches after its plan")
            return self.close()
        if self.recorder is not None and self.recorder.complete():
            self.recorder.close()
        after = self.left_after
        hint = f"--batches {after} makes that an epoch" if after else ""
        return untrained.missing(f"the job ended {self.progress_text()}", hint)


VERBS = {"order": Order, "record": Record, "measure": Measure}


def place_of_job():
    """('/job/train.py', 41): the line that calls seqpoint.iterate."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
