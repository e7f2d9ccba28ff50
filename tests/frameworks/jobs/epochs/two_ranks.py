"""DistributedDataParallel over gloo; torchrun starts it twice."""

import torch
import work
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

torch.distributed.init_process_group("gloo")
work.seed(8)
texts = work.Texts(2 * work.SAMPLES)
sampler = DistributedSampler(texts, seed=8)
loader = DataLoader(texts, batch_size=work.BATCH, sampler=sampler, collate_fn=work.pad)
work.train(loader, DistributedDataParallel(work.Model()))
torch.distributed.destroy_process_group()
