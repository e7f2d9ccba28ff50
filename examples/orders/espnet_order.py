"""The batches of ESPnet2's samplers and its SequenceIterFactory.

    order --sampler espnet_order:batches lengths.csv -o order.csv

`type` is batch_type of the configuration; more options of build_batch_sampler are taken as they
are called there. A column tgt_len is a second shape file. ESPnet's epochs begin at 1: its first
is epoch 0 here.
"""

import os
import tempfile

from espnet2.iterators.sequence_iter_factory import SequenceIterFactory
from espnet2.samplers.build_batch_sampler import build_batch_sampler


def batches(
    lengths,
    rank=0,
    world_size=1,
    seed=0,
    drop_last=False,
    type="length",
    batch_size=20,
    batch_bins=1000000,
    min_batch_size=1,
    num_iters_per_epoch=None,
    shuffle=True,
    **more,
):
    sides = [lengths, *(lengths.columns[name] for name in lengths.columns if name == "tgt_len")]
    with tempfile.TemporaryDirectory() as folder:
        files = [shape_file(folder, side, of) for side, of in enumerate(sides)]
        sampler = build_batch_sampler(
            type,
            batch_size,
            batch_bins,
            files,
            min_batch_size=max(min_batch_size, world_size),
            drop_last=drop_last,
            **more,
        )
    factory = SequenceIterFactory(lengths, sampler, num_iters_per_epoch, seed, shuffle=shuffle)
    return Epochs(factory, slice(rank, None, world_size))


class Epochs:
    """The batches of the epoch that set_epoch names."""

    def __init__(self, factory, share):
        self.factory, self.share, self.epoch = factory, share, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        for batch in self.factory.build_iter(self.epoch + 1).batch_sampler:
            yield [int(key) for key in batch][self.share]  # as AbsTask cuts it


def shape_file(folder, side, lengths):
    path = os.path.join(folder, f"shape{side}")
    with open(path, "w") as file:
        file.writelines(f"{row} {length}\n" for row, length in enumerate(lengths))
    return path
