"""SpeechBrain's DynamicBatchSampler.

    order --sampler speechbrain_order:batches lengths.csv -o order.csv
"""

from speechbrain.dataio.sampler import DynamicBatchSampler


def batches(lengths, max_batch_length=3000, num_buckets=10, seed=42, **more):
    return DynamicBatchSampler(
        lengths, max_batch_length, num_buckets, lengths_list=lengths, seed=seed, **more
    )
