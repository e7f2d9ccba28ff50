"""The processes of a distributed job: the rank of this one, and values of the others."""

import sys

from . import caller

joined = False  # whether the processes have exchanged values
left = False  # whether they have found together that nobody waits for the job


class NotTogether(RuntimeError):
    """The processes of a job are at different places."""


def process():
    """(rank of this process, number of processes); (0, 1) if the job is not distributed."""
    torch = sys.modules.get("torch")
    if torch is None:
        return 0, 1
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def of_all_processes(value, place):
    """The values of all processes, in order of rank.

    `place` names the place of this one: all processes have to be there. Raises caller.Gone in all
    processes if one of them has found that nobody waits for the job.
    """
    global joined, left
    number = process()[1]
    if number == 1:
        return [value]
    left = left or not joined and caller.is_gone(now=True)  # others may have no hook at all
    if left:
        raise caller.Gone
    joined = True
    import torch

    values = [None] * number
    torch.distributed.all_gather_object(values, (place, value, caller.is_gone()))
    if any(gone for _, _, gone in values):
        left = True
        caller.leave_alone()
        raise caller.Gone
    places = [at for at, _, _ in values]
    if len(set(places)) > 1:
        raise NotTogether(
            f"the ranks of the job are at different batches: {', '.join(places)}. "
            "All ranks need the same number of batches, and have to leave a loop together"
        )
    return [value for _, value, _ in values]


def are_left():
    """Whether nobody waits for the job: of several processes, once they know it together."""
    return left or process()[1] == 1 and caller.is_gone()
