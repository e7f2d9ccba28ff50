"""A duet: two builds run the same plan at once, and take turns batch by batch.

A process that has run a batch lets the other one run the same batch, and waits. Both then meet the
machine as it is within the same second, and never compute at the same time. The order changes from
pair to pair: A B, B A, A B. Before the points each warms up, and after them each runs its row of
consecutive batches alone: the one that is there first waits for the other.

SEQPOINT_DUET is a folder with a FIFO for each of the two, `0` and `1`, and SEQPOINT_SIDE the number
of this process. It reads from its own FIFO and writes into the other one. `seqpoint run` removes
the folder when one of the two has ended, or goes on alone: so does the other one then. Of several
ranks the first one takes turns, and the others wait for it.
"""

import ctypes
import errno
import os
import select
import struct
import time

from . import caller, ranks, report
from .protect import own

WARM_UP, POINTS, ROW = range(3)  # the parts of a process
TURN, WAITS = range(2)  # messages: it is your turn; run on until you are as far as I am
MESSAGE = struct.Struct("=bi")  # which of them, and the core on which the sender runs
LOOK_S = 1  # between two looks whether the other one is still there
MEETS_S = 0.02  # between two looks whether it is there already


class Alone(Exception):
    """The other one of the duet is not there any more."""


class Duet:
    def __init__(self, folder, side):
        self.here, self.there = (os.path.join(folder, str(n)) for n in (side, 1 - side))
        self.begins = side == 0  # whether this one has the first turn
        self.reader = self.writer = None
        self.part = self.part_of_other = WARM_UP
        self.ran = 0  # batches of the points
        self.waited_s = 0.0
        self.is_on = True

    def clock(self):
        """Seconds without those in which the other one ran."""
        return time.monotonic() - self.waited_s

    def begin(self, recorder):
        """A plan begins: waits until the other one is as far, and for the first turn."""
        recorder.duet, recorder.plan.steady.clock = self, self.clock
        self.meet()

    def meet(self):
        self._together(self._meet)

    def batch_has_run(self, plan):
        """Lets the other one run, if it is its turn, and waits until it has."""
        self._together(self._take_turns, plan)

    def leave(self):
        """This process needs no turns any more. The other one waits until it has ended."""
        self.is_on = False
        if ranks.process()[0] == 0:
            report.tell("duet", waited_s=self.waited_s, whole=self.part >= ROW)

    # --- turns ------------------------------------------------------------------------------------

    def _together(self, what, *arguments):
        """Does it in the first rank, while the others wait."""
        begun_s = time.monotonic()
        if self.is_on and ranks.process()[0] == 0:
            try:
                what(*arguments)
            except (Alone, OSError):
                self.is_on = False
                if self.part < ROW:  # else it has run its row, and has ended
                    report.tell("alone")
        ranks.of_all_processes(None, "its turn in a duet")
        self.waited_s += time.monotonic() - begun_s

    def _meet(self):
        self.reader = own.open_descriptor(self.here, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self.writer = self._open_writer()
        while self.writer is None:
            self._look()
            time.sleep(MEETS_S)
            self.writer = self._open_writer()
        if not self.begins:
            self._wait()

    def _open_writer(self):
        """The other FIFO, once the other one reads it; None before.

        It is opened for both: it then has a reader whatever happens, and a write raises no SIGPIPE.
        """
        try:
            first = own.open_descriptor(self.there, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return None
        both = own.open_descriptor(self.there, os.O_RDWR | os.O_CLOEXEC)
        os.close(first)
        return both

    def _take_turns(self, plan):
        if self.part == POINTS:
            self.ran += 1
        if self.part < part_of(plan):
            self._next_part()
        elif self.part_of_other == self.part < ROW:
            second_of_pair = self.ran % 2 == (1 if self.begins else 0)
            if self.part == WARM_UP or second_of_pair:
                self._pass_on(TURN)

    def _next_part(self):
        """Goes on if the other one waits there already; else waits for it."""
        self.part += 1
        self.begins = self.part_of_other >= self.part
        if not self.begins:
            self._pass_on(WAITS)

    def _pass_on(self, kind):
        os.write(self.writer, message(kind))
        self._wait()

    # --- messages ---------------------------------------------------------------------------------

    def _wait(self):
        """Waits for a message, and goes on on the core of the other one."""
        arrival = select.poll()
        arrival.register(self.reader, select.POLLIN)
        while not arrival.poll(1000 * LOOK_S):
            self._look()
        read = os.read(self.reader, MESSAGE.size)
        if not read:
            raise Alone
        kind, on = MESSAGE.unpack(read)
        self.part_of_other = self.part if kind == TURN else self.part_of_other + 1
        move_to(on)

    def _look(self):
        """Raises Alone if the other one, or who has started both, is gone."""
        report.tell("waits")  # a job that is silent is ended
        if not own.access(self.there, os.F_OK) or caller.is_gone():
            raise Alone


def of_this_process():
    """The Duet that the environment asks for, or None."""
    folder = os.environ.get("SEQPOINT_DUET")
    return Duet(folder, int(os.environ["SEQPOINT_SIDE"])) if folder else None


def clock(duet):
    """Seconds, without those in which the other one of a duet ran; `duet` may be None."""
    return time.monotonic() if duet is None else duet.clock()


def message(kind):
    return MESSAGE.pack(kind, core())


def part_of(plan):
    """The part that comes next of a plan that has run so far."""
    if plan.ran >= len(plan.steps):
        return ROW
    warm = plan.steady is None or plan.steady.done
    return POINTS if warm and plan.ran >= plan.begin else WARM_UP


# --- The core on which a process runs -------------------------------------------------------------
# The system gives each of two processes a core of its own if it can, and cores differ.


def core():
    """The number of the core on which this thread runs; -1: not known."""
    try:
        return ctypes.CDLL(None).sched_getcpu()
    except (AttributeError, OSError):
        return -1


def move_to(number):
    """Moves this thread to a core, if it may run there, and then leaves it to the system."""
    allowed = os.sched_getaffinity(0)
    if number not in allowed or len(allowed) == 1:
        return
    try:
        os.sched_setaffinity(0, {number})
        os.sched_setaffinity(0, allowed)
    except OSError:  # a core that has just been taken away
        pass
