"""What takes the place of Python's functions that change files: somebody's stay as they are."""

import contextlib
import errno
import os

from . import moves, own
from .own import CHANGE_STATE, CREATE, WRITES, originals
from .written import raw_of

EXCLUSIVE = os.O_CREAT | os.O_EXCL
FOR_OTHERS = 0o077  # of a mode
BY_PATH = {"fchmod": "chmod", "fchown": "chown"}


class Files:
    def __init__(self, copies, written):
        self.copies, self.written = copies, written

    def functions(self):
        functions = {"open": self.open, "open_descriptor": self.open_descriptor}
        functions.update(remove=self.remove, unlink=self.remove, rmdir=self.rmdir)
        functions.update(rename=self.rename, replace=self.rename)
        functions.update(link=self.link, symlink=self.symlink)
        functions.update((name, self.creator(originals[name])) for name in CREATE)
        functions.update((name, self.changer(name, name)) for name in CHANGE_STATE)
        functions.update((name, self.changer(name, by_path)) for name, by_path in BY_PATH.items())
        functions.update(to_open=self.to_open, opened=self.opened)
        functions.update(to_save=self.to_save, to_save_in=self.to_save_in, saved=self.saved)
        return functions

    def left(self, real, place):
        """Lists what the job has made, or changed, in its place.

        What cannot be listed stays: that is no fault of the job.
        """
        if place == real and not self.copies.is_left_alone(real):
            with contextlib.suppress(OSError):
                self.copies.ours.add(real)

    # --- open ---------------------------------------------------------------------------------

    def open(self, file, mode="r", *more, **named):
        place = self.to_open(file, mode)
        opened = own.open(place, mode, *more, **named)
        if place is not file:
            raw_of(opened).name = file
        if writes(mode):
            self.opened(opened.fileno())
            self.written.watch(opened)
        return opened

    def opened(self, descriptor, is_native=False):
        with contextlib.suppress(OSError):
            self.written.opened(descriptor, is_native)

    def to_open(self, file, mode):
        """The place of a file that is opened, or the file itself."""
        if not writes(mode):
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
        descriptor = own.open_descriptor(place, flags, mode)
        self.opened(descriptor, is_native=True)
        return descriptor

    # --- files that native code opens -----------------------------------------------------------

    def to_save(self, path):
        """The place for native code to write; a new file is there first, so that it is listed."""
        place = self.copies.to_write(self.copies.real(path), content=False)
        if not own.exists(place):
            own.open(place, "xb").close()
        return place

    def to_save_in(self, folder):
        real = self.copies.real(folder)
        place = self.copies.place(real)
        if place != real or not self.copies.has_somebodys(real):
            return place
        return self.copies.to_change_in(real)

    def saved(self, place):
        """Native code has written there: all that is there is of the job."""
        for path in own.tree(place):
            self.left(self.copies.outside(path), path)

    # --- one path -----------------------------------------------------------------------------

    def remove(self, path, *, dir_fd=None):
        real = self.copies.real(path, False, dir_fd)
        place = self.copies.place(real)
        if own.is_folder(place):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if place != real or not self.copies.is_somebodys(real):
            with self.copies.ours.leaving(place):
                own.remove(place)
        if own.exists(real):
            self.copies.hide(real)

    def rmdir(self, path, *, dir_fd=None):
        real = self.copies.real(path, False, dir_fd)
        place = self.copies.place(real)
        if own.is_folder(place) and self.copies.entries(real):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        if place != real or not self.copies.is_somebodys(real) or not own.is_folder(real):
            try:
                with self.copies.ours.leaving(place):
                    own.rmdir(place)
            except OSError as error:
                if error.errno != errno.ENOTEMPTY:  # of what the job does not see
                    raise
        if own.exists(real):
            self.copies.hide(real)

    def creator(self, function):
        def create(path, *more, dir_fd=None, **named):
            real = self.copies.real(path, False, dir_fd)
            place = self.copies.place(real)
            place = place if own.exists(place) else self.copies.to_make(real)
            function(place, *more, **named)
            self.left(real, place)
            mode = more[0] if more else named.get("mode", FOR_OTHERS)
            if function is own.mkdir and not mode & FOR_OTHERS and place == real:
                self.copies.ours.add_private(real)

        return create

    def changer(self, name, by_path):
        """A function for a path or an open file; `by_path`: makes the same change by a path."""
        function, change_path = originals[name], originals[by_path]

        def change(path, *more, dir_fd=None, **named):
            follow = name != "lchown" and named.get("follow_symlinks", True)
            real = self.copies.real(path, follow, dir_fd)
            if isinstance(path, int) and not self.copies.is_somebodys(real):
                function(path, *more, **named)
                return self.left(real, self.copies.place(real))
            place = self.copies.to_change(real)
            change_path(place, *more, **named)
            return self.left(real, place)

        return change

    # --- two paths ----------------------------------------------------------------------------

    def symlink(self, src, dst, target_is_directory=False, *, dir_fd=None):
        real = self.copies.real(dst, False, dir_fd)
        place = self.copies.place(real)
        place = place if own.exists(place) else self.copies.to_make(real)
        own.symlink(src, place)
        self.left(real, place)

    def link(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
        follows = follow_symlinks and src_dir_fd is not None  # as linkat does
        source = self.copies.real(src, follows, src_dir_fd)
        target = self.copies.real(dst, False, dst_dir_fd)
        if own.exists(self.copies.place(target)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), src, None, dst)
        here = self.copies.to_change(source)
        make = self.copies.to_make if here == source else self.copies.to_hold
        there = make(target)
        try:
            own.link(here, there, follow_symlinks=follow_symlinks)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            moves.copy(here, there)  # the scratch folder is on another file system
        self.left(source, here)
        self.left(target, there)

    def rename(self, src, dst, *, src_dir_fd=None, dst_dir_fd=None):
        source = self.copies.real(src, False, src_dir_fd)
        target = self.copies.real(dst, False, dst_dir_fd)
        stays = self.copies.has_somebodys(source) or self.copies.is_somebodys(target)
        if stays or self.copies.place(source) != source or self.copies.place(target) != target:
            return moves.move(self.copies, source, target)
        with self.copies.ours.leaving(target):
            own.rename(source, target)
        self.written.moved(source, target)
        return self.saved(target)


def writes(mode):
    """Whether open() with that mode is to write."""
    return "r" not in mode or "+" in mode
