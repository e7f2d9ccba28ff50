"""Output files: each is written whole or not, and by one process only."""

import atexit
import contextlib
import csv
import fcntl
import functools
import glob
import io
import os
import shutil
import time
import warnings

from .faults import CannotWrite
from .protect import own  # the job's functions leave old files alone

ABANDONED_S = 60  # seconds: an older temporary file without a lock has no owner
PIECE = 64 * 1024  # bytes


class SharedFile(RuntimeError):
    """Two processes write one file."""


class NotWritten(OSError):
    """A file cannot be written: a full disk, a folder that is not ours."""


@contextlib.contextmanager
def writing():
    """Distinguishes errors of an output from those of other files that the job opens."""
    try:
        yield
    except OSError as error:
        raise NotWritten(error.errno, error.strerror) from error


class OwnFile:
    """A CSV that one process writes, from its first rows until the process ends.

    The first rows are written under a temporary name and then renamed: an earlier job's file stays
    until the new rows are complete. Rows that cannot be written completely are removed. If another
    process writes the file meanwhile, that is an error. It is detected by a lock and, because some
    file systems have none, by the file's identity and size. Files that are not regular, such as
    /dev/null, can be shared.
    """

    def __init__(self, path):
        self.path, self.target = path, os.path.realpath(path)
        self.size = 0  # bytes that this process has written
        self.file = None
        self.regular = is_regular(self.target)

    def close(self):
        """Leaves the file to whoever writes it next."""
        if self.file is not None:
            self.file.close()

    def append(self, rows):
        """Writes all rows or none: NotWritten if there is no space for them."""
        data = csv_bytes(rows)
        with writing():
            if self.file is None:
                self._begin(data)
            else:
                self._add(data)
        self.size += len(data)

    def _begin(self, data):
        if not self.regular:
            self.file = own.open(self.target, "ab", buffering=0)
            write_all(self.file, data)
            return
        self._require_unlocked()
        with temporary(self.target) as (file, path):
            if not lock(file):
                self._warn_of_locks()
            write_all(file, data)
            own.replace(path, self.target)
            self.file = file

    def _require_unlocked(self):
        """Raises SharedFile if another process is recording into the existing file."""
        with contextlib.suppress(FileNotFoundError), own.open(self.target, "ab") as file:
            self._lock(file)

    def _lock(self, file):
        try:
            return lock(file)
        except (BlockingIOError, PermissionError):
            raise self._shared("another process is recording into it") from None

    def _warn_of_locks(self):
        warnings.warn(
            f"{self.path}: locks are missing here: a second process that records into this file is "
            "noticed only once both have written"
        )

    def _shared(self, fault):
        return SharedFile(
            f"{self.path}: {fault}: give each process a file of its own, or begin when the other "
            "has ended"
        )

    def _add(self, data):
        if self.regular:
            self._require_alone()
        try:
            write_all(self.file, data)
        except OSError:
            if self.regular:
                self.file.truncate(self.size)  # without the half of a row
            raise

    def _require_alone(self):
        self._lock(self.file)
        state = os.fstat(self.file.fileno())
        if not os.path.exists(self.target) or not os.path.samestat(state, os.stat(self.target)):
            raise self._shared("it was removed or replaced meanwhile")
        if state.st_size != self.size:
            raise self._shared("something else has written into it")


def is_regular(path):
    return os.path.isfile(path) or not os.path.exists(path)


def lock(file):
    """Whether this process owns the file now; False if locks are missing.

    The lock is released when the process closes the file anywhere, so it is taken again before each
    use.
    """
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise
    except OSError:
        return False
    return True


def write_all(file, data):
    """Writes to an unbuffered file, which may accept only a part at once."""
    written = 0
    while written < len(data):
        written += file.write(data[written:])


@contextlib.contextmanager
def temporary(target):
    """(file, its path): a temporary file in the target's folder, deleted unless it is renamed.

    A killed process leaves its temporary file. A later process that writes the same target removes
    it.
    """
    remove_left(target)
    path = f"{target}.{os.getpid()}-{os.urandom(4).hex()}.part"
    remove = functools.partial(remove_file, path)
    atexit.register(remove)  # a job that is ended where it is runs this
    with writing():
        # Appending, so that writing continues at the end after half a row was cut off.
        file = own.open(path, "ab", buffering=0, opener=exclusive)
    try:
        with contextlib.suppress(OSError):
            shutil.copymode(target, path)
        yield file, path
    except BaseException:
        file.close()
        raise
    finally:
        remove()
        atexit.unregister(remove)


def exclusive(path, flags):
    """For open(): the file must not exist yet."""
    return own.open_descriptor(path, flags | os.O_EXCL, 0o666)


def remove_file(path):
    with contextlib.suppress(FileNotFoundError):
        own.remove(path)


def remove_left(target):
    """Removes temporary files of ended processes: old ones without a lock."""
    for path in glob.glob(f"{glob.escape(target)}.*-*.part"):
        with contextlib.suppress(OSError), own.open(path, "ab") as file:
            if time.time() - os.stat(path).st_mtime > ABANDONED_S and lock(file):
                own.remove(path)


class WholeRows:
    """Rows of a CSV, on their way into a file in pieces of 64 KiB."""

    def __init__(self, file):
        self._file, self._waiting = file, bytearray()

    def write(self, row):
        self.write_bytes(csv_bytes([row]))

    def write_bytes(self, text):
        """Writes bytes that are whole rows."""
        self._waiting += text
        if len(self._waiting) >= PIECE:
            self.flush()

    def flush(self):
        with writing():
            write_all(self._file, self._waiting)
        self._waiting = bytearray()


@contextlib.contextmanager
def whole_csv(path):
    """WholeRows that get the path's name once complete; after an error the old file stays."""
    target = os.path.realpath(path)
    if not is_regular(target):
        with writing():
            file = own.open(target, "wb", buffering=0)
        with file:
            rows = WholeRows(file)
            yield rows
            rows.flush()
        return
    with temporary(target) as (file, part):
        lock(file)
        rows = WholeRows(file)
        yield rows
        rows.flush()
        file.close()
        own.replace(part, target)


@contextlib.contextmanager
def asked_csv(path):
    """whole_csv() of a file that the user has named: CannotWrite if there is no way."""
    try:
        with whole_csv(path) as rows:
            yield rows
    except NotWritten as error:
        raise CannotWrite(f"{path}: {error.strerror}", "check the folder and its space") from None


def csv_bytes(rows):
    """Rows of values as CSV; a list in a field is written as its items separated by blanks."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow(
            [" ".join(map(str, cell)) if isinstance(cell, (list, tuple)) else cell for cell in row]
        )
    return text.getvalue().encode()
