"""Hugging Face's Trainer, which seeds by itself."""

import tempfile

import work
from transformers import Trainer, TrainerCallback, TrainingArguments


class Epoch(TrainerCallback):
    def on_epoch_begin(self, *_, **__):
        self.clock = work.Clock()

    def on_epoch_end(self, *_, **__):
        self.clock.end()


with tempfile.TemporaryDirectory() as folder:
    Trainer(
        work.Network(),
        TrainingArguments(
            folder,
            per_device_train_batch_size=16,
            num_train_epochs=1,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
        ),
        data_collator=lambda samples: {"input_ids": work.pad(samples)},
        train_dataset=work.Rows(),
        callbacks=[Epoch()],
    ).train()
