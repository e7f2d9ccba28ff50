"""A file that is written whole or not, and progress on a terminal."""

import contextlib
import os
import sys
import time

from .faults import BadUsage, CannotWrite

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
    if lengths.tgt:
        for begin in range(0, len(lengths.src), AT_ONCE):
            rows = zip(lengths.src[begin : begin + AT_ONCE], lengths.tgt[begin : begin + AT_ONCE])
            yield "".join(f"{src},{tgt}\n" for src, tgt in rows)
    else:
        for begin in range(0, len(lengths.src), AT_ONCE):
            yield "".join(f"{value}\n" for value in lengths.src[begin : begin + AT_ONCE])


def write(path, lines):
    """Writes to a temporary file in the path's folder and renames it; None: to standard output."""
    if path in (None, "-"):
        for line in lines:
            sys.stdout.write(line)
        sys.stdout.flush()
    elif os.path.exists(path) and not os.path.isfile(path):
        write_special(path, lines)
    else:
        write_file(os.path.realpath(path), lines)


def write_special(path, lines):
    """A device or a pipe, which cannot be replaced."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as fault:
        raise CannotWrite(f"{path}: {fault.strerror}") from None


def write_file(path, lines):
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        with open(unfinished, "x", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(unfinished, os.stat(path).st_mode & 0o777)
        os.replace(unfinished, path)
    except OSError as fault:
        raise CannotWrite(f"{path}: {fault.strerror}", "check the folder and its space") from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(unfinished)


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
