"""An IterableDataset that sorts what it has read by length, and shuffles such batches."""

import random

import work
from torch.utils.data import DataLoader, IterableDataset

AHEAD = 40 * work.BATCH  # texts that are sorted together


class Buckets(IterableDataset):
    def __iter__(self):
        texts, draw = work.Texts(work.MANY), random.Random(None if work.SEEDLESS else 6)
        for begin in range(0, len(texts), AHEAD):
            rows = range(begin, min(begin + AHEAD, len(texts)))
            rows = sorted(rows, key=texts.lengths.__getitem__)
            batches = [rows[at : at + work.BATCH] for at in range(0, len(rows), work.BATCH)]
            draw.shuffle(batches)
            for batch in batches:
                yield work.pad([texts[row] for row in batch])


work.seed(6)
print("loss", work.train(DataLoader(Buckets(), batch_size=None)))
