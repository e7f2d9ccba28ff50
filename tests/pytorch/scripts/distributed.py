"""Data-parallel training, started by torchrun.

With `look` the first rank fetches a batch before the loop. With `uneven` each rank trains on its
own, the second on fewer batches.
"""

import sys

import corpus
import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main():
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(10)
    data = corpus.Pairs()
    sampler = DistributedSampler(data, seed=11)
    loader = DataLoader(
        data, batch_size=4, sampler=sampler, collate_fn=corpus.pad, num_workers=corpus.WORKERS
    )
    model = corpus.Network()
    if sys.argv[1:] == ["uneven"]:
        loader = DataLoader(
            data,
            batch_size=4,
            sampler=range(40 - 8 * torch.distributed.get_rank()),
            collate_fn=corpus.pad,
        )
    else:
        model = DistributedDataParallel(model)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    if sys.argv[1:] == ["look"] and torch.distributed.get_rank() == 0:
        next(iter(loader))
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            optimiser.zero_grad()
            model(**batch)["loss"].backward()
            optimiser.step()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
