"""Renaming where an old file or folder is involved: copies, and what the job no longer sees."""

import errno
import os
import shutil

from . import own


class Moves:
    def __init__(self, copies):
        self.copies = copies

    def move(self, source, target):
        """Renames a real path, as os.rename does."""
        if source == target:
            return
        require_possible(self.copies, source, target)
        here = self.copies.place(source)
        there = self.copies.to_replace(target)
        if own.is_folder(here):
            self._move_folder(source, there)
        else:
            self._move_file(source, there)
        self._leave(source)
        self.copies.changed()

    def _move_folder(self, source, there):
        own.makedirs(there, exist_ok=True)
        for name in self.copies.entries(source):
            child = f"{source}/{name}"
            if own.is_folder(self.copies.place(child)):
                self._move_folder(child, f"{there}/{name}")
            else:
                self._move_file(child, f"{there}/{name}")
        shutil.copystat(self.copies.place(source), there)

    def _move_file(self, source, there):
        here = self.copies.place(source)
        if here == source and self.copies.is_old(source):
            self.copy(here, there)
            return
        try:
            own.rename(here, there)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self.copy(here, there)
            own.remove(here)

    @staticmethod
    def copy(here, there):
        unready = f"{there}.{os.urandom(8).hex()}"
        shutil.copy2(here, unready, follow_symlinks=False)
        own.rename(unready, there)

    def _leave(self, source):
        """The job no longer sees what was moved."""
        if own.is_folder(self.copies.files + source):
            shutil.rmtree(self.copies.files + source)
        if self.copies.is_old(source):
            self.copies.hide(source)
        elif own.is_folder(source) and not is_removed(source):
            self.copies.hide(source)


def is_removed(folder):
    """Removes a folder and those in it, unless there is a file: an old one, which stays."""
    for at, _, _ in os.walk(folder, topdown=False):
        try:
            own.rmdir(at)
        except OSError:
            return False
    return True


def require_possible(copies, source, target):
    """Raises what os.rename would."""
    here, there = copies.place(source), copies.place(target)
    if not own.exists(here):
        refuse(errno.ENOENT, source, target)
    if target.startswith(f"{source}/"):
        refuse(errno.EINVAL, source, target)
    if not own.is_folder(copies.place(own.parent(target))):
        refuse(errno.ENOENT, source, target)
    if not own.exists(there) or own.is_folder(here) is own.is_folder(there) is False:
        return
    if not own.is_folder(there):
        refuse(errno.ENOTDIR, source, target)
    if not own.is_folder(here):
        refuse(errno.EISDIR, source, target)
    if copies.entries(target):
        refuse(errno.ENOTEMPTY, source, target)


def refuse(number, source, target):
    raise OSError(number, os.strerror(number), source, None, target)
