"""What the job has made, and how it has left it.

A file is the job's if a process of the job made it and it is as the job left it: same device,
inode and birth time, and the size and time of change that it had when the job closed it last. All
else is somebody's, also a file that another program has touched while the job had it open. The
processes of a job on one machine share two lists in the scratch folder, whose entries have a zero
byte before and behind them:

    ours    what happens, in order; ID is DEVICE:INODE:BIRTH
            PATH:ID:SIZE:CTIME    a file or link, in the state in which the job has left it
            PATH:ID::             a folder
            !ID                   a folder in which all is the job's: it is for the job only
            +ID:PID:DESCRIPTOR    a process of the job has opened a file for writing
            -ID:PID:DESCRIPTOR    and closed it
            ?ID                   it is gone, or somebody's
    made    paths. Once the job has ended, `seqpoint run` removes what is still the job's there,
            and names what is not

Caches are not in the second list: they serve the next job, too. They are in a hidden folder, a
temporary one, or one that a variable such as HF_HOME names. Nor is what a process on another
machine makes.
"""

import contextlib
import os
import stat

from .. import caller
from . import births, own

TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")


class Ours:
    def __init__(self, scratch, folder, began):
        self.list, self.made = f"{scratch}/ours", f"{scratch}/made"
        if not caller.here:
            self.list += f".{os.uname().nodename}"
        self.folder = f"{folder}/"  # of the job; it may itself be in such a folder
        self.began = began
        self._left, self._paths = {}, {}  # {ID: state}, {ID: its paths}
        self._private, self._marks = set(), set()  # IDs, and ID:PID:DESCRIPTOR
        self._read_to = 0  # bytes of the list
        self._listed = set()  # paths
        self._caches = None

    # --- what is ours -------------------------------------------------------------------------

    def __contains__(self, real):
        """Whether what is at a real path is the job's."""
        state = own.state_of(real)
        if state is None:
            return False
        identity = identity_of(real, state)
        if self.has_left(identity, state) or self.is_written(identity):
            return True
        if stat.S_ISSOCK(state.st_mode) or stat.S_ISFIFO(state.st_mode):  # it has no content
            return births.birth_of(real) >= self.began
        return self._is_in_private(own.parent(real))

    def has_left(self, identity, state):
        self._read()
        return self._left.get(identity) == as_left(state)

    def is_written(self, identity, but=""):
        """Whether a process of the job has the file open for writing, `but` for that mark."""
        self._read()
        return any(mark.startswith(f"{identity}:") and mark != but for mark in self._marks)

    def _is_in_private(self, folder):
        while self._private and folder != "/":
            state = own.state_of(folder)
            if state and identity_of(folder, state) in self._private:
                return True
            folder = own.parent(folder)
        return False

    # --- what the job does --------------------------------------------------------------------

    def add(self, real, *more):
        """Lists what the job has made, or left, at a real path, and `more` that has happened."""
        state = own.state_of(real)
        if state is None:
            return
        identity, left = identity_of(real, state), as_left(state)
        names = self._names(identity) | {real} if state.st_nlink > 1 else {real}
        append(self.list, *(f"{name}:{identity}:{left}" for name in names), *more)
        if real not in self._listed and not is_elsewhere() and not self.is_cache(real):
            self._listed.add(real)
            append(self.made, real)

    def renew(self, real, identity, *more):
        """The same, unless something else is there."""
        state = own.state_of(real)
        if state is not None and identity_of(real, state) == identity:
            self.add(real, *more)
        else:
            append(self.list, *more)

    def add_private(self, folder):
        """All in this folder of the job's is the job's, as if nobody else knew of it."""
        append(self.list, f"!{identity_of(folder, own.lstat(folder))}")

    def expect(self, real):
        """Lists a path where native code is about to make a file: it stays, and is named."""
        if not self.is_cache(real):
            append(self.made, real)

    def tell(self, entry):
        append(self.list, entry)

    @contextlib.contextmanager
    def leaving(self, real):
        """What is at a real path loses this name: it is removed, or replaced."""
        state = own.state_of(real)
        identity = state and identity_of(real, state)
        if state is None or not self.has_left(identity, state):
            yield
            return
        yield
        others = self._names(identity) - {real}
        append(self.list, f"?{identity}")
        for name in others if state.st_nlink > 1 else ():
            self.renew(name, identity)

    def _names(self, identity):
        self._read()
        return self._paths.get(identity, set())

    # --- the list -----------------------------------------------------------------------------

    def _read(self):
        """Reads what this and other processes have added."""
        state = own.state_of(self.list)
        if state is None or state.st_size == self._read_to:
            return
        with own.open(self.list, "rb") as file:
            file.seek(self._read_to)
            whole = file.read().rpartition(b"\0")[0]
        self._read_to += len(whole) + 1
        for entry in filter(None, os.fsdecode(whole).split("\0")):
            self._take(entry[0], entry[1:])

    def _take(self, kind, rest):
        if kind == "/":
            path, device, inode, birth, size, time = rest.rsplit(":", 5)
            identity = f"{device}:{inode}:{birth}"
            self._left[identity] = f"{size}:{time}"
            self._paths.setdefault(identity, set()).add(f"/{path}")
        elif kind == "!":
            self._private.add(rest)
        elif kind == "+":
            self._marks.add(rest)
        elif kind == "-":
            self._marks.discard(rest)
        elif kind == "?":
            self._left.pop(rest, None)
            self._paths.pop(rest, None)
            self._marks = {mark for mark in self._marks if not mark.startswith(f"{rest}:")}

    # --- caches -------------------------------------------------------------------------------

    def is_cache(self, real):
        if real.startswith(self.folder):
            return "/." in real[len(self.folder) - 1 :]
        self._caches = self._caches or (*TEMPORARY, *named_caches(os.environ))
        return "/." in real or real.startswith(self._caches)


def append(path, *entries):
    """Adds all in one call, so that those of several processes do not mix."""
    if not entries:
        return
    with own.open(path, "ab", buffering=0) as file:
        file.write(os.fsencode("\0" + "\0\0".join(entries) + "\0"))


def identity_of(real, state):
    return f"{state.st_dev}:{state.st_ino}:{seconds(births.birth_of(real))}"


def as_left(state):
    """Size and time of change; of folders nothing, which change with what is made in them."""
    if stat.S_ISDIR(state.st_mode):
        return ":"
    return f"{state.st_size}:{seconds(state.st_ctime_ns)}"


def seconds(nanoseconds):
    """As `stat -c %.9Z` prints it."""
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"


def is_elsewhere():
    """Whether the run that would remove files is not above this process."""
    return bool(os.environ.get(caller.NAME)) and not caller.below_caller


def named_caches(environment):
    """The folders that HF_HOME, TRITON_CACHE_DIR, TMPDIR and their like name."""
    named = {name: value for name, value in environment.items() if value.startswith("/")}
    return [
        os.path.realpath(value) + "/"
        for name, value in named.items()
        if name != "HOME" and (name.endswith("_HOME") or "CACHE" in name or name == "TMPDIR")
    ]
