"""Stand-ins for transformers and lightning, which may not be installed.

They implement the part of the documented interface that a callback meets, in the order in which the
loops call it.

transformers: huggingface.co/docs/transformers, "Callbacks": on_train_begin; for each optimiser step
on_step_begin, after each batch but its last on_substep_end, on_step_end. Since 4.46 the Trainer
fetches the batches of an optimiser step before it begins. Earlier versions fetched each batch when
they needed it, and a resumed run read the batches that it skipped.

lightning: "Callback", on_train_epoch_start, on_train_batch_start with the batch and
on_train_batch_end for every batch; its data fetcher is one batch ahead.
"""

import sys
import types


class TrainerCallback:
    def on_train_begin(self, args, state, control, **kwargs):
        pass

    def on_step_begin(self, args, state, control, **kwargs):
        pass

    def on_substep_end(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass


class Trainer:
    """The loop of transformers.Trainer.

    training_step(model, inputs) does `train(batch)`, the optimiser `update()`.
    """

    def __init__(self, loader, train, update, callbacks, accumulate=1, fetches_ahead=True, skip=0):
        self.loader, self.training_step, self.update = (
            loader,
            lambda model, inputs: train(inputs),
            update,
        )
        self.callbacks = list(callbacks)
        self.args, self.fetches_ahead = (
            types.SimpleNamespace(gradient_accumulation_steps=accumulate),
            fetches_ahead,
        )
        self.skip = skip  # optimiser steps that a resumed run has done

    def add_callback(self, callback):
        self.callbacks.append(callback)

    def tell(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(
                self.args, "state", "control", train_dataloader=self.loader, model=None
            )

    def train(self):
        batches, number = iter(self.loader), self.args.gradient_accumulation_steps
        self.tell("on_train_begin")
        for _ in zip(range(self.skip * number), batches):
            pass
        for _ in range(len(self.loader) // number - self.skip):
            ahead = (
                [batch for _, batch in zip(range(number), batches)] if self.fetches_ahead else []
            )
            for place in range(number):
                batch = ahead[place] if place < len(ahead) else next(batches, None)
                if batch is None:
                    return
                if place == 0:
                    self.tell("on_step_begin")
                self.training_step("model", batch)
                if place + 1 < number:
                    self.tell("on_substep_end")
            self.update()
            self.tell("on_step_end")


class Callback:
    def on_train_start(self, trainer, pl_module):
        pass

    def on_train_epoch_start(self, trainer, pl_module):
        pass

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_train_epoch_end(self, trainer, pl_module):
        pass


class LightningTrainer:
    def __init__(self, callbacks, accumulate_grad_batches=1):
        self.callbacks, self.accumulate_grad_batches = list(callbacks), accumulate_grad_batches

    def tell(self, event, *arguments):
        for callback in self.callbacks:
            getattr(callback, event)(self, "module", *arguments)

    def fit(self, loader, train, update):
        batches, number = iter(loader), 0
        self.tell("on_train_start")
        self.tell("on_train_epoch_start")
        batch = next(batches, None)
        while batch is not None:
            following = next(batches, None)
            self.tell("on_train_batch_start", batch, number)
            train(batch)
            number += 1
            if number % self.accumulate_grad_batches == 0:
                update()
            self.tell("on_train_batch_end", "outputs", batch, number - 1)
            batch = following
        self.tell("on_train_epoch_end")


def install():
    """Makes `import` find them, so that the companion uses them as the frameworks."""
    sys.modules["transformers"] = types.SimpleNamespace(TrainerCallback=TrainerCallback)
    callbacks = types.SimpleNamespace(Callback=Callback)
    for name in ("lightning", "lightning.pytorch", "lightning.pytorch.callbacks"):
        sys.modules[name] = callbacks if name.endswith("callbacks") else types.ModuleType(name)
