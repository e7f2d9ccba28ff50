"""The part of transformers that the scripts use, over the stand-in for its Trainer's loop.

It is used if transformers is not installed.
"""

import os
import sys
import types

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import stand_ins
import torch
from stand_ins import TrainerCallback  # noqa: F401  scripts may import it
from torch.utils.data import DataLoader


class TrainingArguments(types.SimpleNamespace):
    def __init__(self, output_dir, **options):
        super().__init__(output_dir=output_dir, **options)


class Trainer(stand_ins.Trainer):
    """Shuffles with its own generator, and evaluates with gradients on, except around the model."""

    def __init__(self, model, args, data_collator, train_dataset, eval_dataset):
        generator = torch.Generator().manual_seed(args.seed)
        loader = DataLoader(
            train_dataset,
            args.per_device_train_batch_size,
            shuffle=True,
            generator=generator,
            collate_fn=data_collator,
            num_workers=args.dataloader_num_workers,
        )
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        super().__init__(
            loader,
            lambda batch: model(**batch)["loss"].backward(),
            optimiser.step,
            [],
            args.gradient_accumulation_steps,
        )
        self.args, self.model, self.held_out = (
            args,
            model,
            DataLoader(eval_dataset, 8, collate_fn=data_collator),
        )

    def train(self):
        self.evaluation_loop()
        for epoch in range(self.args.num_train_epochs):
            super().train()
            self.evaluation_loop()
            os.makedirs(self.args.output_dir, exist_ok=True)
            torch.save(
                self.model.state_dict(), os.path.join(self.args.output_dir, f"checkpoint-{epoch}")
            )

    def evaluation_loop(self):
        self.model.eval()
        for batch in self.held_out:
            with torch.no_grad():
                self.model(**batch)
        self.model.train()
