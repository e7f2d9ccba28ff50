"""FunASR's batch samplers, with a data set as they ask for it: they call methods for the lengths.

    order --sampler funasr_order:batches --epoch 1 lengths.csv -o order.csv

FunASR's first epoch is 1. Its samplers ask torch.distributed for the rank.
"""

import types

from funasr.datasets.audio_datasets import samplers


class Dataset:
    def __init__(self, lengths):
        self.lengths = lengths

    def __len__(self):
        return len(self.lengths)

    def get_source_len(self, row):
        return self.lengths[row]

    def get_target_len(self, row):
        return 0


def batches(
    lengths,
    rank=0,
    world_size=1,
    kind=samplers.CustomDistributedBufferDynamicBatchSampler,
    batch_size=6000,
    batch_type="token",
    **more,
):
    samplers.dist = types.SimpleNamespace(get_rank=lambda: rank, get_world_size=lambda: world_size)
    return kind(Dataset(lengths), batch_size=batch_size, batch_type=batch_type, **more)
