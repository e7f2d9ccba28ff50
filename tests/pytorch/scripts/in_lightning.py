"""Lightning, with validation before training and after each epoch."""

import corpus
import lightning.pytorch as lightning
import torch
from torch.utils.data import DataLoader


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = corpus.Network()

    def training_step(self, batch, number):
        return self.network(**batch)["loss"]

    def validation_step(self, batch, number):
        self.network(**batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(9)
loader = DataLoader(
    corpus.Pairs(), batch_size=8, shuffle=True, collate_fn=corpus.pad, num_workers=corpus.WORKERS
)
validation = DataLoader(corpus.Pairs(24, seed=8), batch_size=6, collate_fn=corpus.pad)
trainer = lightning.Trainer(
    max_epochs=2,
    accumulate_grad_batches=2,
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    accelerator="cpu",
    default_root_dir="trained",
)
trainer.fit(Module(), loader, validation)
