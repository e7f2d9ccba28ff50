"""Which argument each parameter of a sampler gets.

A parameter gets its --with value or, if it has a usual name, the value for that name. A parameter
with neither and without a default is an error: nothing is guessed.
"""

import importlib
import importlib.util
import inspect
import json

from ..faults import BadUsage, Fault
from .lengths import Dataset

LENGTHS = {"durations", "lengths", "lengths_list", "lens", "seq_lens", "seqlens", "sizes"}
DATASET = {"data_source", "dataset", "ds", "train_dataset"}
BATCH_SIZE = {"batch_size", "micro_batch_size"}
RANKS = (  # names of rank and number of ranks; used only together
    ("rank", "num_replicas"),
    ("rank", "world_size"),
    ("global_rank", "world_size"),
    ("process_index", "num_processes"),
    ("data_parallel_rank", "data_parallel_size"),
    ("dp_rank", "dp_size"),
)
WORDS = {"True": True, "False": False, "None": None}
REFERENCES = "@lengths, @dataset, @rows, @generator, @COLUMN or @module:name"
VALUES = f"a number, true, false, null, JSON, text, {REFERENCES}"


def load(name):
    """The class or function of `package.module:Name`."""
    module, _, attribute = name.partition(":")
    if not attribute:
        raise BadUsage(f"{name} is not package.module:Class", "a colon stands before the class")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise BadUsage(f"{name} cannot be imported: {error}", import_hint(module, error)) from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise BadUsage(f"{module} has no {part}", similar(found))
        found = getattr(found, part)
    return found


def import_hint(module, error):
    """What mends an import: the package that lacks, or a look at the one that is there."""
    if not isinstance(error, ModuleNotFoundError):
        return f"python3 -c 'import {module}' shows why"
    missing = (error.name or module).split(".")[0]
    if missing == module.split(".")[0] and importlib.util.find_spec(missing) is None:
        return f"install the package of {missing}, or set PYTHONPATH to the folder of {missing}.py"
    if importlib.util.find_spec(missing) is not None:
        return f"{missing} has no {error.name}: another release of it may have"
    return f"{module} needs {missing}: install its package in this Python environment"


def similar(module):
    names = [name for name in vars(module) if "sampler" in name.lower()]
    return f"its samplers: {', '.join(sorted(names))}" if names else ""


def typed(text):
    """The value of a text after `--with KEY=`: Python's words, JSON, else the text itself."""
    if text in WORDS:
        return WORDS[text]
    try:
        return json.loads(text)
    except ValueError:
        return text


def split_with(pairs):
    """{key: text} of the `key=value`s on the command line."""
    texts = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise BadUsage(f"--with {pair}: is not key=value")
        if key in texts:
            raise BadUsage(f"--with {key}: is given twice")
        texts[key] = text
    return texts


