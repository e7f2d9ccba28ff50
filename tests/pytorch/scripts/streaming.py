"""An IterableDataset that reads ahead, sorts samples by length, and batches them.

    streaming.py [shuffled]    shuffled: anew at each start, without a seed
"""

import random
import sys

import corpus
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __iter__(self):
        data, worker = corpus.Pairs(), get_worker_info()
        rows = range(worker.id, len(data), worker.num_workers) if worker else range(len(data))
        if "shuffled" in sys.argv:
            rows = random.Random().sample(rows, len(rows))
        for begin in range(0, len(rows), 40):
            yield from (
                data[row] for row in sorted(rows[begin : begin + 40], key=data.lengths.__getitem__)
            )


def bucketed(samples):
    batch = corpus.pad(samples)
    del batch["labels"]
    return batch


torch.manual_seed(12)
model = corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in DataLoader(Stream(), batch_size=5, collate_fn=bucketed, num_workers=corpus.WORKERS):
    batch["input_ids"] += 1  # in place
    optimiser.zero_grad()
    model(batch.pop("input_ids"), batch.pop("rows")[:, None] % 30)["loss"].backward()
    optimiser.step()
