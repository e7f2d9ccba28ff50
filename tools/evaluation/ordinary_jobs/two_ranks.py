"""torchrun with two ranks; its sampler has a seed of its own."""

import torch
import work
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

torch.distributed.init_process_group("gloo")
network = DistributedDataParallel(work.Network())
optimiser = torch.optim.SGD(network.parameters(), 0.01)
data = work.Rows()
loader = DataLoader(data, 8, sampler=DistributedSampler(data), collate_fn=work.pad)
clock = work.Clock()
for batch in loader:
    work.step(network, optimiser, batch)
if torch.distributed.get_rank() == 0:
    clock.end()
torch.distributed.destroy_process_group()
