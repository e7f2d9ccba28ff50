"""The batches of OpenNMT-py's DynamicDatasetIter, as far as one pass over the corpus goes.

    order --sampler opennmt_order:batches --batch-size 4096 --seed 1 --with batch_type=tokens
        --with targets=@tgt_len lengths.csv -o order.csv

Lengths are those of the tokens. The loader's processes (num_workers) take turns; each rank has
its own. Training goes on past the end of the corpus, so the last bucket here is shorter than
there.
"""

import random

from onmt.constants import CorpusTask
from onmt.inputters import dynamic_iterator
from seqpoint_companion.samplers import in_turn

dynamic_iterator.tensorify = lambda _vocabs, examples, *_: [of["src"]["src"] for of, _ in examples]


class Lines(dynamic_iterator.DynamicDatasetIter):
    """Hands out the rows of a share of the corpus, batch by batch."""

    def __init__(self, lengths, targets, seed, **options):
        vocabs = {"data_task": None}
        super().__init__({}, {}, None, vocabs, CorpusTask.TRAIN, **options)
        self.lengths, self.targets = lengths, targets
        blocks = [(row // self.stride) % self.stride for row in range(len(lengths))]
        self.mixer = [row for row, block in enumerate(blocks) if block == self.offset]
        self.random_shuffler._random_state = random.Random(seed).getstate()

    def _tuple_to_json_with_tokIDs(self, rows):
        return [self.example(row) for row in rows]

    def example(self, row):
        target = {"tgt_ids": range(self.targets[row])} if self.targets else None
        return {"src": {"src": row, "src_ids": range(self.lengths[row])}, "tgt": target}


def batches(lengths, batch_size, seed, rank, world_size, targets=None, num_workers=2, **more):
    workers = max(num_workers, 1)
    options = {"batch_type": "sents", "batch_size_multiple": 1, "bucket_size": 262144, **more}
    shares = [
        Lines(
            lengths,
            targets,
            seed,
            batch_size=batch_size,
            stride=workers * world_size,
            offset=rank * workers + worker,
            **options,
        )
        for worker in range(workers)
    ]
    return (rows for rows, _bucket in in_turn(shares))
