"""axolotl's multipack sampler over a RandomSampler, as its trainer asks for it.

    order --sampler axolotl_order:shuffled --seed 42 --batch-size 1 --with batch_max_len=4096
        --with bin_size=200 lengths.csv -o order.csv

The trainer asks for its length first, for which it makes passes over the RandomSampler.
"""

from axolotl.utils.samplers import MultipackBatchSampler
from torch.utils.data import RandomSampler


def shuffled(dataset, lengths, batch_size, batch_max_len, bin_size, **more):
    sampler = MultipackBatchSampler(
        RandomSampler(dataset),
        batch_size=batch_size,
        batch_max_len=batch_max_len,
        lengths=lengths,
        bin_size=bin_size,
        **more,
    )
    len(sampler)
    return sampler
