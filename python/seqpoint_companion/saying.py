"""What the user reads on standard error, and how a job is ended where it is."""

import atexit
import contextlib
import gc
import io
import os
import sys

UNUSABLE = 2  # exit status: the job cannot be held


def rank():
    """The rank of this process; 0 where PyTorch was not imported, without importing it."""
    if "torch" not in sys.modules:
        return 0
    from . import ranks

    return ranks.process()[0]


def say(text):
    """Prints a line, once for all ranks."""
    if rank() == 0:
        print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def leave(status):
    """Ends the process where it is.

    The job's stack is not unwound, as `except` and `finally` there may write checkpoints. What
    runs at exit does run, so processes that load end, too; and files that are open are flushed.
    """
    if status == 0:
        wait_for_ranks()
    atexit._run_exitfuncs()
    for file in [of for of in gc.get_objects() if issubclass(type(of), io.IOBase)]:
        with contextlib.suppress(Exception):
            file.flush()
    os._exit(status)


def wait_for_ranks():
    from . import ranks

    if ranks.process()[1] > 1:
        ranks.torch.distributed.barrier()


def give_up(why):
    """Ends the job, as it cannot be held."""
    print(f"seqpoint: error: {why}", file=sys.stderr, flush=True)
    leave(UNUSABLE)
