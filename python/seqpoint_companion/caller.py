"""Whether the program that started this job still waits for it.

`seqpoint run` holds a lock on the report while it waits. A job that was only put into a queue
starts later, with the same environment: it trains as if there were no hook, and so does a job whose
caller ends meanwhile. A process below the caller ends with it: nobody asked for its training.

A rank on a machine that does not see the folder of the run cannot know which of the two it is. It
trains as if there were no hook, and says why on standard error: of its own job `seqpoint run` reads
that in the log, and ends the job.
"""

import os
import sys
import time

NAME = "SEQPOINT_CALLER"  # "KERNEL:PID" of the caller; unset: the caller holds no lock
CHANGED = "SEQPOINT_CHANGED"  # variables that the hook has set, with commas between them
BEFORE = "SEQPOINT_BEFORE_"  # their values before, if they had any
KEPT = ("SEQPOINT_COMPANION",)  # the user's own
HOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook")
RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")  # of launchers
EVERY_S = 1  # between two looks, which take some microseconds
FAILED = 1  # statuses.FAILED; every Python process of a job loads this module


class Gone(BaseException):
    """Nobody waits for this job any more. Raised and caught in the companion's own frames."""


gone = False  # once that was found
said_unwritable = False  # whether a fault of writing was said
looked = 0.0  # when, by the monotonic clock


def is_gone(now=False):
    """Whether nobody waits any more. Looks once a second, or `now`."""
    global looked
    if gone or not now and looked and time.monotonic() - looked < EVERY_S:
        return gone
    looked = time.monotonic()
    if not _waits():
        leave_alone()
    return gone


def leave_alone():
    """Takes the hook out of this process, and its variables out of the environment."""
    global gone
    if gone:
        return
    gone = True
    if below_caller:
        os._exit(FAILED)
    _restore_environment()


def _waits():
    if not os.environ.get(NAME):
        return True
    try:
        with open(os.environ["SEQPOINT_REPORT"], "rb", buffering=0) as report:
            return not here or _is_locked(report)
    except OSError as error:
        if not here and any(name in os.environ for name in RANKS) and not os.path.isdir(_folder()):
            say_unwritable(error)
    except KeyError:
        pass
    return False


def _folder():
    """The folder of the run."""
    return os.path.dirname(os.path.dirname(os.environ["SEQPOINT_REPORT"]))


def say_unwritable(error):
    """Says once that this process cannot write into the folder of the run. The caller reads it."""
    global said_unwritable
    if not said_unwritable:
        said_unwritable = True
        fault = f"{os.uname().nodename} cannot write into {_folder()}: {error.strerror}"
        print(f"seqpoint: {fault}; it is not measured", file=sys.stderr, flush=True)


def _is_here():
    """Whether this kernel is the caller's. On another one its lock may not be seen."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip() == os.environ[NAME].partition(":")[0]
    except OSError:
        return False


def _is_locked(file):
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # also from a file system without locks
        return True
    return False


def _is_below():
    """Whether the caller is above this process."""
    caller = os.environ.get(NAME, "").partition(":")[2]
    process = str(os.getpid())
    while caller and process not in (caller, "0"):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                process = file.read().rpartition(")")[2].split()[1]
        except OSError:
            return False
    return process == caller and _is_here()


here = not os.environ.get(NAME) or _is_here()
below_caller = _is_below()


def report_path():
    """The file for the events of this process, or None.

    Each machine but the caller's has its own: on network file systems, lines that two machines
    append to one file replace each other.
    """
    path = os.environ.get("SEQPOINT_REPORT")
    return path if here or not path else f"{path}.{os.uname().nodename}"


def set_variable(name, value):
    """Sets a variable of the job's environment until nobody waits any more."""
    changed = _changed()
    if name not in changed:
        os.environ[CHANGED] = ",".join([*changed, name])
        if name in os.environ:
            os.environ[BEFORE + name] = os.environ[name]
    os.environ[name] = value


def _changed():
    return list(filter(None, os.environ.get(CHANGED, "").split(",")))


def _restore_environment():
    for name in _changed():
        os.environ.pop(name, None)
        if BEFORE + name in os.environ:
            os.environ[name] = os.environ[BEFORE + name]
    for name in list(os.environ):
        if name.startswith("SEQPOINT_") and name not in KEPT:
            del os.environ[name]
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    others = os.pathsep.join(folder for folder in folders if folder != HOOK)
    if others:
        os.environ["PYTHONPATH"] = others
    else:
        os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [folder for folder in sys.path if folder != HOOK]
