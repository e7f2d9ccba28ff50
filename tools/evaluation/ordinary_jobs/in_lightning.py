"""A LightningModule."""

import lightning
import torch
import work
from torch.utils.data import DataLoader


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = work.Network()

    def training_step(self, batch, _):
        return self.network(batch)["loss"]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)

    def on_train_epoch_start(self):
        self.clock = work.Clock()

    def on_train_epoch_end(self):
        self.clock.end()


lightning.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
).fit(Module(), DataLoader(work.Rows(), 16, shuffle=True, collate_fn=work.pad))
