"""A program on a terminal of a given width: its output, and the text that stays on the screen.

If the system has no pseudo-terminals (/dev/pts is not mounted), importing this ends the test as
skipped: 77.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

SKIPPED = 77
try:
    for end in pty.openpty():
        os.close(end)
except OSError as error:
    print(f"skipped: there are no pseudo-terminals here: {error}")
    sys.exit(SKIPPED)


class Session:
    """The program's standard error is the terminal.

    Its standard output is too if `stdout` is set, else a pipe.
    """

    def __init__(
        self, command, columns=80, env=None, stdin=subprocess.DEVNULL, stdout=False, cwd=None
    ):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.fd, self.written = ours, b""
        self.process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=theirs if stdout else subprocess.DEVNULL,
            stderr=theirs,
            cwd=cwd,
            env={"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})},
        )
        os.close(theirs)

    def read(self, until=None, seconds=120):
        """Reads on until the pattern is there, or the program has ended."""
        end = time.monotonic() + seconds
        while until is None or not re.search(until, self.written[-400:]):
            ready, _, _ = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, ("nothing comes", self.process.args, until, self.written[-400:])
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # Linux says so when nobody has the other side any more
                got = b""
            if not got:
                assert until is None, (
                    "ended without",
                    self.process.args,
                    until,
                    self.written[-400:],
                )
                break
            self.written += got
        return self.written

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def status(self):
        return self.process.wait(60)


def cells(written, columns=None):
    """Rows as a terminal of that width shows them: lists of (character, colour).

    Handles carriage returns, erased ends of lines, and colours.
    """
    rows, column, colour = [[]], 0, ""
    for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", written.decode("utf-8"), re.S):
        if part == "\r":
            column = 0
        elif part == "\n":
            rows.append([])
            column = 0
        elif part == "\x1b[K":
            del rows[-1][column:]
        elif part.startswith("\x1b[") and part.endswith("m"):
            colour = part[2:-1]
        else:
            assert part.isprintable(), f"the terminal is not told how to show {part!r}"
            if column == columns:
                rows.append([])
                column = 0
            rows[-1][column : column + 1] = [(part, colour)]
            column += 1
    return rows


def screen(written):
    """Lines that stay, without their colours."""
    return ["".join(character for character, _ in row) for row in cells(written)]
