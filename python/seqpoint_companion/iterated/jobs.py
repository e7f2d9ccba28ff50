"""What order and record do with the batches of a loop."""

import itertools
import statistics
import time

from .. import caller, report
from ..asking import copy_of
from ..awaited_plan import PACED, to_measure, wait_for_plan
from ..endless import Reading
from ..outputs import NotWritten, whole_csv
from ..progress import Progress
from ..saying import exception_of_job, give_up, give_up_unwritten, leave, say, warn_of_left
from ..shapes import padded_tokens
from . import planned
from .one_loop import Iterated


class Order(Iterated):
    """Lets the job train on a few batches, and reads the others without it."""

    next = None  # what measures in place of this, once it goes on

    def held(self, source):
        if self.next is not None:
            yield from self.next.held(source)
            return
        if self.options.batches is None:
            source.require_end()
        batches = source.each(self.options.batches)
        rows, times = [], []
        for batch in itertools.islice(batches, 1 + PACED):
            rows.append(source.columns(batch))
            batch = copy_of(batch) if source.is_list else batch
            begun_s = time.perf_counter()
            yield batch
            source.sync()
            times.append(time.perf_counter() - begun_s)
            if len(rows) == 1:
                self.tell_held(source, times[0])
        if not rows:
            give_up(f"{source.name} got no batches")
        progress = Progress(self.options.verb, self.number_of(source), len(rows))
        reading = Reading(source.name)
        for batch in self.watched(batches, progress):
            rows.append(source.columns(batch))
            if self.number_of(source) is None:
                reading.step(len(rows))
        self.write(source, rows)
        self.tell(source, rows, times)
        yield from self.go_on(source, len(rows))

    def tell(self, source, rows, times):
        say(f"{self.options.output}: {len(rows)} batches of {source.name}, by {source.counted}")
        report.tell("lengths", counted=source.counted, uncounted="")
        tokens = list(map(padded_tokens, rows))
        mean = statistics.fmean(tokens)
        paces = [s * mean / of for s, of in zip(times[1:], tokens[1:]) if of]
        if paces:
            report.tell("pace", batch_s=min(paces))

    def go_on(self, source, rows):
        """The batches of the plan that comes; or the end, as of a stream, which has been read."""
        if not getattr(self.options, "goes_on", None) or not source.indexed:
            self.tell_done(rows)
            self.ended = True
            leave(0)
        report.tell("ordered", rank=0, rows=rows)
        wait_for_plan(self.options.plan)
        self.next = planned.Measure(to_measure(self.options))
        self.next.place, self.next.passes = self.place, self.passes
        self.next.loaders, self.loaders.job = self.loaders, self.next
        report.tell("goes on", verb="measure", rank=0, world_size=1)
        self.next.prepare(source)
        yield from self.next.held(source)

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
            give_up_unwritten(self.options.output, error)


class Record(Iterated):
    """Times the first epoch of the job's own loop."""

    left = None  # (name, batches given, of how many or None) of the pass, if the loop has left it

    def held(self, source):
        if self.recorder is not None:
            self.end()
        if self.options.batches is None:
            source.require_end()
        self.tell_held(source)
        self.recorder = self.recorder_into(self.options.output, source)
        of, given = self.number_of(source), 0
        self.left = source.name, given, of
        for batch in self.timed(self.recorder, source.each(self.options.batches), of):
            given += 1
            self.left = source.name, given, of
            yield batch
        self.left = None
        if given == self.options.batches:
            self.end()

    def close(self):
        name, given, of = self.left or (None, 0, 0)
        is_short = name is not None and (of is None or given < of)
        if is_short and not exception_of_job() and not caller.is_gone():
            report.tell("part", last=given, of=of)
            warn_of_left(name, given, of)
        return super().close()

    def finish_early(self):
        return self.close()


VERBS = {"order": Order, "record": Record, "measure": planned.Measure}
