"""Begin and end of iterations in the frameworks that have a Trainer."""

import importlib
import sys

from ..asking import answer, attribute, is_a
from ..frames import running
from ..live_objects import MODULES

# transformers disables gradients inside these functions, batch by batch.
EVALUATING = ("evaluation_loop", "prediction_loop")
FRAMEWORKS = {
    "transformers": "transformers",
    "lightning": "lightning",
    "pytorch_lightning": "lightning",
}


def framework_of(owner):
    """The framework of a trainer, "transformers" or "lightning"; else None."""
    for kind in type(owner).__mro__:
        package = kind.__module__.split(".")[0]
        if kind.__name__ == "Trainer" and package in FRAMEWORKS:
            return FRAMEWORKS[package]
    return None


def trainer_around():
    """(the trainer that requests batches, or None; whether it evaluates)"""
    for frame in running():
        if framework_of(owner_of(frame)):
            return owner_of(frame), frame.f_code.co_name in EVALUATING
    return None, False


def owner_of(frame):
    """The object whose method runs, or None. Reading f_locals keeps what all names refer to."""
    code = frame.f_code
    is_method = "self" in code.co_varnames or "self" in code.co_freevars
    return frame.f_locals.get("self") if is_method else None


def tell_recorder(trainer, recorder):
    """Makes a trainer call the recorder at the beginning and end of an iteration."""
    steps = transformers_steps if framework_of(trainer) == "transformers" else lightning_steps
    steps(trainer, recorder)


def epoch_stated(trainer):
    """The batches of an epoch, as the framework around the loop states it; None if none does."""
    number = answer(_epoch_stated, trainer)
    return number if is_a(number, int) else None


def _epoch_stated(trainer):
    if framework_of(trainer) == "lightning":
        batches = trainer.num_training_batches
        if is_a(batches, int) or trainer.max_steps < 1:
            return batches
        return trainer.max_steps * accumulation_of(trainer)  # of a stream, which has no number
    if framework_of(trainer) == "transformers":
        steps = attribute(trainer.args, "max_steps", 0)
        return steps * accumulation_of(trainer) if steps > 0 else None
    if "ignite.engine.engine" in sys.modules:
        engines = owners(sys.modules["ignite.engine.engine"].Engine)
        return next((engine.state.epoch_length for engine in engines), None)
    return None


def owners(kind):
    """Objects of that class whose methods run, the innermost first."""
    for frame in running():
        if is_a(owner_of(frame), kind):
            yield owner_of(frame)


def accumulation_of(trainer):
    """The number of batches per optimiser step, if the framework reports it; else 1."""
    return answer(_accumulation_of, trainer, unknown=1)


def _accumulation_of(trainer):
    if framework_of(trainer) == "transformers":
        return trainer.args.gradient_accumulation_steps
    if framework_of(trainer) == "lightning":
        return trainer.accumulate_grad_batches
    state = sys.modules.get("accelerate.state")
    if state is not None and state.GradientState._shared_state:
        return state.GradientState().num_steps
    engine = sys.modules.get("deepspeed.runtime.engine")
    known = MODULES.living() if engine else []
    engines = [item for item in known if type(item) is engine.DeepSpeedEngine]
    return engines[-1].gradient_accumulation_steps() if engines else 1


def transformers_steps(trainer, recorder):
    """An iteration is from the trainer's training_step to the end of the step or sub-step."""
    from transformers import TrainerCallback

    own = trainer.training_step

    def training_step(model, inputs, *more, **named):
        recorder.begin(inputs)
        return own(model, inputs, *more, **named)

    class Ends(TrainerCallback):
        def on_step_end(self, *_, **__):
            recorder.end()

        on_substep_end = on_step_end

    trainer.training_step = training_step
    trainer.add_callback(Ends())


def lightning_steps(trainer, recorder):
    """An iteration is from on_train_batch_start to on_train_batch_end."""
    old = "pytorch_lightning" in sys.modules
    package = "pytorch_lightning" if old else "lightning.pytorch"
    callbacks = importlib.import_module(f"{package}.callbacks")

    class Iterations(callbacks.Callback):
        def on_train_batch_start(self, *_):
            recorder.begin()

        def on_train_batch_end(self, *_):
            recorder.end()

    trainer.callbacks.append(Iterations())
