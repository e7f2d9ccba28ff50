"""The packed sequences of torchtune's PackedDataset, one per batch.

    order --sampler torchtune_order:packs lengths.csv -o order.csv

The tokens of a row are the row's number here, so a packed sequence shows its rows.
"""

from seqpoint_companion.samplers import batch_of_tokens
from torchtune.datasets import PackedDataset


def packs(lengths, max_seq_len=2048, **more):
    samples = [{"tokens": [row] * of, "labels": [row] * of} for row, of in enumerate(lengths)]
    packed = PackedDataset(samples, max_seq_len=max_seq_len, padding_idx=-1, **more)
    for pack in packed.packs:
        yield batch_of_tokens([pack["tokens"]], max_seq_len)
