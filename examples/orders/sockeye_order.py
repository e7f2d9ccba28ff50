"""The batches of Sockeye's bucketed iterator over text, padded to their buckets.

    order --sampler sockeye_order:batches lengths.csv -o order.csv

Lengths are as Sockeye counts them: with </s> on the source and <s> on the target side, whose column
is tgt_len. max_seq_len are the words of a sentence at most. Data that sockeye-prepare-data made
come in another order: run the job for them.
"""

import os
import random
import tempfile

import numpy
from sockeye import constants, data_io

SYMBOLS = (constants.PAD_SYMBOL, constants.UNK_SYMBOL, constants.BOS_SYMBOL, constants.EOS_SYMBOL)


def batches(
    lengths,
    seed=1,
    batch_size=4096,
    batch_type="word",
    max_seq_len=(95, 95),
    bucketing=True,
    bucket_width=8,
    bucket_scaling=False,
    batch_sentences_multiple_of=8,
):
    random.seed(seed)
    numpy.random.seed(seed)
    words = [*SYMBOLS, *map(str, range(len(lengths)))]
    vocab = {word: number for number, word in enumerate(words)}
    sides = (lengths, lengths.columns["tgt_len"])
    with tempfile.TemporaryDirectory() as folder:
        source, target = (write_text(folder, *of) for of in enumerate(sides))
        batches, *_ = data_io.get_training_data_iters(
            [source],
            [target],
            [source],
            [target],
            [vocab],
            [vocab],
            [None],
            [None],
            False,
            batch_size=batch_size,
            batch_type=batch_type,
            max_seq_len_source=max_seq_len[0] + constants.SPACE_FOR_XOS,
            max_seq_len_target=max_seq_len[1] + constants.SPACE_FOR_XOS,
            bucketing=bucketing,
            bucket_width=bucket_width,
            bucket_scaling=bucket_scaling,
            batch_sentences_multiple_of=batch_sentences_multiple_of,
        )
    return Epochs(batches)


class Epochs:
    def __init__(self, batches):
        self.batches, self.passes = batches, 0

    def __iter__(self):
        if self.passes:
            self.batches.reset()
        self.passes += 1
        while self.batches.iter_next():
            batch = self.batches.next()
            rows = batch.source[:, 0, 0] - len(SYMBOLS)
            sizes = {"src_len": batch.source.shape[1], "tgt_len": batch.target.shape[1]}
            yield {"rows": rows.tolist(), **sizes, "batch_size": len(rows)}


def write_text(folder, side, lengths):
    """A sentence a row, whose words are the row's number."""
    path = os.path.join(folder, f"side{side}")
    with open(path, "w") as file:
        file.writelines(" ".join([str(row)] * (of - 1)) + "\n" for row, of in enumerate(lengths))
    return path
