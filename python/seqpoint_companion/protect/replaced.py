"""Puts functions in the place of Python's own. They are loaded when a process first needs them.

Every Python process of a job runs this module, and many neither write a file nor have anything of
the job's to read. `calls` loads the others: files, readers and what they use.
"""

import builtins
import io
import os
import sys

from .. import caller
from ..on_import import change_on_import
from . import own
from .own import CHANGE, CHANGE_OPEN, CHANGE_STATE, CREATE, FOLDERS, READ, WRITES

OPENER = 5  # position of this argument of open() behind `mode`
ABILITIES = (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)
replacements = {}  # {Python's own function: the one in its place}


class Calls:
    """The calls of this process, by the name of Python's function."""

    def __init__(self, scratch):
        self.scratch, self.stamp, self.began_in = scratch, f"{scratch}/stamp", own.getcwd()
        self._functions = self._copies = None
        self.written = None  # once this process has changed a file

    def are_left_alone(self):
        """Whether Python's own functions are meant: by this package, or as the run has gone."""
        return own.is_inside() or caller.is_gone() or not own.access(self.scratch, os.F_OK)

    def may_differ(self):
        """Whether the job may have private copies to read."""
        return own.access(self.stamp, os.F_OK) and not own.is_inside() and not caller.is_gone()

    def copies(self):
        if self._copies is None:
            from .copies import Copies

            self._copies = Copies(self.scratch, self.began_in)
        return self._copies

    def function(self, name):
        if self._functions is None:
            with own.Inside():
                self._load()
        return self._functions[name]

    def _load(self):
        from .files import Files
        from .readers import Readers
        from .written import Written

        copies = self.copies()
        self.written = Written(copies)
        self._functions = Readers(copies).functions()
        self._functions.update(Files(copies, self.written).functions())

    def change(self, name, *arguments, **named):
        """Calls a function that may change files. What it calls finds Python's own in place."""
        try:
            with own.Inside():
                return self.function(name)(*arguments, **named)
        except OSError as error:
            restore_names(error, arguments)
            raise

    def watch(self, file, is_native):
        if self.written is not None:
            self.written.watch(file, is_native)

    def end(self):
        """The process is about to end."""
        if self.written is not None:
            self.written.end(flush=True)


def restore_names(error, arguments):
    """An error names the paths that the job has given."""
    if error.filename is not None and arguments:
        error.filename = arguments[0]
    if error.filename2 is not None and len(arguments) > 1:
        error.filename2 = arguments[1]


# --- functions -----------------------------------------------------------------------------------


def guard(calls):
    for name in CHANGE + CREATE + CHANGE_STATE + CHANGE_OPEN:
        setattr(os, name, changing(calls, name))
    for name in READ + FOLDERS:
        setattr(os, name, reading(calls, name))
    os.open, os.close = opening_descriptor(calls), closing_descriptor(calls)
    os._exit = ending(calls)
    builtins.open = io.open = opening(calls)
    io.FileIO = file_io(calls)
    follow_modules()
    if sys.version_info < (3, 11):
        change_on_import({"pathlib": put_into_pathlib})


def changing(calls, name):
    own_function = getattr(os, name)

    def replaced(*arguments, **named):
        if calls.are_left_alone():
            return own_function(*arguments, **named)
        return calls.change(name, *arguments, **named)

    return named_as(own_function, replaced)


def reading(calls, name):
    own_function = getattr(os, name)

    def replaced(*arguments, **named):
        if not calls.may_differ():
            return own_function(*arguments, **named)
        return calls.function(name)(*arguments, **named)

    return named_as(own_function, replaced)


def opening_descriptor(calls):
    def replaced(path, flags, *more, **named):
        if calls.are_left_alone() if flags & WRITES else not calls.may_differ():
            return own.open_descriptor(path, flags, *more, **named)
        return calls.change("open_descriptor", path, flags, *more, **named)

    return named_as(own.open_descriptor, replaced)


def closing_descriptor(calls):
    def replaced(fd):
        if calls.written is None or fd not in calls.written.files:
            return own.close(fd)
        return calls.written.close(fd, lambda: own.close(fd))

    return named_as(own.close, replaced)


def ending(calls):
    def replaced(status):
        if calls.written is not None:
            calls.written.end()
        own.end_process(status)

    return named_as(own.end_process, replaced)


def opening(calls):
    def replaced(file, mode="r", *more, **named):
        opener = more[OPENER] if len(more) > OPENER else named.get("opener")
        if not opener and not is_left_alone(calls, file, mode):
            return calls.change("open", file, mode, *more, **named)
        opened = own.open(file, mode, *more, **named)  # an opener calls os.open
        calls.watch(opened, is_native=not opener)
        return opened

    return named_as(own.open, replaced, "io")


def is_left_alone(calls, file, mode):
    """Whether open() does as Python's own."""
    if isinstance(file, int) or not isinstance(mode, str):
        return True
    if "r" in mode and "+" not in mode:
        return not calls.may_differ()
    return calls.are_left_alone()


def file_io(calls):
    """A class in place of io.FileIO; files of open() are of it, too."""

    class Kind(type):
        def __instancecheck__(cls, file):
            return isinstance(file, own.FileIO)

    class FileIO(own.FileIO, metaclass=Kind):
        def __init__(self, file, mode="r", *more, **named):
            place = file
            if not is_left_alone(calls, file, mode):
                place = calls.change("to_open", file, mode)
            super().__init__(place, mode, *more, **named)
            self.name = file
            if self.writable() and not isinstance(file, int) and not calls.are_left_alone():
                calls.change("opened", self.fileno())
            calls.watch(self, is_native=isinstance(file, int))

    FileIO.__module__ = "io"
    return FileIO


def named_as(own_function, function, module="os"):
    function.__name__ = function.__qualname__ = own_function.__name__
    function.__doc__, function.__module__ = own_function.__doc__, module
    function.__wrapped__ = own_function  # for inspect.signature
    for able in ABILITIES:
        if own_function in able:
            able.add(function)
    replacements[own_function] = function
    return function


def follow_modules():
    """Python's own functions under other names, in modules that were imported before."""
    for module_name, module in list(sys.modules.items()):
        if module_name in ("io", "_io", "posix") or module_name.startswith("seqpoint_companion"):
            continue
        for name, value in list(vars(module).items()):
            if type(value) is type(own.open) and value in replacements:
                setattr(module, name, replacements[value])


def put_into_pathlib(pathlib):
    """Before Python 3.11, pathlib keeps functions as attributes of a class.

    There the replacements would be methods, so they become attributes of its object.
    """
    for name, kept in list(vars(type(pathlib._normal_accessor)).items()):
        kept = getattr(kept, "__func__", kept)  # of a static method
        if any(kept is function for pair in replacements.items() for function in pair):
            setattr(pathlib._normal_accessor, name, replacements.get(kept, kept))
