"""Errors: where, what is wrong, a way out, and the exit status that they end with."""

import importlib
import os
import sys

from .statuses import CLOSED_PIPE, INTERRUPTED, NOT_WRITTEN, UNUSABLE, WRONG_INPUT


class Fault(Exception):
    """An error for the user: `problem` names the place, `hint` is a way out and may be empty."""

    status = WRONG_INPUT

    def __init__(self, problem, hint=""):
        super().__init__(problem, hint)
        self.problem, self.hint = problem, hint

    def __str__(self):
        lines = [f"seqpoint: error: {line}" for line in self.problem.splitlines()]
        return "\n".join(lines + ([f"  hint: {self.hint}"] if self.hint else []))


class BadUsage(Fault):
    """The command cannot be done as it was typed, or not in this environment."""

    status = UNUSABLE


class BadInput(Fault):
    """A source that cannot be read, or whose lengths would be a guess."""


class CannotWrite(Fault):
    """The result cannot be written."""

    status = NOT_WRITTEN


class NoLength(Exception):
    """One sample has no length, for the reason in the message; its place is added later."""


class Undecided(NoLength):
    """A sample whose length depends on something that the user has to state: `hint` names it."""

    def __init__(self, problem, hint):
        super().__init__(problem, hint)
        self.problem, self.hint = problem, hint


def library(module, purpose):
    """Imports a module that reads a format. BadUsage names the package if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        missing = fault.name or module
        package, wanted = missing.split(".")[0], module.split(".")[0]
        hint = f"pip install {package}"
        if wanted != package:
            problem = f"{wanted}, which {purpose}, cannot be imported: {fault}"
        elif isinstance(fault, ModuleNotFoundError):
            problem = f"the package {package}, which {purpose}, is not installed"
        else:  # installed, but broken or of another release
            problem = f"{package}, which {purpose}, cannot be imported: {fault}"
            hint = f"python3 -c 'import {module}' shows why"
        raise BadUsage(problem, hint) from None


def first_line(fault):
    """An exception of foreign code in one line."""
    text = str(fault).strip().splitlines()
    return f"{type(fault).__name__}: {text[0]}" if text else type(fault).__name__


def finish(function, arguments):
    """Runs a verb. Returns its exit status."""
    try:
        function(arguments)
        sys.stdout.flush()
        return 0
    except Fault as fault:
        print(fault, file=sys.stderr)
        return fault.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except OSError as error:
        place = error.filename or "standard output"
        print(f"seqpoint: error: {place}: {error.strerror}", file=sys.stderr)
        return WRONG_INPUT if error.filename else NOT_WRITTEN
