"""NeMo's SemiSortBatchSampler, over lengths in seconds.

    order --sampler nemo_order:semi_sorted seconds.csv -o order.csv

`seed` is semi_sort_sampler_seed. The noise of the lengths is NumPy's, which the job seeds.
"""

import numpy
from nemo.collections.asr.parts.utils.asr_batching import SemiSortBatchSampler


def semi_sorted(lengths, rank=0, world_size=1, numpy_seed=1, batch_size=16, **more):
    numpy.random.seed(numpy_seed)
    return SemiSortBatchSampler(rank, world_size, lengths, batch_size, **more)
