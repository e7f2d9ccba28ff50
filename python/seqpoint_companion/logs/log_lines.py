"""The lines of a log that a pattern matches, as numbers, and why others are left out."""

import struct
import tempfile
from typing import NamedTuple

from ..lengths.faults import BadInput
from .printed_numbers import LONGEST, clock_ns, time_ns, whole

BLOCK = 1 << 20  # bytes that are read at once
LONGEST_LINE = 1 << 26  # bytes; a longer one is no line of a log
IN_MEMORY = 1 << 22  # bytes of numbers; more are kept in a temporary file
PATTERNS = "docs/profiles.md has patterns for the logs of many programs"

# Why a line that matches is left out.
MIXED_LINE = "a time behind the beginnings of two lines may be of either"
NO_STEP = "the step is no whole number"
NO_TIME = "the time is none"
NEGATIVE = "the time is negative, as where a clock is set back"
BEYOND = "the step is beyond the total"
NO_LENGTH = "tokens, the length or the total are no whole number"


class LogLine(NamedTuple):
    """The numbers in a line."""

    ns: int  # the time of a step, or the clock
    line: int  # from 1
    step: int  # as written, as are epoch and of
    epoch: int
    of: int  # 0: missing
    rank: int  # its position in the list of the ranks
    tokens: int  # -1: missing
    seqlen: int
    whole_seconds: bool  # the clock has no fraction
    is_mixed: bool  # Match.is_mixed


RECORD = struct.Struct("<qIIIIIqq??")  # a LogLine


class Faulty(Exception):
    """A match that is left out."""


def states_of(file, name):
    """(line number, text) of each line, and of each state of a progress bar.

    A bar separates its states by carriage returns. A last text without an end may still be written:
    it comes as (line number, None).
    """
    number, rest = 1, b""
    while block := file.read(BLOCK):
        block = rest + block
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        rest = block[end:]
        if len(rest) > LONGEST_LINE or b"\0" in block[:end]:
            raise BadInput(f"{name}:{number}: is no text in lines", PATTERNS)
        for line in block[:end].decode("utf-8", "replace").split("\n"):
            for state in filter(None, line.split("\r")):
                yield number, state
            number += 1
        number -= 1  # behind the last newline no line has ended
    if rest.strip():
        yield number, None


class LogLines:
    """The lines that `pattern` matches. Iterating yields LogLines; those that are mixed, where
    these are few, are left out: else the pattern itself matches from more than one place."""

    def __init__(self, file, name, pattern):
        self.name, self.pattern, self.notes = name, pattern, []
        self.file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)
        self.count = self.mixed = self.last_line = 0
        self.ranks = {}
        self.faults = {}  # reason -> [number of lines, the first]
        self._read(file)
        self.leaves_out_mixed = 2 * self.mixed <= self.count
        if not self.leaves_out_mixed:
            self.faults.pop(MIXED_LINE)
        self._report_faults()
        if self.count == (self.mixed if self.leaves_out_mixed else 0):
            self._refuse()

    def __iter__(self):
        self.file.seek(0)
        while block := self.file.read(RECORD.size << 12):
            for line in map(LogLine._make, RECORD.iter_unpack(block)):
                if not (line.is_mixed and self.leaves_out_mixed):
                    yield line

    def _read(self, file):
        for number, text in states_of(file, self.name):
            self.last_line = number
            if text is None:
                self.notes.append(
                    f"{self.name}:{number}: the last line has no end and is not used; the file may "
                    "still be written"
                )
                break
            for match in self.pattern.matches(text):
                try:
                    self._add(match, number)
                except Faulty as fault:
                    self._count_fault(str(fault), number)

    def _add(self, match, number):
        """Adds the numbers of a match. Faulty: it has to be left out."""
        if match.is_negative:
            raise Faulty(NEGATIVE)
        get = match.texts.get
        step = whole(get("step", ""))
        if step is None:
            raise Faulty(NO_STEP)
        ns, whole_seconds = self._time_in(match)
        of, epoch = number_in(get("of"), 0), number_in(get("epoch"), 0)
        tokens, seqlen = number_in(get("tokens"), -1), number_in(get("seqlen"), -1)
        if 0 < of < step:
            raise Faulty(BEYOND)
        rank = self.ranks.setdefault(get("rank"), len(self.ranks))
        numbers = (ns, number, step, epoch, of, rank, tokens, seqlen, whole_seconds, match.is_mixed)
        self.file.write(RECORD.pack(*numbers))
        self.count += 1
        if match.is_mixed:
            self.mixed += 1
            self._count_fault(MIXED_LINE, number)

    def _time_in(self, match):
        """(ns, whether of whole seconds) of the clock or the time."""
        if self.pattern.is_clock:
            found = clock_ns(match.texts.get("clock", ""), match.ns)
        else:
            ns = time_ns(match.texts.get("time", ""), match.ns)
            found = None if ns is None or ns > LONGEST else (ns, False)
        if found is None:
            raise Faulty(NO_TIME)
        if found[0] < 0:
            raise Faulty(NEGATIVE)
        return found

    def _count_fault(self, reason, number):
        self.faults.setdefault(reason, [0, number])[0] += 1

    def _report_faults(self):
        for reason, (count, first) in self.faults.items():
            left = "this line is" if count == 1 else f"{count} such lines are"
            self.notes.append(f"{self.name}:{first}: {reason}; {left} left out")

    def _refuse(self):
        if self.faults:
            raise BadInput(
                f"{self.name}: no line that the pattern matches can be used: {self.notes[-1]}",
                PATTERNS,
            )
        raise BadInput(
            f"{self.name}: none of its lines ({self.last_line}) matches the pattern", PATTERNS
        )


def number_in(text, missing):
    """A whole number; `missing` for an empty text. Faulty for any other text."""
    if not text:
        return missing
    number = whole(text)
    if number is None:
        raise Faulty(NO_LENGTH)
    return number
