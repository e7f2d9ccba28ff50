"""Python's own functions for files, before those of the job are replaced, and who runs them."""

import _thread
import io
import os
import sys
from os import (  # noqa: F401  the other modules use them from here
    access,
    chdir,
    chmod,
    getcwd,
    link,
    listdir,
    lstat,
    makedirs,
    mkdir,
    readlink,
    remove,
    rename,
    replace,
    rmdir,
    scandir,
    stat,
    symlink,
    utime,
)
from os import open as open_descriptor  # noqa: F401
from stat import S_ISDIR, S_ISREG

PACKAGE = __name__.partition(".")[0]
ASKING = tuple(f"{PACKAGE}.protect.{name}" for name in ("own", "replaced", "found"))
HELPERS = ("shutil", "os")  # what this package calls them for, they do by the replaced functions
open, FileIO = io.open, io.FileIO
parent = os.path.dirname
running = _thread._local()  # .inside: whether this thread runs a function of this package


def is_inside():
    return getattr(running, "inside", False) and _is_called_by_package()


def _is_called_by_package():
    """What a signal's handler calls is the job's, also in the middle of this package's work."""
    frame = sys._getframe(2)
    while frame is not None and _module(frame) in (*ASKING, *HELPERS):
        frame = frame.f_back
    return frame is None or _module(frame).startswith(PACKAGE)


def _module(frame):
    return frame.f_globals.get("__name__", "")


def state_of(path):
    """What os.lstat returns; None: there is nothing."""
    try:
        return lstat(path)
    except OSError:
        return None


def exists(path):
    return state_of(path) is not None


def is_folder(path):
    state = state_of(path)
    return state is not None and S_ISDIR(state.st_mode)


def is_file(path):
    state = state_of(path)
    return state is not None and S_ISREG(state.st_mode)
