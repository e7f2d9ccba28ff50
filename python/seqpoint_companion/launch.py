"""Runs a job as python would, with its loaders instrumented."""

import os
import runpy
import sys
import types

from . import instrument, protect
from .saying import FAILED, INTERRUPTED, complain, rank, refuse, say


def launch(options, job):
    """Runs the job to its end, or until there is a result. Returns the exit status."""
    if os.environ.get("SEQPOINT_HOOK"):
        refuse(
            "this job is held already, by `seqpoint run`", "leave out -m seqpoint_companion there"
        )
    if options.verb != "record":  # a recorded job ends by itself, and its user wants its files
        protect.start(options.verb)
    loaders = instrument.Loaders(options)
    status = run(job, loaders)
    if status and not loaders.are_held():
        if status == INTERRUPTED:
            say("interrupted before a DataLoader was iterated: nothing was written")
        elif rank() == 0:
            complain(f"the job ended with status {status} before it trained on a batch")
        return status
    ended = loaders.finish()
    return status or ended


def run(job, loaders):
    """Runs a script, or -m and a module. Returns its exit status."""
    try:
        if job[0] == "-m":
            run_module(job[1:])
        else:
            run_script(job)
    except SystemExit as end:
        return status_of(end)
    except KeyboardInterrupt as error:
        if loaders.are_held():
            show(error)
        return INTERRUPTED
    except Exception as error:
        show(error)
        return FAILED
    return 0


def show(error):
    """Prints an exception of the job as python does."""
    error = error.with_traceback(without_own_frames(error.__traceback__))
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    sys.excepthook(type(error), error, error.__traceback__)


def without_own_frames(traceback):
    """A traceback that begins in the job, without the frames of this package."""
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
