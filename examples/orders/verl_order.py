"""The micro-batches of verl: global batches are balanced over ranks, then cut by tokens.

    order --sampler verl_order:micro_batches --batch-size 128 --world-size 2
        --with max_token_len=8192 lengths.csv -o order.csv

Rows are in file order, the order of the rollout; --batch-size is per rank. The rows after the last
whole global batch are left out. balance_batch is trainer.balance_batch.
"""

import torch
from tensordict import TensorDict
from torch import distributed
from verl.utils import seqlen_balancing

seqlen_balancing.get_device_name = lambda: "cpu"  # on which the ranks talk to each other


def micro_batches(lengths, batch_size, rank, world_size, max_token_len, balance_batch=True, **more):
    lengths = torch.tensor(lengths)
    size = batch_size * world_size
    for rows in torch.arange(len(lengths)).split(size):
        if len(rows) < size:
            return
        share = rows[rank * batch_size : (rank + 1) * batch_size]
        if balance_batch:
            share = rows[balanced(lengths[rows], world_size)[rank]]
        for part in parts_of(lengths[share], max_token_len, **more):
            yield share[part].tolist()


def balanced(lengths, world_size):
    """The positions that each rank gets."""
    work = seqlen_balancing.calculate_workload(lengths).tolist()
    return seqlen_balancing.get_seqlen_balanced_partitions(work, world_size, equal_size=True)


def parts_of(lengths, max_token_len, **more):
    """The positions of each micro-batch of a rank; ranks agree on how many there are."""
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
    batch = TensorDict({"input_ids": mask, "attention_mask": mask}, batch_size=len(lengths))
    group = distributed.group.WORLD if distributed.is_initialized() else None
    return seqlen_balancing.rearrange_micro_batches(batch, max_token_len, dp_group=group, **more)[1]
