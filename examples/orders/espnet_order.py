"""The batches of ESPnet2's samplers and its SequenceIterFactory.

    order --sampler espnet_order:batches --seed 0 --with type=numel --with batch_bins=1000000
        lengths.csv -o order.csv

`type` is batch_type of the configuration; more options of build_batch_sampler are taken as they
are called there. A column tgt_len is a second shape file. ESPnet's epochs begin at 1: its first
is epoch 0 here.
"""

import os
import tempfile

from espnet2.iterators.sequence_iter_factory import SequenceIterFactory
from espnet2.samplers.build_batch_sampler import build_batch_sampler


def batches(
    dataset,
    lengths,
    epoch,
    rank,
    world_size,
    seed=0,
    drop_last=False,
    type="folded",
    batch_size=20,
    batch_bins=1000000,
    min_batch_size=1,
    num_iters_per_epoch=None,
    shuffle=True,
    targets=None,
    **more,
):
    with tempfile.TemporaryDirectory() as folder:
        files = [shape_file(folder, side, of) for side, of in enumerate((lengths, targets)) if of]
        sampler = build_batch_sampler(
            type,
            batch_size,
            batch_bins,
            files,
            min_batch_size=max(min_batch_size, world_size),
            drop_last=drop_last,
            **more,
        )
    factory = SequenceIterFactory(dataset, sampler, num_iters_per_epoch, seed, shuffle=shuffle)
    for batch in factory.build_iter(epoch + 1).batch_sampler:
        yield [int(key) for key in batch][rank::world_size]  # as AbsTask cuts it


def shape_file(folder, side, lengths):
    path = os.path.join(folder, f"shape{side}")
    with open(path, "w") as file:
        file.writelines(f"{row} {length}\n" for row, length in enumerate(lengths))
    return path
