"""The batches of tf.data: a shuffle, then bucket_by_sequence_length. Write your own pipeline in
its place.

    order --sampler tensorflow_order:batches --epochs 2 lengths.csv -o order.csv

`seed` is that of the shuffle; `global_seed` is that of tf.random.set_seed.
"""

import tensorflow as tf


class Rows:
    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        return (rows.numpy() for rows, _ in self.dataset)


def batches(
    lengths,
    batch_size=32,
    bucket_boundaries=(400, 900, 1300),
    seed=42,
    buffer_size=1000,
    global_seed=None,
    drop_last=False,
    bucket_batch_sizes=None,
    reshuffle_each_iteration=True,
):
    if global_seed is not None:
        tf.random.set_seed(global_seed)
    rows = tf.data.Dataset.from_tensor_slices((range(len(lengths)), lengths))
    if buffer_size is not None:
        rows = rows.shuffle(buffer_size, seed, reshuffle_each_iteration)
    sizes = bucket_batch_sizes or [batch_size] * (len(bucket_boundaries) + 1)
    dataset = rows.bucket_by_sequence_length(
        lambda row, length: length, bucket_boundaries, sizes, drop_remainder=drop_last
    )
    return Rows(dataset)
