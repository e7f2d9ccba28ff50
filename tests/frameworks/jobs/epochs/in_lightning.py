"""A LightningModule with a validation loader, run every twenty batches."""

import lightning
import torch
import work
from torch.utils.data import DataLoader


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = work.Model()

    def training_step(self, batch, _):
        loss = self.model(**batch)["loss"]
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        self.model(**batch)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


class Clock(lightning.Callback):
    def on_train_batch_start(self, *_):
        work.LOG.begin()

    def on_train_batch_end(self, *_):
        work.LOG.end()

    def on_validation_end(self, *_):
        work.LOG.aside()


work.seed(4, lightning.seed_everything)
trainer = lightning.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    val_check_interval=20,
    num_sanity_val_steps=2,
    callbacks=[Clock()],
)
trainer.fit(
    Module(),
    DataLoader(work.Texts(), batch_size=work.BATCH, shuffle=True, collate_fn=work.pad),
    DataLoader(work.Texts(80, seed=8), batch_size=work.BATCH, collate_fn=work.pad),
)
