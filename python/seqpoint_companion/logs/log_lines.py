"""The lines of a log that a pattern matches, as numbers, and why others are left out."""

from array import array
from typing import NamedTuple

from .. import documents
from ..faults import BadInput
from .printed_numbers import LONGEST, clock_ns, date_in, time_ns, whole

BLOCK = 1 << 20  # bytes that are read at once
LONGEST_LINE = 1 << 26  # bytes; a longer one is no line of a log
PATTERNS = (
    f"{documents.path_of('examples/log-patterns.txt')} has patterns for the logs of many programs"
)


class LogLine(NamedTuple):
    """The numbers in a line."""

    ns: int  # the time of a step, or the clock
    line: int  # from 1
    step: int  # as written, as are epoch and of
    epoch: int
    of: int  # 0: missing
    tokens: int  # -1: missing
    seqlen: int
    date: int  # ns, when the line was written, beside a time; -1: it does not say


class Faulty(Exception):
    """Why a match is left out."""


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
    """The lines that `pattern` matches. Iterating yields LogLines."""

    def __init__(self, file, name, pattern):
        self.name, self.pattern, self.notes = name, pattern, []
        self.columns = [array("q") for _ in LogLine._fields]  # a log may have millions of lines
        self.whole_seconds = True  # no line's clock has a fraction
        self.faults = {}  # reason -> [number of lines, the first]
        last = self._read(file)
        for reason, (count, first) in self.faults.items():
            left = "this line is" if count == 1 else f"{count} such lines are"
            self.notes.append(f"{name}:{first}: {reason}; {left} left out")
        if not self.columns[0]:
            raise BadInput(
                f"{name}: no line that the pattern matches can be used: {self.notes[-1]}"
                if self.faults
                else f"{name}: none of its lines ({last}) matches the pattern",
                PATTERNS,
            )

    def __iter__(self):
        return map(LogLine._make, zip(*self.columns))

    def _read(self, file):
        """Returns the number of the last line."""
        number = 0
        for number, text in states_of(file, self.name):
            if text is None:
                self.notes.append(
                    f"{self.name}:{number}: the last line has no end and is not used; the file may "
                    "still be written"
                )
                break
            date = None
            for texts, unit in self.pattern.matches(text):
                if date is None:
                    date = -1 if self.pattern.is_clock else date_in(text)
                try:
                    numbers = *self._numbers(texts, unit, number), date
                except Faulty as fault:
                    self.faults.setdefault(str(fault), [0, number])[0] += 1
                else:
                    for column, value in zip(self.columns, numbers):
                        column.append(value)
        return number

    def _numbers(self, texts, unit, line):
        """The fields of a LogLine but its date. Faulty: the match has to be left out."""
        step = whole(texts.get("step", ""))
        if step is None:
            raise Faulty("the step is no whole number")
        ns, whole_seconds = self._time_in(texts, unit)
        of, epoch = number_in(texts, "of", 0), number_in(texts, "epoch", 0)
        tokens, seqlen = number_in(texts, "tokens", -1), number_in(texts, "seqlen", -1)
        if 0 < of < step:
            raise Faulty("the step is beyond the total")
        self.whole_seconds &= whole_seconds
        return ns, line, step, epoch, of, tokens, seqlen

    def _time_in(self, texts, unit):
        """(ns, whether of whole seconds) of the clock or the time."""
        if self.pattern.is_clock:
            found = clock_ns(texts.get("clock", ""), unit)
        else:
            ns = time_ns(texts.get("time", ""), unit)
            found = None if ns is None or ns > LONGEST else (ns, False)
        if found is None:
            raise Faulty("the time is none")
        if found[0] < 0:
            raise Faulty("the time is negative, as where a clock is set back")
        return found


def number_in(texts, field, missing):
    """A whole number; `missing` for an empty text. Faulty for any other text."""
    if not texts.get(field):
        return missing
    number = whole(texts[field])
    if number is None:
        raise Faulty("tokens, the length or the total are no whole number")
    return number
