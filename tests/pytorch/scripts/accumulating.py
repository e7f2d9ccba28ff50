"""A loop that validates first, accumulates gradients over four batches and leaves each epoch early.

The batches are tuples.
"""

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(4)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimiser, 10)
lengths = [sum(of) for of in data.lengths]


class Buckets:
    """Batches of samples of similar length, in random order."""

    def __len__(self):
        return 20

    def __iter__(self):
        order = sorted(range(len(data)), key=lengths.__getitem__)
        for n in torch.randperm(20, generator=generator).tolist():
            yield order[8 * n : 8 * n + 8]


def pad(samples):
    batch = corpus.pad(samples)
    return batch["input_ids"].T, batch["labels"].T, batch["rows"]  # time first


def validate():
    model.eval()
    with torch.no_grad():
        for source, target, rows in DataLoader(
            corpus.Pairs(24, seed=8), batch_size=6, collate_fn=pad
        ):
            model(source.T, target.T, rows)
    model.train()


generator = torch.Generator().manual_seed(5)
loader = DataLoader(data, batch_sampler=Buckets(), collate_fn=pad, num_workers=corpus.WORKERS)
for epoch in range(6):
    validate()
    for number, (source, target, rows) in enumerate(loader):
        if number == 16:
            break
        (model(source.T, target.T, rows)["loss"] / 4).backward()
        if (number + 1) % 4 == 0:
            optimiser.step()
            optimiser.zero_grad()
            scheduler.step()
