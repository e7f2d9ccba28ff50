"""axolotl's multipack sampler, as its trainer asks for it.

    order --sampler axolotl_order:multipack lengths.csv -o order.csv

The trainer asks for the sampler's length first, for which the sampler makes passes over the rows.
Accelerate assigns batches to ranks.
"""

import torch
from accelerate.data_loader import BatchSamplerShard
from axolotl.utils.samplers import MultipackBatchSampler
from torch.utils.data import RandomSampler, SequentialSampler


def multipack(
    lengths,
    rank=0,
    world_size=1,
    seed=42,
    batch_size=1,
    batch_max_len=4096,
    bin_size=200,
    curriculum_sampling=False,
    **more,
):
    torch.manual_seed(seed)
    batches = MultipackBatchSampler(
        SequentialSampler(lengths) if curriculum_sampling else RandomSampler(lengths),
        batch_size=batch_size,
        batch_max_len=batch_max_len,
        lengths=lengths,
        bin_size=bin_size,
        num_processes=1,
        num_count_samples=1 if world_size >= 4 else 4,  # as with WORLD_SIZE of the environment
        **more,
    )
    len(batches)
    return BatchSamplerShard(batches, world_size, rank, even_batches=False)
