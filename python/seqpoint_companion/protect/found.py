"""What Python is asked to do to files by calls that are not replaced: by its audit events.

In the job's folder `seqpoint run` itself finds what has changed. Elsewhere it compares what these
calls have named.
"""

import os

from . import own

WRITES = os.O_WRONLY | os.O_RDWR
MAKES = "sqlite3.connect"  # also a file that is missing
CHANGES = {
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.utime",
    MAKES,
}


def is_cache(path):
    """Python's own, which it also writes while a module of this package is imported."""
    return "/__pycache__/" in os.fsdecode(path)


class Found:
    def __init__(self, calls):
        self.calls = calls
        self.reported = {os.path.realpath(os.environ.get("SEQPOINT_REPORT", ""))}

    def look(self, event, arguments):
        """Called by Python before it does something."""
        if event == "open":
            if isinstance(arguments[2], int) and arguments[2] & WRITES:
                self.report(arguments[:1])
        elif event in CHANGES:
            self.report(arguments[: 2 if event == "os.rename" else 1], event == MAKES)

    def report(self, paths, may_make=False):
        """Reports old files as they are now; `may_make`: native code is to make missing ones."""
        if self.calls.are_left_alone():
            return
        try:
            with own.Inside():
                for path in paths:
                    if isinstance(path, (str, bytes, os.PathLike)) and not is_cache(path):
                        self.report_path(self.calls.copies(), path, may_make)
        except (OSError, ValueError):  # such as a working folder that is gone
            pass

    def report_path(self, copies, path, may_make):
        real = copies.real(path)
        if may_make and not own.exists(real):
            copies.ours.expect(real)
        if own.is_folder(real):  # tempfile opens one for a file without a name
            return
        if real in self.reported or not copies.is_old(real):
            return
        self.reported.add(real)
        if not copies.is_listed(real):
            from .. import report

            state = own.lstat(real)
            size, time = state.st_size, state.st_mtime_ns
            report.tell("touched", path=real, inode=state.st_ino, size=size, mtime=time)
