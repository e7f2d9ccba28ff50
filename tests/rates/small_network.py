"""A job that scripts of this folder measure: a small network of PyTorch on one thread.

small_network.py relu|gelu
"""

import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
lengths = torch.randint(8, 121, (1600,)).tolist()
texts = [torch.randint(0, 1000, (length,)) for length in lengths]
loader = torch.utils.data.DataLoader(
    texts,
    batch_size=16,
    shuffle=True,
    generator=torch.Generator().manual_seed(0),
    collate_fn=lambda batch: nn.utils.rnn.pad_sequence(batch, batch_first=True),
)
between = {"relu": nn.ReLU, "gelu": nn.GELU}[sys.argv[1]]()
model = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 512), between, nn.Linear(512, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
begun = time.perf_counter()
for batch in loader:
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
print("epoch took", time.perf_counter() - begun)
