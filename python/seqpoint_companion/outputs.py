"""The files that are written: whole or not there, and one process's alone."""

import csv
import importlib
import io
import os
import warnings

fcntl = importlib.import_module("fcntl") if os.name == "posix" else None  # Windows has none


class OwnFile:
    """A CSV that one process writes, from its first row until the process ends.

    Another process that writes it meanwhile is an error: by a lock and, as some file systems have
    none, by the size of the file. A path that is no regular file, as /dev/null, is for all.
    """

    def __init__(self, path):
        self.path, self.size = path, 0  # bytes that this process has written
        self.file = open(path, "ab", buffering=0)
        self.regular = os.path.isfile(path)
        if not self.regular:
            return
        if not self._locked():
            warnings.warn(
                f"{path}: locks are missing here: a second process that records into this file is "
                "noticed "
                "only once both have written"
            )
        self.file.truncate(0)

    def _locked(self):
        """Whether this process has the file now.

        The lock goes when the process closes the file anywhere, so it is taken anew each time.
        """
        if fcntl is None:
            return False
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise self._error("another process is recording into it") from None
        except OSError:
            return False
        return True

    def _error(self, fault):
        return RuntimeError(
            f"{self.path}: {fault}: give each process a file of its own, or begin when the other "
            "has ended"
        )

    def _require_alone(self):
        self._locked()
        own = os.fstat(self.file.fileno())
        if not os.path.exists(self.path) or not os.path.samestat(own, os.stat(self.path)):
            raise self._error("it was removed or replaced meanwhile")
        if own.st_size != self.size:
            raise self._error("something else has written into it")

    def append(self, rows):
        if self.regular:
            self._require_alone()
        data = csv_bytes(rows)
        written = 0
        while written < len(data):
            written += self.file.write(data[written:])
        self.size += written


def csv_bytes(rows):
    """Rows of values as CSV; a list in a field is its items with blanks between them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow(
            [" ".join(map(str, of)) if isinstance(of, (list, tuple)) else of for of in row]
        )
    return text.getvalue().encode()
