"""Python's own functions for files, before those of the job are replaced, and who runs them."""

import _thread
import io
import os
import sys
from os import (  # noqa: F401  the other modules use them from here
    access,
    chdir,
    chmod,
    close,
    fstat,
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
from os import _exit as end_process  # noqa: F401
from os import open as open_descriptor  # noqa: F401
from stat import S_ISDIR, S_ISREG

PACKAGE = __name__.partition(".")[0]
ASKING = tuple(f"{PACKAGE}.protect.{name}" for name in ("own", "replaced", "found"))
HELPERS = ("shutil", "os", "posixpath", "genericpath")  # they call the replaced functions
CHANGE = ("remove", "unlink", "rmdir", "rename", "replace", "link", "symlink")
CREATE = ("mkdir", "mkfifo", "mknod")
CHANGE_STATE = ("truncate", "chmod", "chown", "lchown", "utime", "setxattr", "removexattr")
CHANGE_OPEN = ("fchmod", "fchown")
READ = ("stat", "lstat", "access", "readlink", "getxattr", "listxattr", "statvfs")
FOLDERS = ("listdir", "scandir", "chdir", "getcwd", "getcwdb")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
originals = {name: getattr(os, name) for name in CREATE + CHANGE_STATE + CHANGE_OPEN + READ}
open, FileIO = io.open, io.FileIO
parent = os.path.dirname
running = _thread._local()  # .inside: whether this thread runs a function of this package


class Inside:
    """With it, this thread does this package's own work."""

    def __enter__(self):
        self.before = getattr(running, "inside", False)
        running.inside = True

    def __exit__(self, *_):
        running.inside = self.before


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


def link_at(path):
    """What a link contains; "" if it is none."""
    try:
        return readlink(path)
    except OSError:
        return ""


def touch(path):
    """Makes an empty file, unless it is there."""
    close(open_descriptor(path, os.O_WRONLY | os.O_CREAT, 0o600))


def tree(path):
    """A path, and in a folder all below it."""
    yield path
    if is_folder(path):
        for at, folders, names in os.walk(path):
            yield from (f"{at}/{name}" for name in (*folders, *names))
