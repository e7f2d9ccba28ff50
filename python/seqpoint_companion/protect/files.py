"""Python's functions for files, replaced so that a job's checkpoints go to a scratch folder.

`guard()` replaces those that change files. Those that only read are replaced when the first file
goes into the folder.
"""

import builtins
import functools
import io
import os
import pathlib
import shutil
import sys
import threading

from .scratch import is_checkpoint

READERS = ("stat", "lstat", "access", "chmod", "utime", "readlink")
running = threading.local()  # .inside: whether this thread is in one of the functions below
ABILITIES = (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)
own_open, own_remove, own_rename, own_mkdir = io.open, os.remove, os.rename, os.mkdir
own_listdir, own_scandir, own_symlink = os.listdir, os.scandir, os.symlink
own_rmdir, own_rmtree = os.rmdir, shutil.rmtree


class Files:
    """The functions that take the place of Python's own. `scratch`: a Scratch."""

    def __init__(self, scratch):
        self.scratch = scratch

    def guard(self):
        builtins.open = io.open = replacement(own_open, self.open)
        shutil.rmtree = replacement(own_rmtree, self.rmtree)
        self.replace("remove", self.remove)
        self.replace("unlink", self.remove)
        self.replace("rename", self.rename)
        self.replace("replace", self.rename)
        self.replace("mkdir", self.mkdir)
        self.replace("rmdir", self.rmdir)
        self.scratch.used = self.guard_readers

    def guard_readers(self):
        self.scratch.used = lambda: None
        for name in READERS:
            self.replace(name, functools.partial(self.read, getattr(os, name)))
        self.replace("listdir", self.listdir)
        self.replace("scandir", self.scandir)
        self.replace("symlink", self.symlink)

    @staticmethod
    def replace(name, function):
        function = replacement(getattr(os, name), function)
        setattr(os, name, function)
        paths = getattr(pathlib, "_normal_accessor", None)  # before Python 3.11
        if hasattr(paths, name):
            setattr(paths, name, function)

    def open(self, file, mode="r", *more, **named):
        if not isinstance(file, (str, os.PathLike)):
            return own_open(file, mode, *more, **named)
        path = os.fspath(file)
        if isinstance(path, bytes):
            return own_open(path, mode, *more, **named)
        if "r" in mode and "+" not in mode:
            return own_open(self.scratch.to_read(path), mode, *more, **named)
        return own_open(self._to_write(path, mode), mode, *more, **named)

    def _to_write(self, path, mode):
        if is_checkpoint(path) and "w" in mode:
            return self.scratch.to_save(path)
        if self.scratch.takes(path):
            return self.scratch.to_write(path)
        if not asked_by_us():
            self.scratch.tell_of(path)
            self.scratch.make_file(path)
        return path

    def read(self, own, path, *more, **named):
        return own(self._seen(path, named), *more, **named)

    def _seen(self, path, named):
        if isinstance(path, int) or named.get("dir_fd") is not None:
            return path
        return self.scratch.to_read(path)

    def remove(self, path, *, dir_fd=None):
        path = os.fspath(path)
        if dir_fd is not None or isinstance(path, bytes):
            return own_remove(path, dir_fd=dir_fd)
        if self.scratch.takes(path):
            own_remove(self.scratch.place(path))
        elif not self.scratch.keeps(path):
            return own_remove(path)
        return self.scratch.hide(path)

    def rmdir(self, path, *, dir_fd=None):
        path = os.fspath(path)
        if dir_fd is not None or isinstance(path, bytes):
            return own_rmdir(path, dir_fd=dir_fd)
        if self.scratch.takes(path):
            own_rmdir(self.scratch.place(path))
        if self.scratch.has(path) or not os.path.lexists(path):
            return None
        return self.scratch.hide(path) if self.scratch.hides_in(path) else own_rmdir(path)

    def rmtree(self, path, *more, **named):
        path = os.fspath(path)
        if isinstance(path, bytes) or named.get("dir_fd") is not None:
            return own_rmtree(path, *more, **named)
        if self.scratch.takes(path):
            own_rmtree(self.scratch.place(path), *more, **named)
            if self.scratch.has(path) or not os.path.lexists(path):
                return None
        if self._holds_checkpoints(path):
            return self.scratch.hide(path)
        return own_rmtree(path, *more, **named)

    def _holds_checkpoints(self, folder):
        files = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
        return self.scratch.hides_in(folder) or any(map(self.scratch.keeps, files))

    def rename(self, source, target, *, src_dir_fd=None, dst_dir_fd=None):
        source, target = os.fspath(source), os.fspath(target)
        if (src_dir_fd, dst_dir_fd) != (None, None) or isinstance(source, bytes):
            own_rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        elif os.path.isdir(source):
            self._rename_folder(source, target)
        elif self.scratch.takes(source):
            own_rename(self.scratch.place(source), self.scratch.to_write(target))
            self.scratch.hide(source)
        elif self.scratch.keeps(source):
            shutil.copy2(source, self.scratch.to_write(target))
            self.scratch.hide(source)
        elif is_checkpoint(target) or self.scratch.takes(target):
            shutil.move(source, self.scratch.to_save(target))
        else:
            own_rename(source, target)

    def _rename_folder(self, source, target):
        """A folder may have a part in both places; a part that was there before stays."""
        place = self.scratch.place(source)
        if (
            not self.scratch.has(source)
            and os.path.lexists(source)
            and not self.scratch.hides(source)
        ):
            if self._holds_checkpoints(source):
                shutil.copytree(source, self.scratch.to_write(target), dirs_exist_ok=True)
                self.scratch.hide(source)
            elif self.scratch.hides(target):
                shutil.copytree(source, self.scratch.to_write(target), dirs_exist_ok=True)
                own_rmtree(source)
            else:
                own_rename(source, target)
                self.scratch.move(source, target)
        if os.path.lexists(place):
            shutil.copytree(place, self.scratch.to_write(target), dirs_exist_ok=True)
            own_rmtree(place)

    def mkdir(self, path, *more, **named):
        if named.get("dir_fd") is not None or isinstance(os.fspath(path), bytes):
            return own_mkdir(path, *more, **named)
        if self.scratch.takes(path):
            return own_mkdir(self.scratch.to_write(path), *more, **named)
        own_mkdir(path, *more, **named)
        return self.scratch.folders.append(os.path.abspath(path))

    def symlink(self, source, target, *more, **named):
        beside = os.path.join(os.path.dirname(target), source)
        if named.get("dir_fd") is not None:
            return own_symlink(source, target, *more, **named)
        if self.scratch.takes(target) or is_checkpoint(target) or self.scratch.takes(beside):
            source = self.scratch.to_read(source) if os.path.isabs(source) else source
            target = self.scratch.to_write(target)
        return own_symlink(source, target, *more, **named)

    def listdir(self, path="."):
        if isinstance(path, (int, bytes)):
            return own_listdir(path)
        with self.scandir(path) as entries:
            return [entry.name for entry in entries]

    def scandir(self, path="."):
        if isinstance(path, (int, bytes)):
            return own_scandir(path)
        path = os.fspath(path)
        place, found = self.scratch.place(path), {}
        if self.scratch.hides(path) or self.scratch.has(path) or not os.path.lexists(path):
            return own_scandir(place)
        if not os.path.lexists(place) and not self.scratch.hides_in(path):
            return own_scandir(path)
        for entry in own_scandir(path):
            if not self.scratch.hides(entry.path):
                found[entry.name] = entry
        if os.path.isdir(place):
            found.update((entry.name, entry) for entry in own_scandir(place))
        return Entries(found.values())


class Entries:
    """What os.scandir returns: an iterator that can be closed."""

    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self._entries

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def close(self):
        pass


def asked_by_us():
    """Whether this package opens a file: its outputs are no files of the job."""
    return sys._getframe(4).f_globals["__name__"].startswith("seqpoint_companion.")


def replacement(own, function):
    """The function under the name of Python's own, which it finds unreplaced if it calls others."""

    @functools.wraps(own)
    def replaced(*arguments, **named):
        if getattr(running, "inside", False):
            return own(*arguments, **named)
        running.inside = True
        try:
            return function(*arguments, **named)
        finally:
            running.inside = False

    for able in ABILITIES:
        if own in able:
            able.add(replaced)
    return replaced
