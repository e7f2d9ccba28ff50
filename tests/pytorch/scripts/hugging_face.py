"""Hugging Face's Trainer, with evaluation after each epoch and two batches per optimiser step."""

import corpus
from transformers import Trainer, TrainingArguments

arguments = TrainingArguments(
    "trained",
    per_device_train_batch_size=8,
    gradient_accumulation_steps=2,
    num_train_epochs=2,
    seed=6,
    eval_strategy="epoch",
    save_strategy="epoch",
    report_to=[],
    disable_tqdm=True,
    remove_unused_columns=False,
    dataloader_num_workers=corpus.WORKERS,
)
data = corpus.Pairs(152)  # nineteen batches: the last step of an epoch is half one
Trainer(corpus.Network(), arguments, corpus.pad, data, corpus.Pairs(24, seed=8)).train()
