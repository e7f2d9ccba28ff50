"""accelerate, with gradients accumulated over four batches."""

import torch
import work
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator(gradient_accumulation_steps=4, cpu=True)
network = work.Network()
network, optimiser, loader = accelerator.prepare(
    network,
    torch.optim.SGD(network.parameters(), 0.01),
    DataLoader(work.Rows(), 16, shuffle=True, collate_fn=work.pad),
)
clock = work.Clock()
for batch in loader:
    with accelerator.accumulate(network):
        accelerator.backward(network(batch)["loss"])
        optimiser.step()
        optimiser.zero_grad()
clock.end()
