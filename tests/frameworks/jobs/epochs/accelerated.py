"""A loop of its own with accelerate, which accumulates gradients over two batches."""

import accelerate
import torch
import work
from torch.utils.data import DataLoader

work.seed(5, accelerate.utils.set_seed)
accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
model = work.Model()
loader = DataLoader(work.Texts(), batch_size=work.BATCH, shuffle=True, collate_fn=work.pad)
model, optimiser, loader = accelerator.prepare(
    model, torch.optim.AdamW(model.parameters(), lr=1e-3), loader
)
for batch in loader:
    work.LOG.begin()
    with accelerator.accumulate(model):
        accelerator.backward(model(**batch)["loss"])
        optimiser.step()
        optimiser.zero_grad()
    work.LOG.end()
