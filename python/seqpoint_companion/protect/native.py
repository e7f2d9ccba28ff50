"""Functions of libraries that read or write files in native code: they get the files' places.

Everything else that a library does to files goes through Python's own functions.
"""

import functools
import os


def redirect(calls, module, functions):
    """Replaces these functions of the module; a release may lack one. `functions`: as NATIVE."""
    for name, position, argument, asked in functions:
        owner, _, function = name.rpartition(".")
        owner = getattr(module, owner, None) if owner else module
        own_function = getattr(owner, function, None)
        if own_function is not None:
            setattr(owner, function, with_path(calls, own_function, position, argument, asked))


def with_path(calls, own_function, position, argument, asked):
    """The function with the place of its path. Other values, such as open files, stay."""

    @functools.wraps(own_function)
    def redirected(*arguments, **named):
        given = arguments[position] if len(arguments) > position else named.get(argument)
        if not isinstance(given, (str, os.PathLike)) or calls.are_left_alone():
            return own_function(*arguments, **named)
        if asked == "to_load" and not calls.may_differ():
            return own_function(*arguments, **named)
        place = calls.change(asked, given)
        if argument in named:
            named[argument] = place
        else:
            arguments = (*arguments[:position], place, *arguments[position + 1 :])
        try:
            return own_function(*arguments, **named)
        finally:
            if asked != "to_load":
                calls.change("saved", place)

    return redirected
