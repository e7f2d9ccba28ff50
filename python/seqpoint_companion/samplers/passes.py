"""The epochs of a sampler: passes over it, `set_epoch`, and the random numbers that it draws."""

import collections.abc
import random
import sys
from typing import NamedTuple

from .arguments import Arguments, described
from .sampled_rows import batches_of
from ..faults import BadUsage, Fault


def seed_generators(seed):
    """Seeds the default generators of Python and, if they are imported, of NumPy and PyTorch."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def states_of_generators():
    states = {"random": str(random.getstate())}
    if "numpy" in sys.modules:
        states["numpy"] = str(sys.modules["numpy"].random.get_state(legacy=False))
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state().tolist()
    return states


class Pass(NamedTuple):
    """The order of one rank."""

    epochs: list  # of each epoch the columns of each batch
    notes: list
    drawn: list  # default generators that were used
    seeded: bool  # whether a parameter took the seed


def passes_of_rank(options, lengths, rank, default_seed):
    seed_generators(default_seed)
    before = states_of_generators()
    arguments = Arguments(options, lengths, rank)
    epochs, notes = run_epochs(arguments)
    if options.drop_last and not arguments.gives_rows and "drop_last" not in arguments.used:
        raise BadUsage(
            "--drop-last: the sampler makes batches itself, and does not take it", "leave it out"
        )
    after = states_of_generators()
    drawn = [name for name in before if before[name] != after[name]]
    return Pass(epochs, notes + defaults_note(arguments), drawn, "seed" in arguments.used)


def run_epochs(arguments):
    """([the batches of each epoch], notes), by as many passes as a job would make."""
    options = arguments.options
    last = options.epoch + options.epochs
    if arguments.by_epoch:
        return [made_for(arguments, epoch) for epoch in range(options.epoch, last)], []
    sampler = arguments.make()
    set_epoch = None if options.no_set_epoch else epoch_setter(sampler)
    if last > 1 and isinstance(sampler, collections.abc.Iterator):
        raise BadUsage(
            f"{options.sampler} hands out one pass",
            "leave --epoch and --epochs out, or give a class",
        )
    # Earlier epochs are also run, because they may draw.
    epochs = [one_pass(sampler, arguments, epoch, set_epoch) for epoch in range(last)]
    note = f"no set_epoch: epoch {options.epoch} is pass {options.epoch + 1} over the sampler"
    return epochs[options.epoch :], [note] if last > 1 and set_epoch is None else []


def made_for(arguments, epoch):
    """The batches of a function that is called for each epoch."""
    arguments.epoch = epoch
    return one_pass(arguments.make(), arguments, epoch, None)


def one_pass(sampler, arguments, epoch, set_epoch):
    try:
        if set_epoch is not None:
            set_epoch(epoch)
        return batches_of(sampler, arguments)
    except Fault:
        raise
    except Exception as error:
        raise BadUsage(
            f"{arguments.options.sampler} failed as it was iterated: {described(error)}",
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


def defaults_note(arguments):
    """[what the sampler's parameters were left at], if any were"""
    defaults = [
        f"{key}={getattr(value, '__name__', repr(value))}"
        for key, value in arguments.defaults.items()
    ]
    return [f"left at their defaults: {', '.join(defaults)}"] if defaults else []
