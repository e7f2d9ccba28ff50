"""The rows of a recording on their way to its file: they wait there while the disk is full."""

import platform
import time
import typing

from . import device, provenance
from .outputs import NotWritten, OwnFile
from .saying import say

RETRY_S = 5  # s between attempts to write to a full disk
MOST_WAITING = 50  # rows that wait: fewer containers than start a collection of Python (700)


class Times(typing.NamedTuple):
    """The times of a batch."""

    runtime_s: float
    cpu_s: float
    phases: dict = None  # seconds of each; None: not measured


class Unwritten(typing.NamedTuple):
    """A row to be written, with all values that were read when its iteration ended."""

    row: dict
    clocks: dict
    peak_bytes: int
    device_busy: typing.Union[float, str]  # a share, or ""
    stepped: bool  # whether the optimiser has stepped in it
    times: Times


class RecordedRows:
    """The file at `path`, and the rows that wait for it."""

    def __init__(self, path):
        self.path = path
        self.waiting, self.written = [], 0  # Unwritten; number of rows in the file
        self.file = None  # from the first row on
        self.every_s, self.flushed = 0, time.monotonic()  # maximum delay of settled rows
        self.most_waiting = MOST_WAITING
        self.trouble = ""  # reason of the last failed write
        self.troubled = None  # when that was, by the monotonic clock

    def add(self, row, settled):
        """Whether rows are to be flushed: they wait until they are settled, and have waited."""
        self.waiting.append(row)
        few = len(self.waiting) < self.most_waiting
        return settled and not (few and time.monotonic() - self.flushed < self.every_s)

    def drop(self):
        """Forgets all rows; the file is written anew."""
        if self.file is not None:
            self.file.close()
        self.waiting, self.written, self.file = [], 0, None

    def flush(self, cells):
        """Writes the rows. On a full disk they wait, and the loop continues.

        `cells`: makes of an Unwritten and of the conditions the cells of a row, by column.
        """
        if not self.waiting or (self.troubled and time.monotonic() - self.troubled < RETRY_S):
            return
        try:
            self._write(cells)
            self.troubled = None
        except NotWritten as error:
            self._note_trouble(error)

    def _write(self, cells):
        """Appends the rows, at first with a header. They wait on if that fails."""
        conditions = conditions_now()
        rows = [cells(batch, conditions) for batch in self.waiting]
        header = []
        if self.written == 0:
            rows[0]["recorded_by"] = provenance.recorded_by()
            header = [list(rows[0])]
        self.file = self.file or OwnFile(self.path)
        self.file.append(header + [list(row.values()) for row in rows])
        self.written, self.waiting = self.written + len(rows), []
        self.flushed = time.monotonic()

    def _note_trouble(self, error):
        if not self.trouble:
            say(
                f"warning: {self.path} cannot be written ({error.strerror}): the job goes on, and "
                "rows wait in memory until there is room"
            )
        self.trouble, self.troubled = error.strerror, time.monotonic()

    def lost(self):
        """An error message if rows could not be written, or ""."""
        if not self.troubled:
            return ""
        return f"{self.path}: {len(self.waiting)} rows could not be written: {self.trouble}"


def conditions_now():
    """The columns that rows written together have in common."""
    return {
        "host": platform.node(),
        "device": device.name(),
        "session": provenance.session(),
        "recorded_by": "",
        "load": provenance.load(),
    }
