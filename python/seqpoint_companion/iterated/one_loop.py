"""A loop around `seqpoint.iterate`: which one is held, and what becomes of its batches."""

import functools
import itertools
import os
import sys

from .. import caller, ranks, report, untrained
from ..asking import has
from ..batches import Batches
from ..check import CAUSES
from ..frames import running
from ..own_work import OWN_WORK
from ..progress import Progress
from ..recorder import MAKE_ROOM, Recorder
from ..saying import NOT_WRITTEN, WRONG_INPUT, complain, exception_of_job, give_up, leave
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
    "`seqpoint run -o NEWFOLDER --record` time whole epochs"
)


class Iterated:
    """A job with its loop around `seqpoint.iterate`. The first such loop is held.

    A verb adds held(source): the batches that the job gets in a pass over the Source.
    """

    def __init__(self, options):
        self.options = options
        self.loaders = None  # whose job this is
        self.training = self  # there is a loop that may train, for instrument.Loaders
        self.place = None  # ('/job/train.py', 41) of the loop that is held
        self.passes = 0  # over any batches
        self.is_new = False  # whether the pass that is held has delivered no batch yet
        self.recorder = None
        self.ended = False  # whether there is a result, and the process is being left
        if options.traces:
            give_up("--by needs traces of PyTorch's profiler, and this loop is not over its loader")
        if (options.epochs or 1) > 1:
            give_up("--epochs needs rows of a data set, and seqpoint.iterate has batches only")

    # --- for loaders of the job, which are not looked at ------------------------------------------

    elected = None
    loops = ("its own",)  # open, for loop.unfed

    def iterate(self, _, begin):
        return begin()

    def sampler_of(self, _, own):
        return own

    # --- the job's loop ---------------------------------------------------------------------------

    def around(self, batches, lengths, pad, sync):
        place = place_of_job()
        through = Batches(batches, functools.partial(self._pass, place, lengths, pad, sync))
        return iter(through) if has(batches, "__next__") else through

    def _pass(self, place, lengths, pad, sync, batches):
        """The iterator of one pass over the job's batches."""
        self.passes += 1
        takes = self._takes(place)
        if self.is_new:
            give_up(
                "a loop is over two iterables of seqpoint.iterate at once",
                "put one around both: seqpoint.iterate(zip(first, second))",
            )
        if not takes:
            return iter(batches)
        self.is_new = True
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
                number, self.is_new = number + 1, False
                yield batch
            return
        except caller.Gone:
            pass
        finally:
            self.is_new = False
        own = iter(source.own)
        given = 0 if own is source.own else number  # an iterator goes on
        yield from itertools.islice(own, given, None)

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
        recorder.rows.every_s, recorder.first_wait_counts = EVERY_S, plan is not None
        return recorder

    def timed(self, recorder, batches, of):
        """Batches through a recorder, which times the loop's body."""
        return iter(recorder(self.watched(batches, Progress(self.options.verb, of))))

    def refuse_batch(self, error):
        give_up(str(error).replace(f"\n{CAUSES}", ""), SAME_ORDER, WRONG_INPUT)

    # --- the end ----------------------------------------------------------------------------------

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


def place_of_job():
    """('/job/train.py', 41): the line that calls seqpoint.iterate."""
    places = [(frame.f_code.co_filename, frame.f_lineno) for frame in running()]
    return next((place for place in places if not place[0].startswith(OWN)), places[-1])
