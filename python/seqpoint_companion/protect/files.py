"""What takes the place of Python's functions that change files: old files stay as they are."""

import errno
import os

from . import moves, own
from .replaced import CHANGE_STATE, CREATE, WRITES, originals

EXCLUSIVE = os.O_CREAT | os.O_EXCL
BY_PATH = {"fchmod": "chmod", "fchown": "chown"}


class Files:
    def __init__(self, copies):
        self.copies = copies

    def functions(self):
        functions = {"open": self.open, "open_descriptor": self.open_descriptor}
        functions.update(remove=self.remove, unlink=self.remove, rmdir=self.rmdir)
        functions.update(rename=self.rename, replace=self.rename)
        functions.update(link=self.link, symlink=self.symlink)
        functions.update((name, self.creator(originals[name])) for name in CREATE)
        functions.update((name, self.changer(name, name)) for name in CHANGE_STATE)
        functions.update((name, self.changer(name, by_path)) for name, by_path in BY_PATH.items())
        functions.update(to_open=self.to_open, to_save=self.to_save, to_save_in=self.to_save_in)
        return functions

    # --- open ---------------------------------------------------------------------------------

    def open(self, file, mode="r", *more, **named):
        place = self.to_open(file, mode)
        opened = own.open(place, mode, *more, **named)
        if place is not file:
            raw = getattr(opened, "buffer", opened)
            getattr(raw, "raw", raw).name = file
        return opened

    def to_open(self, file, mode):
        """The place of a file that is opened, or the file itself."""
        if "r" in mode and "+" not in mode:
            return self._to_read(file)
        place = self.copies.to_write(self.copies.real(file), "w" not in mode, "x" in mode)
        return place if self.copies.are_used() else file

    def _to_read(self, path, follow=True, dir_fd=None):
        if not self.copies.are_used():
            return path
        return self.copies.to_read(path, follow, dir_fd) or path

    def open_descriptor(self, path, flags, mode=0o777, *, dir_fd=None):
        follow = not flags & os.O_NOFOLLOW
        if not flags & WRITES:
            place = self._to_read(path, follow, dir_fd)
            return own.open_descriptor(place, flags, mode, dir_fd=dir_fd)
        exclusive = flags & EXCLUSIVE == EXCLUSIVE
        real = self.copies.real(path, follow and not exclusive, dir_fd)
        place = self.copies.to_write(real, not flags & os.O_TRUNC, exclusive)
        return own.open_descriptor(place, flags, mode)

    # --- files that native code opens -----------------------------------------------------------

    def to_save(self, path):
        """The place for native code to write; a new file is there first, so that it is listed."""
        place = self.copies.to_write(self.copies.real(path), content=False)
        if not own.exists(place):
            own.open(place, "xb").close()
        return place

    def to_save_in(self, folder):
        return self.copies.to_change(self.copies.real(folder))

    # --- one path -----------------------------------------------------------------------------

    def remove(self, path, *, dir_fd=None):
        real = self.copies.real(path, False, dir_fd)
        place = self.copies.place(real)
        old = self.copies.is_old(real)
        if own.is_folder(place):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if place != real or not old:
            own.remove(place)
        if old:
            self.copies.hide(real)

    def rmdir(self, path, *, dir_fd=None):
        real = self.copies.real(path, False, dir_fd)
        place = self.copies.place(real)
        old = self.copies.is_old(real)
        if own.is_folder(place) and self.copies.entries(real):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        if place != real or not old or not own.is_folder(real):
            own.rmdir(place)
        if old:
            self.copies.hide(real)

    def creator(self, function):
        def create(path, *more, dir_fd=None, **named):
            real = self.copies.real(path, False, dir_fd)
            place = self.copies.place(real)
            place = place if own.exists(place) else self.copies.to_make(real)
            return function(place, *more, **named)

        return create

    def changer(self, name, by_path):
        """A function for a path or an open file; `by_path`: makes the same change by a path."""
        function, change_path = originals[name], originals[by_path]

        def change(path, *more, dir_fd=None, **named):
            follow = name != "lchown" and named.get("follow_symlinks", True)
            real = self.copies.real(path, follow, dir_fd)
            if isinstance(path, int) and not self.copies.is_old(real):
                return function(path, *more, **named)
            return change_path(self.copies.to_change(real), *more, **named)

        return change

    # --- two paths ----------------------------------------------------------------------------

    def symlink(self, src, dst, target_is_directory=False, *, dir_fd=None):
        real = self.copies.real(dst, False, dir_fd)
        place = self.copies.place(real)
        own.symlink(src, place if own.exists(place) else self.copies.to_make(real))

    def link(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
        follows = follow_symlinks and src_dir_fd is not None  # as linkat does
        source = self.copies.real(src, follows, src_dir_fd)
        target = self.copies.real(dst, False, dst_dir_fd)
        if own.exists(self.copies.place(target)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), src, None, dst)
        here, there = self.copies.to_change(source), self.copies.to_make(target)
        try:
            own.link(here, there, follow_symlinks=follow_symlinks)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            moves.copy(here, there)  # the scratch folder is on another file system

    def rename(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None):
        source = self.copies.real(src, False, src_dir_fd)
        target = self.copies.real(dst, False, dst_dir_fd)
        if self.copies.is_protected(source) or self.copies.is_protected(target):
            moves.move(self.copies, source, target)
        else:
            own.rename(source, target)
            self.copies.note_made(target)
