"""Why a job has no result."""

import os
import sys

from . import report
from .documents import path_of
from .saying import FAILED, complain, rank

OTHER_LOADERS = ("nvidia.dali", "ffcv", "petastorm", "tensorflow")
ONE_LOADER = (
    "--loader N measures the N-th pass over a loader alone: one folder for each, and add them up"
)
COMPANION = path_of("docs/companion.md")
BY_HAND = f"use Plan and Recorder in the script ({COMPANION})"
NO_TRAINING = (
    "check that the command trains. A job whose backward pass PyTorch does not see (a CUDA graph "
    f"of the whole step) needs Plan and Recorder in the script ({COMPANION})"
)
NO_STEP = (
    "check that it calls step() of its optimiser. An optimiser that is not of torch.optim needs "
    f"Plan and Recorder in the script ({COMPANION})"
)


def missing(fault, hint=""):
    """Reports once for all ranks why there is no result. Returns the exit status."""
    if rank() == 0:
        complain(fault, hint)
    return FAILED


def untrained(fault, hint):
    """Reports a job, or one program of a hooked job, that trained on nothing. Returns the status.

    Another program of a hooked job may train, so that this is no error yet.
    """
    if not os.environ.get("SEQPOINT_HOOK"):
        return missing(fault, hint)
    if rank() == 0:
        report.tell("untrained", fault=fault, hint=hint)
    return FAILED


def unseen(others):
    """Reports that no loader was observed. `others`: why some loaders were ignored."""
    imported = [
        f"it imports {name}, whose loader is another one"
        for name in OTHER_LOADERS
        if name in sys.modules
    ]
    missing = "no DataLoader was iterated in this process while gradients were on"
    return "; ".join([missing, *others, *imported])
