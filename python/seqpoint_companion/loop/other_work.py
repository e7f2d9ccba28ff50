"""Work inside an iteration that does not belong to it: validation, checkpoints."""

import functools
import sys

import torch

SAVING = "checkpoint"
VALIDATION = "validation"


def watch(note):
    """Makes the job call `note(kind)` when it saves something. base observes other loaders."""
    torch.save = noting(torch.save, note)
    safetensors = sys.modules.get("safetensors.torch")
    if safetensors is not None:
        safetensors.save_file = noting(safetensors.save_file, note)


def noting(save, note):
    @functools.wraps(save)
    def noted(*arguments, **named):
        note(SAVING)
        return save(*arguments, **named)

    return noted
