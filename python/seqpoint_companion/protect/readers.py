"""What takes the place of Python's functions that read paths, once the job has private copies."""

import os

from . import own
from .own import READ, originals

DO_NOT_FOLLOW = ("lstat", "readlink")


class Readers:
    def __init__(self, copies):
        self.copies = copies

    def functions(self):
        functions = {name: self.reader(name) for name in READ}
        functions.update(listdir=self.listdir, scandir=self.scandir, chdir=self.chdir)
        functions.update(getcwd=self.getcwd, getcwdb=lambda: os.fsencode(self.getcwd()))
        functions["to_load"] = lambda path: self.copies.to_read(path) or path
        return functions

    def reader(self, name):
        function = originals[name]

        def read(path, *more, dir_fd=None, **named):
            if isinstance(path, int):
                return function(path, *more, **named)
            follow = name not in DO_NOT_FOLLOW and named.get("follow_symlinks", True)
            place = self.copies.to_read(path, follow, dir_fd)
            if place is not None:
                return at_place(function, place, path, *more, **named)
            if dir_fd is not None:
                named["dir_fd"] = dir_fd
            return function(path, *more, **named)

        return read

    def scandir(self, path="."):
        path = "." if path is None else path
        real = self.copies.real(path)
        if self.copies.to_read(path) is None and not own.is_folder(self.copies.gone + real):
            return own.scandir(path)
        if not own.is_folder(self.copies.place(real)):
            return at_place(own.scandir, self.copies.place(real), path)
        return Entries(path, self.copies.entries(real))

    def listdir(self, path="."):
        with self.scandir(path) as entries:
            return [entry.name for entry in entries]

    def chdir(self, path):
        if isinstance(path, int):
            return own.chdir(path)
        real = self.copies.real(path)
        in_place = own.is_folder(real) and not self.copies.hides(real)
        return at_place(own.chdir, real if in_place else self.copies.place(real), path)

    def getcwd(self):
        return self.copies.outside(own.getcwd())


def at_place(function, place, path, *more, **named):
    """Calls the function for a path's place; an error names the path."""
    place = os.fsencode(place) if isinstance(path, bytes) else place
    try:
        return function(place, *more, **named)
    except OSError as error:
        error.filename = path
        raise


class Entries:
    """What os.scandir returns: an iterator that can be closed."""

    def __init__(self, folder, entries):
        folder = "" if isinstance(folder, int) else os.fspath(folder)
        encode = os.fsencode if isinstance(folder, bytes) else str
        self._entries = iter([Entry(folder, encode(name), of) for name, of in entries.items()])

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


class Entry:
    """An os.DirEntry under the path by which the job looks at its folder."""

    def __init__(self, folder, name, entry):
        self.name, self.path = name, os.path.join(folder, name) if folder else name
        self._entry = entry

    def __fspath__(self):
        return self.path

    def __getattr__(self, name):
        return getattr(self._entry, name)

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"
