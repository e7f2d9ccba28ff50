"""Lengths of pieces, by one process or by several: the same lengths in the same order."""

import array
import collections
import concurrent.futures
import itertools
import multiprocessing
import signal
from concurrent.futures.process import BrokenProcessPool

from ..faults import BadInput, Fault, NoLength, Undecided, first_line
from .sample_length import Measure

AHEAD = 3  # pieces in the queue of each process
TOGETHER = 64  # samples whose texts are tokenized together: enough to be fast, few to keep
SHOWN = 20  # problems kept per piece, as many as messages show

_measure = None  # of this process


class Lengths:
    """Lengths of a piece: whole numbers, or seconds. `tgt` is empty without targets."""

    def __init__(self, seconds=False):
        kind = "d" if seconds else "q"
        self.src, self.tgt = array.array(kind), array.array(kind)
        self.problems, self.faulty = [], 0  # texts with their place; total number
        self.counts = collections.Counter()
        self.other_rate = None

    def append(self, other):
        self.src.extend(other.src)
        self.tgt.extend(other.tgt)
        self.problems += other.problems[: SHOWN - len(self.problems)]
        self.faulty += other.faulty
        self.counts.update(other.counts)
        self.other_rate = self.other_rate or other.other_rate

    def add(self, row):
        self.src.append(row[0])
        if len(row) > 1:
            self.tgt.append(row[1])

    def add_problem(self, place, field, why):
        self.faulty += 1
        if len(self.problems) < SHOWN:
            self.problems.append(f"{place_of(place, field)}: {why}")


def place_of(place, field):
    """FILE:LINE: field 'NAME', or FILE: field 'NAME': row N."""
    path, colon, row = place.partition(": row ")
    name = f": field '{field}'" if field else ""
    return f"{path}{name}{colon}{row}"


def announced(measure, samples):
    """The samples, after the measure has seen TOGETHER of them, if that makes it faster."""
    if not measure.wants_announcements:
        yield from samples
        return
    samples = iter(samples)
    while some := list(itertools.islice(samples, TOGETHER)):
        measure.expect(some)
        yield from some


def lengths_of(measure, piece):
    """Measures a piece. A sample without a length becomes a problem of the result."""
    found = Lengths(measure.options.seconds)
    measure.counts.clear()
    for index, sample in enumerate(announced(measure, piece.samples())):
        try:
            row = measure.row(sample)
        except Undecided as why:
            place = place_of(piece.where(index), measure.choice.src)
            raise BadInput(f"{place}: {why.problem}", why.hint) from None
        except NoLength as why:
            found.add_problem(piece.where(index), measure.choice.src, why)
        except (Fault, MemoryError):
            raise
        except Exception as fault:  # the job's tokenizer, template or data may raise anything
            found.add_problem(piece.where(index), measure.choice.src, first_line(fault))
        else:
            found.add(row)
    found.counts.update(measure.counts)
    found.other_rate = measure.other_rate
    return found


def _begin(options, choice):
    global _measure
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    _measure = Measure(options, choice)


def _lengths_here(piece):
    return lengths_of(_measure, piece)


def results(pieces, measure, number):
    """Lengths of pieces in their order. `number` processes read and count, besides this one."""
    if number == 1:
        yield from (lengths_of(measure, piece) for piece in pieces)
        return
    pool = concurrent.futures.ProcessPoolExecutor(
        number,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(measure.options, measure.choice),
    )
    try:
        yield from in_order(pool, pieces, number * AHEAD)
    except BrokenProcessPool:
        raise BadInput(
            "a process that counts ended: out of memory, or killed", "try fewer --processes"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def in_order(pool, pieces, ahead):
    """Results in the order of the pieces. At most `ahead` pieces are read in advance."""
    waiting = collections.deque()
    for piece in pieces:
        waiting.append(pool.submit(_lengths_here, piece))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
