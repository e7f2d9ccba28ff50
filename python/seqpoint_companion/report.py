"""Events from hooked processes for `seqpoint run`: JSON lines appended to SEQPOINT_REPORT.

hooked.py lists the events; machines but the caller's have files of their own. Without that
variable nothing is written. JSON is imported with the first event that needs it, because every
Python process of a job runs the first lines of this module.
"""

import os

from . import caller
from .protect import own


def tell(event, **fields):
    path = caller.report_path()
    if not path:
        return
    import json

    append(path, json.dumps({"event": event, "pid": os.getpid(), **fields}))


def tell_imported(module, _):
    """A library that may train was imported."""
    tell_plain("imported", "library", module.__name__)


def tell_plain(event, name, text):
    """An event with a text that needs no escapes, made without the json module."""
    path = caller.report_path()
    if path:
        append(path, f'{{"event": "{event}", "pid": {os.getpid()}, "{name}": "{text}"}}')


def append(path, line):
    """Writes one line in one call, so that lines of several processes do not mix."""
    if caller.is_gone():
        return
    try:
        with own.open(path, "ab", buffering=0) as file:
            file.write(f"{line}\n".encode())
    except OSError as error:
        if caller.is_gone(now=True):
            return
        caller.say_unwritable(error)


def is_done():
    """Whether a process of this job has already written the result."""
    folder, name = os.path.split(os.environ.get("SEQPOINT_REPORT", ""))
    try:
        reports = [of for of in own.listdir(folder) if f"{of}.".startswith(f"{name}.")]
        return any(_has_done(os.path.join(folder, of)) for of in reports)
    except OSError:
        return False


def _has_done(path):
    with open(path, encoding="utf-8") as file:
        return any(line.startswith('{"event": "done"') for line in file)
