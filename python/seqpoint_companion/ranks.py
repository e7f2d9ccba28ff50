"""The processes of a distributed job: the rank of this one, and values of the others."""

import torch


class NotTogether(RuntimeError):
    """The processes of a job are at different places."""


def process():
    """(rank of this process, number of processes); (0, 1) if the job is not distributed."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def of_all_processes(value, place):
    """The values of all processes, in order of rank.

    `place` names the place of this one: all processes have to be there.
    """
    number = process()[1]
    if number == 1:
        return [value]
    values = [None] * number
    torch.distributed.all_gather_object(values, (place, value))
    places = [at for at, _ in values]
    if len(set(places)) > 1:
        raise NotTogether(
            f"the ranks of the job are at different batches: {', '.join(places)}. "
            "All ranks need the same number of batches, and have to leave a loop together"
        )
    return [value for _, value in values]
