"""The batches of tf.data: a shuffle, then bucket_by_sequence_length. Write your own pipeline in
its place.

    order --sampler tensorflow_order:Batches --batch-size 32 --seed 42 --epochs 2 --with
        bucket_boundaries=[400,900,1300] --with buffer_size=1000 lengths.csv -o order.csv

`seed` is that of the shuffle; --with global_seed=S is tf.random.set_seed(S).
"""

import tensorflow as tf


class Batches:
    def __init__(
        self,
        lengths,
        batch_size,
        bucket_boundaries,
        seed=None,
        buffer_size=None,
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
        self.dataset = rows.bucket_by_sequence_length(
            lambda row, length: length, bucket_boundaries, sizes, drop_remainder=drop_last
        )

    def __iter__(self):
        return (rows.numpy() for rows, _ in self.dataset)
