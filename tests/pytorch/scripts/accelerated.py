"""accelerate in a custom loop, which accumulates gradients over two batches."""

import corpus
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

torch.manual_seed(3)
accelerator = Accelerator(gradient_accumulation_steps=2)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(
    data, batch_size=8, shuffle=True, collate_fn=corpus.pad, num_workers=corpus.WORKERS
)
model, optimiser, loader = accelerator.prepare(model, optimiser, loader)
for epoch in range(2):
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(**batch)["loss"])
            optimiser.step()
            optimiser.zero_grad()
