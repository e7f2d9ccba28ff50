"""The batches of a StreamingDataset of MosaicML streaming, for one stream that is read once an
epoch.

    order --sampler mosaicml_order:batches --world-size 2 lengths.csv -o order.csv

shard_sizes are the samples of each shard, as index.json has them; num_workers is that of the
DataLoader.
"""

import types

import numpy as np
from streaming.base.batching.random import generate_work_random_batching

PATIENT = ("py1s", "py2s")  # shuffles for which a node counts as 64


def batches(
    lengths,
    rank=0,
    world_size=1,
    shard_sizes=(500, 500, 321),
    batch_size=32,
    seed=9176,
    drop_last=False,
    num_workers=1,
    num_physical_nodes=1,
    num_canonical_nodes=None,
    shuffle=True,
    shuffle_algo="py1e",
    shuffle_block_size=None,
):
    canonical = num_canonical_nodes or num_physical_nodes * (64 if shuffle_algo in PATIENT else 1)
    samples = np.arange(len(lengths))
    dataset = types.SimpleNamespace(
        resample_streams=lambda epoch: (np.array(shard_sizes), samples),
        batch_size=batch_size,
        epoch_size=len(lengths),
        num_canonical_nodes=canonical,
        initial_physical_nodes=num_physical_nodes,
        partition_algo="relaxed",
        shuffle=shuffle,
        shuffle_algo=shuffle_algo,
        shuffle_seed=seed,
        shuffle_block_size=shuffle_block_size or max(4_000_000 // canonical, 1 << 18),
    )
    ranks = world_size // num_physical_nodes
    world = types.SimpleNamespace(
        num_nodes=num_physical_nodes, ranks_per_node=ranks, workers_per_rank=max(num_workers, 1)
    )
    return Epochs(dataset, world, (rank // ranks, rank % ranks), drop_last)


class Epochs:
    """The batches of the epoch that set_epoch names."""

    def __init__(self, dataset, world, place, drop_last):
        self.dataset, self.world, self.place = dataset, world, place
        self.fewest = dataset.batch_size if drop_last else 1
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        work = generate_work_random_batching(self.dataset, self.world, self.epoch, 0)
        workers = work[self.place].transpose(1, 0, 2)  # they take turns
        for batch in workers.reshape(-1, self.dataset.batch_size):
            rows = batch[batch >= 0]
            if len(rows) >= self.fewest:
                yield rows
