"""Hugging Face's Trainer with batches of like lengths and an evaluation within the epoch."""

import tempfile

import work
from transformers import Trainer, TrainerCallback, TrainingArguments


class Clock(TrainerCallback):
    def on_step_end(self, *_, **__):
        work.LOG.end()

    on_substep_end = on_step_end

    def on_evaluate(self, *_, **__):
        work.LOG.aside()


class TimedTrainer(Trainer):
    def training_step(self, *arguments, **named):
        work.LOG.begin()
        return super().training_step(*arguments, **named)


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        num_train_epochs=1,
        per_device_train_batch_size=work.BATCH,
        train_sampling_strategy="group_by_length",
        length_column_name="length",
        gradient_accumulation_steps=2,
        eval_strategy="steps",
        eval_steps=10,
        logging_steps=20,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        seed=3,
        remove_unused_columns=False,
        disable_tqdm=True,
    )
    TimedTrainer(
        work.Model(),
        arguments,
        data_collator=work.pad,
        train_dataset=work.Texts(work.MANY),
        eval_dataset=work.Texts(80, seed=8),
        callbacks=[Clock()],
    ).train()
