"""Files that this process has open for writing: how it leaves them, and who else touches them.

Each write looks whether the file has the size that the write before has left, and no new name. If
not, another program has touched it, unless another process of the job has it open, too. Once the
job has the number of a file's descriptor, from os.open() or as libraries ask for it that write in
native code, its size counts when it is closed.
"""

import contextlib
import functools
import os
import weakref

from . import own
from .ours import identity_of

FOLLOWED = ("write", "truncate", "fileno", "close")  # methods of a file


class Opened:
    def __init__(self, path, identity, state, is_native):
        self.path, self.identity = path, identity
        self.size, self.links = state.st_size, state.st_nlink
        self.is_native, self.is_doubted = is_native, False
        self.file = None  # a weak reference to Python's

    def mark(self, descriptor):
        """For the list: this process has it open."""
        self.marked = f"{self.identity}:{os.getpid()}:{descriptor}"
        return f"+{self.marked}"


class Written:
    def __init__(self, copies):
        self.copies, self.ours = copies, copies.ours
        self.files, self.mapped = {}, []  # {descriptor: Opened}; those that are memory, too
        os.register_at_fork(after_in_child=self.forked)

    def opened(self, descriptor, is_native):
        """The job has opened a file for writing that it has made, or a private one."""
        path, state = path_of(descriptor), own.fstat(descriptor)
        if self.copies.is_left_alone(path) or not own.S_ISREG(state.st_mode):
            return
        there = own.state_of(path)
        if there is None or (there.st_dev, there.st_ino) != (state.st_dev, state.st_ino):
            return
        opened = Opened(path, identity_of(path, there), state, is_native)
        self.ours.add(path, opened.mark(descriptor))
        self.files[descriptor] = opened

    def moved(self, source, target):
        """The job has renamed a file or folder."""
        for opened in self.files.values():
            if f"{opened.path}/".startswith(f"{source}/"):
                opened.path = target + opened.path[len(source) :]

    def forked(self):
        """A child has the files open, too."""
        self.mapped = []
        with contextlib.suppress(OSError), own.Inside():
            for descriptor, opened in self.files.items():
                self.ours.tell(opened.mark(descriptor))

    # --- what happens to one ------------------------------------------------------------------

    def look(self, descriptor, opened):
        """Doubts a file into which another program has written, or to which it has linked."""
        with contextlib.suppress(OSError), own.Inside():
            state = own.fstat(descriptor)
            is_as_left = opened.is_native or state.st_size == opened.size
            if is_as_left and state.st_nlink <= opened.links or opened.is_doubted:
                return
            if self.ours.has_left(opened.identity, state):
                return
            if self.ours.is_written(opened.identity, but=opened.marked):
                return
            opened.is_doubted = True
            self.ours.tell(f"?{opened.identity}")

    def close(self, descriptor, close):
        """Closes a descriptor by that function, and lists its file as it is then.

        That is later than its last write: a network file system sets the time then.
        """
        opened = self.files.pop(descriptor)
        self.look(descriptor, opened)
        try:
            close()
        finally:
            if opened.is_native and is_mapped(opened.path):
                self.mapped.append(opened)
            else:
                self.left(opened)

    def left(self, opened):
        with contextlib.suppress(OSError), own.Inside():
            closed = f"-{opened.marked}"
            if opened.is_doubted:
                self.ours.tell(closed)
            else:
                self.ours.renew(opened.path, opened.identity, closed)

    def end(self, flush=False):
        """The process is about to end: what is open counts as closed."""
        for descriptor, opened in list(self.files.items()):
            file = opened.file and opened.file()
            with contextlib.suppress(Exception):  # of the file's own
                if flush and file is not None:
                    file.flush()
            self.look(descriptor, opened)
            self.left(opened)
        for opened in self.mapped:
            self.left(opened)

    # --- Python's files -----------------------------------------------------------------------

    def watch(self, file, is_native=False):
        """Follows what the job does to a file of Python's over one of the descriptors."""
        raw = raw_of(file)
        if not isinstance(raw, own.FileIO) or raw.fileno() not in self.files:
            return
        opened = self.files[raw.fileno()]
        opened.is_native, opened.file = is_native, weakref.ref(file)
        raw.write = functools.partial(self._change, raw, "write")
        raw.truncate = functools.partial(self._change, raw, "truncate")
        raw.fileno = functools.partial(self._fileno, raw)
        raw.close = functools.partial(self._close, raw)

    def _change(self, raw, name, *arguments):
        opened = self._opened(raw)
        if opened is not None:
            self.look(own.FileIO.fileno(raw), opened)
        result = getattr(type(raw), name)(raw, *arguments)
        if opened is not None:
            opened.size = own.fstat(own.FileIO.fileno(raw)).st_size
        return result

    def _fileno(self, raw):
        opened = self._opened(raw)
        if opened is not None:
            opened.is_native = True
        return type(raw).fileno(raw)

    def _close(self, raw):
        close = functools.partial(type(raw).close, raw)
        opened = self._opened(raw) if raw.closefd else None
        for name in FOLLOWED:
            vars(raw).pop(name, None)
        if opened is None:
            return close()
        return self.close(own.FileIO.fileno(raw), close)

    def _opened(self, raw):
        return None if raw.closed else self.files.get(own.FileIO.fileno(raw))


def raw_of(file):
    buffered = getattr(file, "buffer", file)
    return getattr(buffered, "raw", buffered)


def is_mapped(path):
    """Whether this process changes a file by changing its memory, as NumPy's memmap does."""
    with own.open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return any(" rw-s " in line and line.rstrip("\n").endswith(path) for line in maps)


def path_of(descriptor):
    return own.readlink(f"/proc/self/fd/{descriptor}")
