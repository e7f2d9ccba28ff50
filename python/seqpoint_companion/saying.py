"""Messages on standard error, and ending a job early."""

import atexit
import contextlib
import gc
import io
import os
import sys

from . import caller, ranks, report
from .statuses import (  # noqa: F401  the other modules use them from here
    FAILED,
    INTERRUPTED,
    NOT_WRITTEN,
    UNUSABLE,
    WRONG_INPUT,
)


def rank():
    """The rank of this process if it is known, without importing PyTorch."""
    here, number = ranks.process()
    return here if number > 1 else int(os.environ.get("RANK") or 0)


def say(text, of_result=False):
    """Prints a line, once for all ranks. `of_result`: it limits what measured times mean."""
    if rank() == 0:
        report.tell("note", text=text, of_result=of_result)
        print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def say_meanwhile(text):
    """Prints a line that the user of `seqpoint run` sees at once, while the job goes on."""
    if rank() == 0:
        report.tell("meanwhile", text=text)
        print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def warn(text, option=""):
    """A contradiction between a job and what is assumed of it, which belongs beside the result.

    `option`: of `seqpoint run` or a verb, that settles it, as "--batches 60".
    """
    if rank() == 0:
        report.tell("warning", text=text, option=option)
        settles = f" ({option})" if option else ""
        print(f"seqpoint: warning: {text}{settles}", file=sys.stderr, flush=True)


def warn_of_left(name, after, of):
    """Warns that the job's loop has left its batches early; `of`: how many, or None."""
    of_how_many = f" of its {of}" if of else ""
    warn(f"the job has left {name} after {after}{of_how_many} batches", f"--batches {after}")


def complain(fault, hint="", status=FAILED):
    """Prints an error of this rank, and a hint."""
    report.tell("error", fault=str(fault), hint=hint, status=status)
    print(f"seqpoint: error: {fault}", file=sys.stderr)
    if hint:
        print(f"  hint: {hint}", file=sys.stderr)
    sys.stderr.flush()


def refuse(fault, hint="", status=UNUSABLE):
    """Ends a command that has not started its job yet."""
    complain(fault, hint, status)
    sys.exit(status)


def leave(status, together=False):
    """Ends the process where it is; `together`: once all ranks have arrived here.

    The job's stack is not unwound, because its `except` and `finally` blocks may write checkpoints.
    Exit handlers do run, so loader processes also end, and open files are flushed. Raises
    caller.Gone in place of all that if nobody waits for the job.
    """
    require_caller()
    if together:
        ranks.of_all_processes(None, "the end of the job")
    atexit._run_exitfuncs()
    for file in [item for item in gc.get_objects() if issubclass(type(item), io.IOBase)]:
        with contextlib.suppress(Exception):  # closed, or of a kind that cannot be flushed
            file.flush()
    os._exit(status)


def require_caller():
    """Raises caller.Gone if nobody waits for a job of one process. Several find that together."""
    if caller.is_gone(now=True) and ranks.process()[1] == 1:
        raise caller.Gone


def exception_of_job():
    """The exception that Python has printed before it ends this process, with its place; or ""."""
    error, place = getattr(sys, "last_value", None), getattr(sys, "last_traceback", None)
    if error is None:
        return ""
    import traceback

    text = traceback.format_exception_only(type(error), error)[-1].strip()
    lines = traceback.extract_tb(place)
    where = f" ({os.path.basename(lines[-1].filename)}:{lines[-1].lineno})" if lines else ""
    return text + where


class Postponed(Exception):
    """What give_up() would have said inside attempt()."""


attempts = 0  # attempt() calls that are running


def attempt(function, *arguments):
    """(result, None), or (None, error): nothing ends the job, as it may turn out not to matter."""
    global attempts
    attempts += 1
    try:
        return function(*arguments), None
    except Exception as error:
        return None, error
    finally:
        attempts -= 1


def insist(error):
    """Ends the job for an error of attempt() that does matter."""
    if isinstance(error, Postponed):
        give_up(*error.args)
    raise error


gave_up = False  # whether this process is being ended without a result


def give_up(fault, hint="", status=UNUSABLE):
    """Ends the job because there will be no result."""
    global gave_up
    if attempts:
        raise Postponed(fault, hint, status)
    require_caller()
    gave_up = True
    complain(fault, hint, status)
    leave(status)


def give_up_unwritten(path, error):
    """Ends the job for the outputs.NotWritten of its result."""
    fault = f"{path}: cannot be written: {error.strerror}"
    give_up(fault, "make room there, or give -o another place", NOT_WRITTEN)