class Arguments:
    """Makes a sampler, and the objects inside it, for one rank."""

    def __init__(self, options, lengths, rank):
        self.options, self.lengths, self.rank = options, lengths, rank
        self.target = load(options.sampler)
        self.epoch = options.epoch  # for a function that is called for each epoch
        self.used = set()  # options for some samplers only that were used
        self.gives_rows = False  # whether the last pass gave single rows, not batches
        self.seen = set()  # keys of --with that were used
        self.defaults = {}  # the outermost sampler's parameters at their defaults

    def make(self):
        made = self.call(self.options.sampler, self.target, "")
        unknown = sorted(set(self.options.given) - self.seen)
        if unknown:
            owner = unknown[0].rpartition(".")[0]
            hint = f"only `--with {owner}=@module:Class` has keys within it" if owner else ""
            raise BadUsage(f"--with {unknown[0]}: nothing takes it", hint)
        return made

    def call(self, name, target, prefix):
        if not callable(target):
            return target
        try:
            parameters = inspect.signature(target).parameters
        except (TypeError, ValueError):
            raise BadUsage(
                f"{name} has no readable parameters", "call it in a function of your own"
            ) from None
        keywords = self.keywords(name, parameters, prefix)
        try:
            return target(**keywords)
        except Fault:
            raise
        except Exception as error:
            raise BadUsage(
                f"{name}({', '.join(keywords)}) failed: {described(error)}",
                "give its parameters with --with KEY=VALUE, or call it in a function of your own",
            ) from error

    def keywords(self, name, parameters, prefix):
        given = self.own(prefix)
        open_ended = inspect.Parameter.VAR_KEYWORD in {of.kind for of in parameters.values()}
        named = {
            key: parameter
            for key, parameter in parameters.items()
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        }
        for key in given:
            if key not in named and not open_ended:
                raise BadUsage(
                    f"--with {prefix}{key}: {name} has no such parameter",
                    f"it has {', '.join(named)}",
                )
        keywords = {key: self.value(prefix + key, text) for key, text in given.items()}
        for key, parameter in named.items():
            self.fill(name, key, parameter, named, keywords, prefix)
        return keywords

    def own(self, prefix):
        """The --with values for this object's parameters, without those of objects inside it."""
        texts = self.options.given
        here = {key[len(prefix) :]: text for key, text in texts.items() if key.startswith(prefix)}
        return {key: text for key, text in here.items() if "." not in key}

    def fill(self, name, key, parameter, named, keywords, prefix):
        if key in keywords:
            return
        found, value = self.usual(key, named)
        if found:
            keywords[key] = value
        elif parameter.default is not parameter.empty:
            self.defaults.update({} if prefix else {key: parameter.default})
        else:
            raise BadUsage(f"{name} needs {key}", self.way_out(key, prefix))

    def way_out(self, key, prefix):
        if key in BATCH_SIZE:
            return "add --batch-size N"
        if key == "seed":
            return "add --seed S"
        return f"add --with {prefix}{key}=VALUE: {VALUES}"

    def usual(self, key, named):
        """(whether the name has a known value, that value)"""
        if key in LENGTHS:
            return True, self.lengths.main
        if key in DATASET:
            return True, Dataset(self.lengths)
        for rank, size in RANKS:
            if key in (rank, size) and rank in named and size in named:
                return True, self.rank if key == rank else self.options.world_size
        option = "batch_size" if key in BATCH_SIZE else key
        if option in ("batch_size", "drop_last", "seed"):
            self.used.add(option)
            value = getattr(self.options, option)
            required = option == "drop_last" and named[key].default is inspect.Parameter.empty
            return value is not None or required, bool(value) if required else value
        return (True, self.epoch) if key == "epoch" and self.by_epoch else (False, None)

    @property
    def by_epoch(self):
        """Whether the sampler is a function that makes the batches of a given epoch."""
        return (
            inspect.isfunction(self.target) and "epoch" in inspect.signature(self.target).parameters
        )

    def value(self, key, text):
        self.seen.add(key)
        if not text.startswith("@"):
            return typed(text)
        name = text[1:]
        if ":" in name:
            return self.call(name, load(name), f"{key}.")
        return self.reference(key, name)

    def reference(self, key, name):
        if name in self.lengths.columns:
            return self.lengths.columns[name]
        if name == "lengths":
            return self.lengths.main
        if name == "dataset":
            return Dataset(self.lengths)
        if name == "rows":
            return list(range(len(self.lengths)))
        if name == "generator":
            return self.generator()
        columns = ", ".join(f"@{column}" for column in self.lengths.columns)
        raise BadUsage(f"--with {key}=@{name}: is not known", f"there are {columns}; or {VALUES}")

    def generator(self):
        if self.options.seed is None:
            raise BadUsage("@generator has no seed", "add --seed S")
        self.used.add("seed")
        torch = importlib.import_module("torch")
        return torch.Generator().manual_seed(self.options.seed)


def described(error):
    """An error of foreign code, with the line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {error}{place}"
