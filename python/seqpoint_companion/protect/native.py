"""Functions of libraries that read or write files in native code: they get the files' places.

Everything else that a library does to files goes through Python's own functions.
"""

import functools
import os

from . import NATIVE


def redirect(calls, module):
    """Replaces the functions of the module; a release may lack one."""
    for name, position, argument, place in NATIVE[module.__name__]:
        owner, _, function = name.rpartition(".")
        owner = getattr(module, owner, None) if owner else module
        own_function = getattr(owner, function, None)
        if own_function is not None:
            place_of = functools.partial(place_in, calls, place)
            setattr(owner, function, with_path(own_function, position, argument, place_of))


def with_path(own_function, position, argument, place_of):
    @functools.wraps(own_function)
    def redirected(*arguments, **named):
        if argument in named:
            named[argument] = place_of(named[argument])
        elif len(arguments) > position:
            path = place_of(arguments[position])
            arguments = (*arguments[:position], path, *arguments[position + 1 :])
        return own_function(*arguments, **named)

    return redirected


def place_in(calls, asked, value):
    """The place of a path; other values, such as open files, stay."""
    if not isinstance(value, (str, os.PathLike)) or calls.are_left_alone():
        return value
    if asked == "to_load" and not calls.may_differ():
        return value
    return calls.change(asked, value)
