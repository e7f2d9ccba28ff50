"""The file of lengths, and progress on a terminal."""

import contextlib
import itertools
import os
import sys
import time

from ..faults import BadUsage
from ..outputs import asked_csv

EVERY = 0.2  # seconds between two lines of progress
AT_ONCE = 10000  # rows per write


def require_not_read(path, files):
    """Raises an error if the output is one of the inputs."""
    for read in files:
        with contextlib.suppress(OSError):
            if os.path.samefile(path, read):
                raise BadUsage(
                    f"-o {path}: is a file that is read ({read})", "write to another file"
                )


def csv_lines(lengths, seconds):
    """The lines of the result: `src_len[,tgt_len]`, or `duration` in seconds."""
    yield ("duration\n" if seconds else "src_len,tgt_len\n" if lengths.tgt else "src_len\n")
    sides = [lengths.src, lengths.tgt] if lengths.tgt else [lengths.src]
    rows = zip(*(map(str, side) for side in sides))
    while some := list(itertools.islice(rows, AT_ONCE)):
        yield "".join(f"{','.join(row)}\n" for row in some)


def write(path, lines):
    """Writes all of the file or nothing; None: to standard output."""
    if path in (None, "-"):
        sys.stdout.writelines(lines)
        return
    with asked_csv(path) as file:
        for line in lines:
            file.write_bytes(line.encode())


class Progress:
    """One line on standard error that is overwritten; nothing if that is not a terminal."""

    def __init__(self, name, total, quiet):
        self.name, self.total = name, total
        self.shown = not quiet and sys.stderr.isatty()
        self.begun = self.last = time.monotonic()

    def show(self, done):
        now = time.monotonic()
        if not self.shown or now - self.last < EVERY:
            return
        self.last = now
        share = f"{100 * done // self.total:3} %  " if self.total else ""
        rate = done / (now - self.begun)
        self._write(f"{self.name}: {share}{done:,} samples, {rate:,.0f} a second")

    def clear(self):
        if self.shown:
            self._write("")

    @staticmethod
    def _write(text):
        sys.stderr.write(f"\r{text[:79]}\033[K")
        sys.stderr.flush()
