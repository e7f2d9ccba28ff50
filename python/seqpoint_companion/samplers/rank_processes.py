"""The ranks of a job, each in its own process, with PyTorch's process group between them.

A sampler may read its rank from the environment or torch.distributed, or communicate with the other
ranks. So each rank runs in a process like those that a launcher starts.
"""

import multiprocessing
import os
import sys
import tempfile

from ..faults import BadUsage, Fault
from .passes import passes_of_rank


def passes_of_ranks(options, lengths, default_seed):
    """The result of each rank, in order."""
    if options.world_size == 1:
        return [passes_of_rank(options, lengths, 0, default_seed)]
    if "fork" not in multiprocessing.get_all_start_methods():
        raise BadUsage("--world-size: this system cannot fork processes", "use Linux")
    with tempfile.TemporaryDirectory() as folder:
        return run_all(options, (options, lengths, default_seed), os.path.join(folder, "store"))


def run_all(options, work, store):
    context = multiprocessing.get_context("fork")
    ends = []
    for rank in range(options.world_size):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=run_rank, args=(there, rank, store, *work), daemon=True)
        process.start()
        there.close()
        ends.append((process, here))
    try:
        return [received(rank, *end) for rank, end in enumerate(ends)]
    finally:
        for process, _ in ends:
            process.terminate()
            process.join()


def received(rank, process, connection):
    try:
        result = connection.recv()
    except EOFError:
        process.join()
        raise BadUsage(f"the process of rank {rank} ended with status {process.exitcode}") from None
    if isinstance(result, Fault):
        raise result
    return result


def run_rank(connection, rank, store, options, lengths, default_seed):
    try:
        join_group(rank, options.world_size, store)
        result = passes_of_rank(options, lengths, rank, default_seed)
    except Fault as error:
        result = error
    connection.send(result)
    connection.close()


def join_group(rank, size, store):
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
    os.environ.update(zip(names, map(str, (rank, rank, size, size))))
    if "torch" not in sys.modules:
        return
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ["TORCH_DIST_INIT_BARRIER"] = "1"  # no rank ends before all others are connected
    from torch import distributed

    distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=size
    )
