"""Accumulates gradients over four batches; validates and saves after every twenty batches."""

import os
import tempfile

import torch
import work
from torch.utils.data import DataLoader

ACCUMULATE, EVERY = 4, 20


def validate(model):
    model.eval()
    with torch.no_grad():
        for batch in DataLoader(work.Texts(80, seed=8), batch_size=work.BATCH, collate_fn=work.pad):
            model(**batch)
    model.train()


work.seed(2)
model = work.Model()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(work.Texts(), batch_size=work.BATCH, shuffle=True, collate_fn=work.pad)
folder = tempfile.TemporaryDirectory()
for number, batch in enumerate(loader, 1):
    work.LOG.begin()
    (model(**batch)["loss"] / ACCUMULATE).backward()
    if number % ACCUMULATE == 0:
        optimiser.step()
        optimiser.zero_grad()
    work.LOG.end()
    if number % EVERY == 0:
        validate(model)
        torch.save(model.state_dict(), os.path.join(folder.name, "checkpoint.pt"))
        work.LOG.aside()
