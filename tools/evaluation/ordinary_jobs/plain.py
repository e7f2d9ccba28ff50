"""A loop over a DataLoader that shuffles."""

import torch
import work
from torch.utils.data import DataLoader

network = work.Network()
optimiser = torch.optim.SGD(network.parameters(), 0.01)
loader = DataLoader(work.Rows(), 16, shuffle=True, collate_fn=work.pad)
clock = work.Clock()
for batch in loader:
    work.step(network, optimiser, batch)
clock.end()
