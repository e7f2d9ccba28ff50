"""The micro-batches of verl: global batches are balanced over ranks, then cut by tokens.

    order --sampler verl_order:micro_batches --world-size 2 lengths.csv -o order.csv

Rows are in file order, the order of the rollout; batch_size is per rank. The rows after the last
whole global batch are left out. balance_batch is trainer.balance_batch.
"""

import torch
from tensordict import TensorDict
from verl.utils import seqlen_balancing


def micro_batches(
    lengths,
    rank=0,
    world_size=1,
    batch_size=128,
    max_token_len=8192,
    balance_batch=True,
    **more,
):
    lengths = torch.tensor(lengths)
    size = batch_size * world_size
    for rows in torch.arange(len(lengths)).split(size):
        if len(rows) < size:
            return
        shares = rows.split(batch_size)
        if balance_batch:
            shares = [rows[positions] for positions in balanced(lengths[rows], world_size)]
        for part in parts_of_ranks(lengths, shares, max_token_len, **more)[rank]:
            yield shares[rank][part].tolist()


def balanced(lengths, world_size):
    """The positions that each rank gets."""
    work = seqlen_balancing.calculate_workload(lengths).tolist()
    return seqlen_balancing.get_seqlen_balanced_partitions(work, world_size, equal_size=True)


def parts_of_ranks(lengths, shares, max_token_len, min_num_micro_batch=None, **more):
    """The positions of each micro-batch of every rank; ranks agree on how many there are."""
    parts = [
        parts_of(lengths[share], max_token_len, min_num_micro_batch=min_num_micro_batch, **more)
        for share in shares
    ]
    most = max(map(len, parts))
    if all(len(of_rank) == most for of_rank in parts):
        return parts
    return parts_of_ranks(lengths, shares, max_token_len, most, **more)


def parts_of(lengths, max_token_len, **more):
    """The positions of each micro-batch of a rank."""
    mask = (torch.arange(int(lengths.max())) < lengths[:, None]).long()
    batch = TensorDict({"input_ids": mask, "attention_mask": mask}, batch_size=len(lengths))
    return seqlen_balancing.rearrange_micro_batches(batch, max_token_len, **more)[1]
