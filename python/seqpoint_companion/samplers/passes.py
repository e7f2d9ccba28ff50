"""The epochs of a sampler: passes over it, `set_epoch`, and the random numbers that it draws."""

import inspect
import sys

from .arguments import Arguments, described
from .sampled_rows import batches_of
from ..faults import BadUsage, Fault


class GlobalGenerators:
    """Python's, NumPy's and PyTorch's default generators, if they are imported."""

    def __init__(self):
        self.modules = {
            name: sys.modules[name] for name in ("random", "numpy", "torch") if name in sys.modules
        }

    def seed(self, seed):
        self.modules["random"].seed(seed)
        if "numpy" in self.modules:
            self.modules["numpy"].random.seed(seed % 2**32)
        if "torch" in self.modules:
            self.modules["torch"].manual_seed(seed)

    def states(self):
        states = {"random": str(self.modules["random"].getstate())}
        if "numpy" in self.modules:
            states["numpy"] = str(self.modules["numpy"].random.get_state(legacy=False))
        if "torch" in self.modules:
            states["torch"] = self.modules["torch"].get_rng_state().tolist()
        return states


class Pass:
    """The order of one rank: [[columns of each batch] of each epoch], and notes on it."""

    def __init__(self, epochs, notes, drawn, seeded):
        self.epochs, self.notes = epochs, notes
        self.drawn = drawn  # default generators that were used
        self.seeded = seeded  # whether a parameter took the seed


def passes_of_rank(options, lengths, rank, default_seed):
    generators = GlobalGenerators()
    generators.seed(default_seed)
    before = generators.states()
    arguments = Arguments(options, lengths, rank)
    epochs, notes = run_epochs(arguments, options, lengths)
    if options.drop_last and not options.taken_drop_last:
        raise BadUsage(
            "--drop-last: the sampler makes batches itself, and does not take it", "leave it out"
        )
    after = generators.states()
    drawn = [name for name in before if before[name] != after[name]]
    notes = [*notes, defaults_note(arguments)]
    return Pass(epochs, [note for note in notes if note], drawn, "seed" in arguments.used)


def run_epochs(arguments, options, lengths):
    """([the batches of each epoch], notes), by as many passes as a job would make."""
    if arguments.by_epoch:
        epochs = [made_for(arguments, epoch, lengths) for epoch in wanted(options)]
        return epochs, []
    sampler = arguments.make()
    note_taken(arguments, options)
    set_epoch = None if options.no_set_epoch else epoch_setter(sampler)
    last = options.epoch + options.epochs
    if last > 1 and not repeatable(sampler):
        raise BadUsage(
            f"{options.sampler} hands out one pass",
            "leave --epoch and --epochs out, or give a class",
        )
    epochs = []
    for epoch in range(last):  # earlier epochs are also run, because they may draw
        epochs.append(one_pass(sampler, options, lengths, epoch, set_epoch))
    note = f"no set_epoch: epoch {options.epoch} is pass {options.epoch + 1} over the sampler"
    return epochs[options.epoch :], [note] if last > 1 and set_epoch is None else []


def wanted(options):
    return range(options.epoch, options.epoch + options.epochs)


def made_for(arguments, epoch, lengths):
    """The batches of a function that is called for each epoch."""
    arguments.epoch = epoch
    items = arguments.make()
    note_taken(arguments, arguments.options)
    return one_pass(items, arguments.options, lengths, epoch)


def note_taken(arguments, options):
    options.taken_batch_size = "batch_size" in arguments.used
    options.taken_drop_last = "drop_last" in arguments.used


def one_pass(sampler, options, lengths, epoch, set_epoch=None):
    try:
        if set_epoch is not None:
            set_epoch(epoch)
        return batches_of(sampler, options, lengths)
    except Fault:
        raise
    except Exception as error:
        raise BadUsage(
            f"{options.sampler} failed as it was iterated: {described(error)}",
            "a sampler that needs more than lengths: hand out its rows from a function of your own",
        ) from error


def epoch_setter(sampler):
    """Calls set_epoch like loaders do, on the sampler and on the source of its rows."""
    inner = getattr(sampler, "batch_sampler", None)
    owners = (sampler, getattr(sampler, "sampler", None), getattr(inner, "sampler", None))
    setters = [owner.set_epoch for owner in owners if callable(getattr(owner, "set_epoch", None))]

    def set_epoch(epoch):
        for setter in setters:
            setter(epoch)

    return set_epoch if setters else None


def repeatable(sampler):
    return not inspect.isgenerator(sampler) and iter(sampler) is not sampler


def defaults_note(arguments):
    defaults = ", ".join(f"{key}={short(value)}" for key, value in arguments.defaults.items())
    return f"left at their defaults: {defaults}" if defaults else ""


def short(value):
    return getattr(value, "__name__", repr(value))
