"""The batches of fairseq2's data pipelines: bucket_by_length, dynamic_bucket, pack.

    order --sampler fairseq2_order:bucket_by_length lengths.csv -o order.csv
    order --sampler fairseq2_order:dynamic_bucket lengths.csv -o order.csv
    order --sampler fairseq2_order:pack lengths.csv -o order.csv

Earlier stages of the pipeline, such as shuffling, go in front of them.
"""

import torch
from fairseq2.data.data_pipeline import create_bucket_sizes, read_sequence
from seqpoint_companion.samplers import batch_of_tokens


def rows_of(pipeline):
    return ([sample["row"] for sample in bucket] for bucket in pipeline)


def samples(lengths):
    return read_sequence([{"row": row, "length": of} for row, of in enumerate(lengths)])


def bucket_by_length(lengths, max_num_elements=6000, max_seq_len=1500, drop_last=False, **more):
    sizes = create_bucket_sizes(max_num_elements=max_num_elements, max_seq_len=max_seq_len, **more)
    pipeline = samples(lengths).bucket_by_length(
        sizes, selector="length", skip_above_max_examples=True, drop_remainder=drop_last
    )
    return rows_of(pipeline.and_return())


def dynamic_bucket(lengths, threshold=3000, drop_last=False, **more):
    pipeline = samples(lengths).dynamic_bucket(
        threshold, lambda sample: sample["length"], drop_remainder=drop_last, **more
    )
    return rows_of(pipeline.and_return())


def pack(lengths, num_elements=4097, max_seq_len=1024, drop_last=False, **more):
    """The tokens of a row are its number; below 0 they are padding."""
    tokens = [torch.full((of,), row) for row, of in enumerate(lengths)]
    pipeline = read_sequence(tokens).pack(
        num_elements, max_seq_len, pad_value=-1, drop_remainder=drop_last, **more
    )
    for packed in pipeline.and_return():
        pieces = packed["seq_lens"]
        tokens = packed["seqs"][: sum(pieces)].split(pieces)
        yield {**batch_of_tokens(tokens, num_elements), "batch_size": 1}
