"""Experiment trackers get no runs of a job that is only observed."""

import atexit
import functools
import os
import sys

from .. import caller
from ..on_import import change_on_import

# (name, module, its own variable that disables it, the value). MLflow has none for itself.
TRACKERS = (
    ("Weights & Biases", "wandb", "WANDB_MODE", "disabled"),
    ("Comet", "comet_ml", "COMET_AUTO_LOG_DISABLE", "1"),
    ("Neptune", "neptune", "NEPTUNE_MODE", "debug"),
    ("SwanLab", "swanlab", "SWANLAB_MODE", "disabled"),
    ("ClearML", "clearml", "CLEARML_OFFLINE_MODE", "1"),
    ("DVCLive", "dvclive", "DVCLIVE_TEST", "1"),
    ("MLflow", "mlflow", "DISABLE_MLFLOW_INTEGRATION", "TRUE"),
)
UPLOADS = ("push_to_hub", "_push_from_checkpoint")  # of Hugging Face's Trainer


def disable(scratch):
    """Sets the variables that the user has not set, and tells at the end what was disabled."""
    for _, _, variable, value in TRACKERS:
        if variable not in os.environ:
            caller.set_variable(variable, value)
    disabled = {
        module: name for name, module, variable, value in TRACKERS if os.environ[variable] == value
    }
    changes = {
        "mlflow": lambda _: send_mlflow_to(scratch),
        "transformers.trainer": leave_out_uploads,
    }
    if "wandb" in disabled:
        changes["wandb"] = disable_wandb
    change_on_import(changes)
    atexit.register(tell, disabled, os.getpid())


def disable_wandb(module):
    """A mode that the script gives counts more than the variable."""
    init = getattr(module, "init", None)
    if init is None:  # a folder or module of the user's
        return

    @functools.wraps(init)
    def disabled(*arguments, **named):
        if not caller.is_gone():
            named["mode"] = "disabled"
        return init(*arguments, **named)

    module.init = disabled


def send_mlflow_to(folder):
    """Makes MLflow write into a folder: the variable above is read by its integrations only."""
    caller.set_variable("MLFLOW_TRACKING_URI", f"file://{folder}/mlflow")
    caller.set_variable("MLFLOW_ALLOW_FILE_STORE", "true")  # else recent releases refuse a folder


def leave_out_uploads(module):
    for name in UPLOADS:
        if hasattr(module.Trainer, name):
            setattr(module.Trainer, name, left_out(getattr(module.Trainer, name)))


def left_out(upload):
    """Does nothing while the run waits for the job."""

    def replaced(*arguments, **named):
        return upload(*arguments, **named) if caller.is_gone() else None

    return replaced


def tell(disabled, process):
    """Reports the trackers that the job has imported."""
    names = [name for module, name in disabled.items() if module in sys.modules]
    if names and os.getpid() == process:
        from .. import report

        report.tell("untouched", text="; ".join(f"{name} was disabled" for name in names))
