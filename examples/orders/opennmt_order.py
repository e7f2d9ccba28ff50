"""The batches of OpenNMT-py's DynamicDatasetIter, as far as one pass over the corpus goes.

    order --sampler opennmt_order:batches lengths.csv -o order.csv

Lengths are those of the tokens; the target side is the column tgt_len, if there is one. The
loader's processes (num_workers) take turns; each rank has its own. Training goes on past the end of
the corpus, so the last bucket here is shorter than there.
"""

import collections
import itertools
import random

from onmt.constants import CorpusTask
from onmt.inputters import dynamic_iterator

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


def batches(
    lengths,
    rank=0,
    world_size=1,
    seed=1,
    batch_size=4096,
    batch_type="tokens",
    batch_size_multiple=1,
    bucket_size=262144,
    num_workers=2,
    **more,
):
    workers = max(num_workers, 1)
    shares = [
        Lines(
            lengths,
            lengths.columns.get("tgt_len"),
            seed,
            batch_size=batch_size,
            batch_type=batch_type,
            batch_size_multiple=batch_size_multiple,
            bucket_size=bucket_size,
            stride=workers * world_size,
            offset=rank * workers + worker,
            **more,
        )
        for worker in range(workers)
    ]
    return (rows for rows, _bucket in in_turn(shares))


def in_turn(loaders):
    """The batches of loaders that take turns, as a DataLoader's processes do."""
    waiting = collections.deque(map(iter, loaders))
    while waiting:
        loader = waiting.popleft()
        for batch in itertools.islice(loader, 1):
            yield batch
            waiting.append(loader)
