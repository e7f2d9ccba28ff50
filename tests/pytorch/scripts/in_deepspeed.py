"""DeepSpeed's loader, endless as its pipelines use it, with two batches per optimiser step."""

import corpus
import torch
from deepspeed.runtime.dataloader import DeepSpeedDataLoader, RepeatingLoader

torch.manual_seed(6)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DeepSpeedDataLoader(
    data,
    batch_size=8,
    pin_memory=False,
    local_rank=0,
    tput_timer=None,
    collate_fn=corpus.pad,
    num_local_io_workers=corpus.WORKERS,
    data_sampler=torch.utils.data.RandomSampler(data),
)
batches = iter(RepeatingLoader(loader))
for number in range(1, 41):
    (model(**next(batches))["loss"] / 2).backward()
    if number % 2 == 0:
        optimiser.step()
        optimiser.zero_grad()
