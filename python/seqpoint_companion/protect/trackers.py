"""Experiment trackers get no runs of a job that is only observed."""

import os
import sys

from .. import caller

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


def disable():
    """Sets the variables that the user has not set. Returns {module: name} of the trackers."""
    for _, _, variable, value in TRACKERS:
        if variable not in os.environ:
            caller.set_variable(variable, value)
    return {
        module: name for name, module, variable, value in TRACKERS if os.environ[variable] == value
    }


def send_mlflow_to(folder):
    """Makes MLflow write into a folder: the variable above is read by its integrations only."""
    caller.set_variable("MLFLOW_TRACKING_URI", f"file://{folder}/mlflow")
    caller.set_variable("MLFLOW_ALLOW_FILE_STORE", "true")  # else recent releases refuse a folder


def lines(disabled):
    """What to tell of the trackers that the job has imported."""
    return [f"{name} was disabled" for module, name in disabled.items() if module in sys.modules]
