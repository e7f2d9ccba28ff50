"""The job's own files that no replaced function sees: opened by os.open, or by a library in C.

The first are reported before they change, by an audit hook of Python. Of the others, checkpoints
in the job's folder that have changed are reported at the end.
"""

import os
import sys

from ..saying import say
from . import files
from .scratch import is_checkpoint

MOST = 5_000  # files and folders to look at, as a folder may hold a data set
WRITES = os.O_WRONLY | os.O_RDWR
own_lstat = os.lstat  # the job's sees its checkpoints in the scratch folder


class Overwritten:
    def __init__(self, scratch):
        self.scratch = scratch
        self.before = {path: state_of(path) for path in checkpoints_in(os.getcwd())}

    def watch(self):
        sys.addaudithook(self.look)

    def look(self, event, arguments):
        """Called by Python before it opens a file."""
        if event != "open" or getattr(files.running, "inside", False):
            return
        path, _, flags = arguments
        if not isinstance(path, str) or not isinstance(flags, int) or not flags & WRITES:
            return
        if sys._getframe(1).f_globals.get("__name__", "").startswith("seqpoint_companion."):
            return
        files.running.inside = True
        try:
            self.scratch.tell_of(path)
        finally:
            files.running.inside = False

    def tell_changed(self):
        for path, state in self.before.items():
            if path not in self.scratch.told and state_of(path) != state:
                say(
                    f"warning: {path} has changed: a library in C writes it, or another program",
                    True,
                )


def checkpoints_in(folder):
    """The checkpoints in a folder and below, without hidden folders."""
    found, looked = [], 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(at, name) for name in names if is_checkpoint(name)]
        looked += len(folders) + len(names)
        if looked > MOST:
            break
    return found


def state_of(path):
    """What changes if the file is written; None if there is none."""
    try:
        found = own_lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
