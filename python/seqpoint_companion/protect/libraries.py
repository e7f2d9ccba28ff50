"""Functions of libraries that save or load by themselves, whose paths are replaced."""

import functools

from ..on_import import change_on_import

# (module, function or method, position of the path among its arguments, name of the path)
CHECKPOINTS = (
    ("torch.serialization", "save", 1, "f"),
    ("torch.jit", "save", 1, "f"),
    ("torch.distributed.checkpoint.filesystem", "_FileSystemWriter.__init__", 1, "path"),
    ("torch.distributed.checkpoint.filesystem", "FileSystemWriter.__init__", 1, "path"),
    ("safetensors", "serialize_file", 1, "filename"),
    ("accelerate.accelerator", "Accelerator.save_state", 1, "output_dir"),
    ("accelerate.accelerator", "Accelerator.save_model", 2, "save_directory"),
    ("deepspeed.runtime.engine", "DeepSpeedEngine.save_checkpoint", 1, "save_dir"),
    ("lightning.fabric.plugins.io.torch_io", "TorchCheckpointIO.save_checkpoint", 2, "path"),
    ("lightning_fabric.plugins.io.torch_io", "TorchCheckpointIO.save_checkpoint", 2, "path"),
    ("transformers.trainer", "Trainer.save_model", 1, "output_dir"),
    ("transformers.modeling_utils", "PreTrainedModel.save_pretrained", 1, "save_directory"),
    ("transformers.configuration_utils", "PretrainedConfig.save_pretrained", 1, "save_directory"),
    ("transformers.configuration_utils", "PreTrainedConfig.save_pretrained", 1, "save_directory"),
    (
        "transformers.generation.configuration_utils",
        "GenerationConfig.save_pretrained",
        1,
        "save_directory",
    ),
    (
        "transformers.tokenization_utils_base",
        "PreTrainedTokenizerBase.save_pretrained",
        1,
        "save_directory",
    ),
    ("transformers.processing_utils", "ProcessorMixin.save_pretrained", 1, "save_directory"),
    ("peft.peft_model", "PeftModel.save_pretrained", 1, "save_directory"),
    ("diffusers.models.modeling_utils", "ModelMixin.save_pretrained", 1, "save_directory"),
    (
        "diffusers.pipelines.pipeline_utils",
        "DiffusionPipeline.save_pretrained",
        1,
        "save_directory",
    ),
)
# What else such a library writes into its folders, and removes from them.
OTHERS = (
    ("torch.distributed.checkpoint.filesystem", "_FileSystemWriter.reset", 1, "checkpoint_id"),
    ("torch.utils.tensorboard.writer", "FileWriter.__init__", 1, "log_dir"),
    ("tensorboardX.writer", "FileWriter.__init__", 1, "logdir"),
    ("lightning.fabric.plugins.io.torch_io", "TorchCheckpointIO.remove_checkpoint", 1, "path"),
    ("lightning_fabric.plugins.io.torch_io", "TorchCheckpointIO.remove_checkpoint", 1, "path"),
    ("lightning.fabric.loggers.csv_logs", "_ExperimentWriter.__init__", 1, "log_dir"),
    ("lightning_fabric.loggers.csv_logs", "_ExperimentWriter.__init__", 1, "log_dir"),
)
LOADING = (
    ("torch.serialization", "load", 0, "f"),
    ("torch.jit", "load", 0, "f"),
    ("torch.distributed.checkpoint.filesystem", "FileSystemReader.__init__", 1, "path"),
    ("torch.distributed.checkpoint.filesystem", "FileSystemReader.reset", 1, "checkpoint_id"),
    ("safetensors", "safe_open", 0, "filename"),
    ("accelerate.accelerator", "Accelerator.load_state", 1, "input_dir"),
    ("deepspeed.runtime.engine", "DeepSpeedEngine.load_checkpoint", 1, "load_dir"),
)
# Methods of Hugging Face's Trainer that write into the folder of its arguments.
SAVES_CHECKPOINT = "_save_checkpoint"
OTHERS_OF_TRAINER = ("save_model", "save_state", "save_metrics")
UPLOADS = ("push_to_hub", "_push_from_checkpoint")


def redirect(scratch):
    """Replaces the paths of these functions by their places in the folder, now or on import."""
    changes = {}
    for table, place in (
        (CHECKPOINTS, scratch.to_save),
        (OTHERS, scratch.to_log),
        (LOADING, scratch.to_read),
    ):
        for module, name, position, argument in table:
            change = functools.partial(change_path, name, position, argument, place)
            changes.setdefault(module, []).append(change)
    change_trainer = functools.partial(change_methods_of_trainer, scratch)
    changes["transformers.trainer"].append(change_trainer)
    change_on_import({of: functools.partial(change_all, all) for of, all in changes.items()})


def change_all(changes, module):
    for change in changes:
        change(module)


def change_path(name, position, argument, place, module):
    """Replaces a function, or Class.method, of the module; a release may lack it."""
    owner, _, function = name.rpartition(".")
    owner = getattr(module, owner, None) if owner else module
    own = getattr(owner, function, None)
    if own is not None:
        setattr(owner, function, with_path(own, position, argument, place))


def with_path(own, position, argument, place):
    @functools.wraps(own)
    def redirected(*arguments, **named):
        if argument in named:
            named[argument] = place(named[argument])
        elif len(arguments) > position:
            path = place(arguments[position])
            arguments = (*arguments[:position], path, *arguments[position + 1 :])
        return own(*arguments, **named)

    return redirected


def change_methods_of_trainer(scratch, module):
    for name in (SAVES_CHECKPOINT, *OTHERS_OF_TRAINER):
        own = getattr(module.Trainer, name, None)
        place = scratch.to_save if name == SAVES_CHECKPOINT else scratch.to_log
        if own is not None:
            setattr(module.Trainer, name, in_scratch(own, place))
    for name in UPLOADS:
        if hasattr(module.Trainer, name):
            setattr(module.Trainer, name, lambda *_, **__: None)


def in_scratch(own, place):
    """A method of the Trainer, during which the folder of its arguments is in scratch."""

    @functools.wraps(own)
    def redirected(trainer, *arguments, **named):
        before = trainer.args.output_dir
        trainer.args.output_dir = place(before)
        try:
            return own(trainer, *arguments, **named)
        finally:
            trainer.args.output_dir = before

    return redirected
