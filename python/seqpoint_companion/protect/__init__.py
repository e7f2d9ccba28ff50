"""A job that is observed changes no file of its user's.

    trackers    experiment trackers get no runs
    scratch     the folder that takes checkpoints, and the names by which the job sees them
    files       Python's functions for files, which look into that folder
    libraries   functions that save and load checkpoints by themselves
    overwritten the job's files that none of these functions sees

Checkpoints are files with the endings of CHECKPOINTS, and everything that the functions in
libraries.py save. They are written, so that their cost stays in the measured times, into a folder
that is deleted when the job has ended. The job reads them from there under their own names, and
an older checkpoint that it removes or replaces is gone for the job only. A file that the job opens
by itself over an existing one cannot be told from its other files: that is reported before the file
changes, also if it is opened by os.open. A checkpoint that a library in C overwrites is reported at
the end.

Nothing is replaced before the job imports PyTorch, and the functions that only read are replaced
with the first checkpoint.
"""

import atexit
import os

from ..on_import import change_on_import
from . import trackers


def start(verb):
    """Protects the files of the job that runs in this process, and tells it the verb."""
    os.environ.setdefault("SEQPOINT_MODE", verb)
    protection = Protection()
    changes = {"mlflow": protection.begin_mlflow}
    if os.environ.get("SEQPOINT_KEEP_CHECKPOINTS") != "1":
        changes["torch.serialization"] = protection.begin
    change_on_import(changes)
    atexit.register(protection.end)


class Protection:
    """The protection of one process. Its end tells what was done."""

    def __init__(self):
        self.process, self.trackers, self._scratch = os.getpid(), trackers.disable(), None
        self._overwritten = None

    def scratch(self):
        from .scratch import Scratch

        self._scratch = self._scratch or Scratch()
        return self._scratch

    def begin(self, _):
        from . import files, libraries, overwritten

        self._overwritten = overwritten.Overwritten(self.scratch())
        files.Files(self.scratch()).guard()
        libraries.redirect(self.scratch())
        self._overwritten.watch()

    def begin_mlflow(self, _):
        trackers.send_mlflow_to(self.scratch().folder)

    def end(self):
        """Called after the job's own exit handlers, because it was registered before them."""
        if os.getpid() != self.process:
            return
        if self._overwritten:
            self._overwritten.tell_changed()
        parts = self._scratch.end() if self._scratch else []
        parts += trackers.lines(self.trackers)
        written = sorted(self._scratch.told) if self._scratch else []
        parts += [f"all but {path}, into which the job itself writes" for path in written]
        if parts:
            from .. import report

            report.tell("untouched", text="; ".join(parts))
