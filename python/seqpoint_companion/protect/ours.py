"""What the job has made, and how it has left it.

A file is the job's if a process of the job made it and it is as the job left it: same device,
inode and birth time, and the size and time of change that it had when the job closed it last. All
else is somebody's. What is in doubt is somebody's, too: a file that another program has touched
while the job had it open. All processes of the job share these in the scratch folder:

    ours/ID:SIZE:CTIME   a file that is in that state; ID is DEVICE:INODE:BIRTH
    ours/ID              a folder, of which the identity counts
    ours/ID:private      a folder in which all is the job's, as it made it for itself only
    writing/ID:PID:FD    a file that a process of the job has open for writing
    made                 paths, each ended by a zero byte. Once the job has ended, `seqpoint run`
                         removes what is still the job's, and names what is not

Caches are not among these paths: they serve the next job, too. They are in a hidden folder, a
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
        self.left, self.writing = f"{scratch}/ours", f"{scratch}/writing"
        self.list = f"{scratch}/made"
        self.folder = f"{folder}/"  # of the job; it may itself be in such a folder
        self.began = began
        self._listed, self._last = set(), {}  # paths; {ID: name in ours/}
        self._caches = None
        for path in (self.left, self.writing):
            own.makedirs(path, exist_ok=True)

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
            return self.is_new(real)
        return self.is_in_private(own.parent(real))

    def is_new(self, real):
        """Whether what is at a real path was born after the job began."""
        return births.birth_of(real) >= self.began

    def has_left(self, identity, state):
        return own.exists(f"{self.left}/{as_left(identity, state)}")

    def is_written(self, identity, but=""):
        """Whether a process of the job has the file open for writing, `but` for that mark."""
        marks = [f"{self.writing}/{name}" for name in own.listdir(self.writing)]
        return any(mark.startswith(f"{self.writing}/{identity}:") and mark != but for mark in marks)

    def is_in_private(self, folder):
        while folder != "/":
            state = own.state_of(folder)
            identity = state and identity_of(folder, state)
            if not own.exists(f"{self.left}/{identity}"):
                return False
            if own.exists(f"{self.left}/{identity}:private"):
                return True
            folder = own.parent(folder)
        return False

    # --- what the job does --------------------------------------------------------------------

    def add(self, real):
        """Lists what the job has made, or left, at a real path. Returns its identity, or None."""
        state = own.state_of(real)
        if state is None:
            return None
        identity = identity_of(real, state)
        self._note(identity, as_left(identity, state))
        if real not in self._listed and not is_elsewhere() and not self.is_cache(real):
            self._listed.add(real)
            with own.open(self.list, "ab", buffering=0) as file:
                file.write(b"\0" + os.fsencode(real) + b"\0")
        return identity

    def add_private(self, folder):
        """All in this folder of the job's is the job's, as if nobody else knew of it."""
        with contextlib.suppress(OSError):
            own.touch(f"{self.left}/{identity_of(folder, own.lstat(folder))}:private")

    def renew(self, real, identity):
        """Lists the state of a file that has been closed, unless another one is in its place."""
        state = own.state_of(real)
        if state is not None and identity_of(real, state) == identity:
            self.add(real)

    def mark(self, identity, descriptor):
        """Marks a file that this process has open for writing."""
        mark = f"{self.writing}/{identity}:{os.getpid()}:{descriptor}"
        own.touch(mark)
        return mark

    def _note(self, identity, name):
        last, self._last[identity] = self._last.get(identity), name
        own.touch(f"{self.left}/{name}")
        if last not in (None, name):
            self._forget(last)

    def _forget(self, name):
        with contextlib.suppress(OSError):
            own.remove(f"{self.left}/{name}")

    def doubt(self, identity):
        """Another program has touched the file: it is somebody's from now on."""
        for name in own.listdir(self.writing):
            if name.startswith(f"{identity}:"):
                own.remove(f"{self.writing}/{name}")

    @contextlib.contextmanager
    def leaving(self, real):
        """What is at a real path leaves the list when it is removed, or gets another state."""
        state = own.state_of(real)
        identity = state and identity_of(real, state)
        if state is None or not self.has_left(identity, state):
            yield
            return
        name = as_left(identity, state)
        descriptor = own.open_descriptor(real, os.O_PATH | os.O_NOFOLLOW)
        try:
            yield
            state = own.fstat(descriptor)
        finally:
            own.close(descriptor)
        self._forget(name)
        self._last.pop(identity, None)
        if state.st_nlink and not stat.S_ISDIR(state.st_mode):  # under another name
            self._note(identity, as_left(identity, state))

    # --- caches -------------------------------------------------------------------------------

    def is_cache(self, real):
        if real.startswith(self.folder):
            return "/." in real[len(self.folder) - 1 :]
        self._caches = self._caches or (*TEMPORARY, *named_caches(os.environ))
        return "/." in real or real.startswith(self._caches)


def identity_of(real, state):
    return f"{state.st_dev}:{state.st_ino}:{seconds(births.birth_of(real))}"


def as_left(identity, state):
    """A name for a file's state, as `stat -c %d:%i:%.9W:%s:%.9Z` prints it."""
    if stat.S_ISDIR(state.st_mode):
        return identity
    return f"{identity}:{state.st_size}:{seconds(state.st_ctime_ns)}"


def seconds(nanoseconds):
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
