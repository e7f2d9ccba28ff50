"""The part of Lightning that the scripts use, over the stand-in for its loop.

It is used if Lightning is not installed.
"""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
import stand_ins
import torch


class LightningModule(torch.nn.Module):
    pass


class Trainer(stand_ins.LightningTrainer):
    def __init__(self, max_epochs, accumulate_grad_batches, default_root_dir, **_):
        super().__init__([], accumulate_grad_batches)
        self.max_epochs, self.folder = max_epochs, default_root_dir

    def fit(self, module, loader, validation):
        optimiser, number = module.configure_optimizers(), 0
        self.validate(module, validation)
        for _ in range(self.max_epochs):
            super().fit(
                loader, lambda batch: module.training_step(batch, number).backward(), optimiser.step
            )
            self.validate(module, validation)
            os.makedirs(self.folder, exist_ok=True)
            torch.save(module.state_dict(), os.path.join(self.folder, "checkpoint"))

    def validate(self, module, loader):
        module.eval()
        with torch.no_grad():
            for number, batch in enumerate(loader):
                module.validation_step(batch, number)
        module.train()
