"""A loop that validates and writes a checkpoint within some iterations."""

import time

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(
    data, batch_size=8, shuffle=True, collate_fn=corpus.pad, num_workers=corpus.WORKERS
)


def validate():
    model.eval()
    with torch.no_grad():
        for batch in DataLoader(corpus.Pairs(24, seed=8), batch_size=6, collate_fn=corpus.pad):
            model(**batch)
    time.sleep(0.3)
    model.train()


for epoch in range(2):
    for number, batch in enumerate(loader):
        optimiser.zero_grad()
        model(**batch)["loss"].backward()
        optimiser.step()
        if number % 7 == 6:
            validate()
        if number % 10 == 9:
            torch.save(model.state_dict(), "checkpoint.pt")
