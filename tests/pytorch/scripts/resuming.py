"""Trains in one process or under torchrun, saves every 4 batches, and goes on from what it saved.

resuming.py [WORKERS]
"""

import os
import sys

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

CHECKPOINT = "model.pt"


def pad(samples):
    return {"input_ids": torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)}


def main():
    torch.set_num_threads(1)
    has_ranks = "WORLD_SIZE" in os.environ
    if has_ranks:
        torch.distributed.init_process_group("gloo")
    torch.manual_seed(5)
    lengths = torch.randint(4, 60, (160,)).tolist()
    data = [torch.full((length,), row % 30) for row, length in enumerate(lengths)]
    sampler = (
        DistributedSampler(data)
        if has_ranks
        else torch.utils.data.RandomSampler(data, generator=torch.Generator().manual_seed(6))
    )
    loader = DataLoader(
        data, batch_size=4, sampler=sampler, collate_fn=pad, num_workers=int(*sys.argv[1:])
    )
    network = torch.nn.Sequential(torch.nn.Embedding(30, 32), torch.nn.Linear(32, 30))
    if os.path.exists(CHECKPOINT):
        network.load_state_dict(torch.load(CHECKPOINT))
    model = DistributedDataParallel(network) if has_ranks else network
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        for number, batch in enumerate(loader):
            optimiser.zero_grad()
            ids = batch["input_ids"]
            torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()
            optimiser.step()
            if number % 4 == 3:
                torch.save(network.state_dict(), CHECKPOINT)


if __name__ == "__main__":
    main()
