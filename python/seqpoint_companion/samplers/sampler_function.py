"""The function of `--sampler MODULE:FUNCTION`, which makes a sampler of lengths."""

import contextlib
import importlib
import os
import sys
import traceback

from ..faults import BadUsage, Fault, first_line

EXAMPLE = """\
    import torch
    from torch.utils.data import BatchSampler, RandomSampler
    def sampler(lengths):
        torch.manual_seed(1)
        return BatchSampler(RandomSampler(lengths), 32, drop_last=False)"""
FORM = f"""\
write a function that returns the sampler, for example in mine.py
{EXAMPLE}
  and pass it: --sampler mine:sampler LENGTHS.csv -o order.csv"""
FOUND_IN = "modules of this folder, of PYTHONPATH and of this Python are found"

# Files that are not shown as the place of an error of the user's code.
NOT_THE_USERS = ("<frozen ", os.path.dirname(importlib.__file__), os.path.dirname(__file__))


class SamplerFunction:
    """The user's function, whose errors are reported with file and line."""

    def __init__(self, name):
        self.name, self.file = name, None
        module, _, attribute = name.partition(":")
        if not attribute:
            raise BadUsage(f"--sampler {name}: is not MODULE:FUNCTION", FORM)
        sys.path.insert(0, os.getcwd())
        try:
            found = importlib.import_module(module)
        except Exception as error:  # importing the user's code may raise anything
            problem = f"--sampler {name}: cannot be imported: {self._described(error)}"
            raise BadUsage(problem, FOUND_IN) from None
        self.file = getattr(found, "__file__", None)
        self.function = getattr(found, attribute, None)
        if isinstance(self.function, type):
            raise BadUsage(f"--sampler {name}: {attribute} is a class, not a function", FORM)
        if not callable(self.function):
            raise BadUsage(f"--sampler {name}: {module} has no function {attribute}", FORM)

    def call(self, *arguments):
        with self.errors_with_lines():
            return self.function(*arguments)

    @contextlib.contextmanager
    def errors_with_lines(self):
        """BadUsage for exceptions of the function, and of the sampler while it is iterated."""
        try:
            yield
        except Fault:
            raise
        except Exception as error:
            # Without a line of its own the function takes other arguments, or returns no sampler.
            hint = "" if places_of(error) else FORM
            raise BadUsage(f"{self.name}: {self._described(error)}", hint) from None

    def _described(self, error):
        """The error, with the last line of the user's file, or else of any other."""
        places = places_of(error)
        own = [place for place in places if place.filename == self.file] or places
        return first_line(error) + (f" ({own[-1].filename}:{own[-1].lineno})" if own else "")


def places_of(error):
    """The lines that an exception passed through, outermost first."""
    return [
        place
        for place in traceback.extract_tb(error.__traceback__)
        if not place.filename.startswith(NOT_THE_USERS)
    ]
