"""Runs a job as python would, with its loaders taken hold of."""

import os
import runpy
import sys
import types

from . import hold
from .saying import say

FAILED = 1  # exit status: the job ended before there was a result
INTERRUPTED = 130


def launch(options, job):
    """Runs the job to its end, or until there is a result. Returns the exit status."""
    holder = hold.Holder(options)
    status = run(job)
    why = holder.unfinished()
    if status and not holder.holds():
        why = f"the job ended with status {status} before it iterated a DataLoader"
    if why:
        say(f"error: {why}")
    return status or (FAILED if why else 0)


def run(job):
    """Runs a script, or -m and a module. Returns its exit status."""
    try:
        if job[0] == "-m":
            run_module(job[1:])
        else:
            run_script(job)
    except SystemExit as end:
        return status_of(end)
    except (Exception, KeyboardInterrupt) as error:
        error = error.with_traceback(without_own_frames(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
    return 0


def without_own_frames(traceback):
    """A traceback that begins in the job, as if nothing stood before it."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


def run_module(words):
    sys.argv, sys.path[0] = words, os.getcwd()
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def run_script(words):
    path = os.path.abspath(words[0])
    sys.argv, sys.path[0] = words, os.path.dirname(os.path.realpath(path))
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = path
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, vars(main))


def status_of(end):
    """The exit status of a SystemExit; a text is printed, as python does."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return FAILED
