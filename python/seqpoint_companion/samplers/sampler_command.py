"""`python3 -m seqpoint_companion order --sampler MODULE:FUNCTION LENGTHS.csv -o order.csv`"""

import argparse
import collections.abc
import itertools
import os
import sys

from ..faults import BadUsage, CannotWrite, finish
from ..lengths.length_file import require_not_read
from ..options import positive
from ..outputs import asked_csv
from .lengths import read_lengths
from .sampled_rows import batches_of
from .sampler_function import EXAMPLE, FORM, SamplerFunction

DESCRIPTION = f"""Writes the batches that a sampler makes of given lengths. No job is run.

FUNCTION(lengths) returns the sampler or the batch sampler. `lengths` is a list of numbers;
lengths.columns["tgt_len"] is another column of the file. With --world-size W the function is called
for each rank: FUNCTION(lengths, rank, W). Example of mine.py:

{EXAMPLE}

    order --sampler mine:sampler lengths.csv -o order.csv

Then: seqpoint scan lengths.csv --sampler recorded:order=order.csv"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadUsage(message, FORM)  # an unknown option is mostly an argument of the sampler


def count(text):
    if int(text) < 0:
        raise ValueError
    return int(text)


def make_parser():
    parser = Parser(
        prog="python3 -m seqpoint_companion order",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("lengths", metavar="LENGTHS.csv", help="a length a row, with a header: column src_len")
    add("-o", dest="output", required=True, metavar="FILE", help="the order (CSV)")
    add("--sampler", required=True, metavar="MODULE:FUNCTION", help="returns the sampler")
    add("--column", metavar="NAME", help="the column that has the lengths [src_len]")
    add("--batch-size", type=positive, metavar="N", help="for a sampler of single rows")
    add("--drop-last", action="store_true", help="with --batch-size: drop the short last batch")
    add("--epoch", type=count, default=0, metavar="E", help="the first epoch [0]")
    add("--epochs", type=positive, default=1, metavar="N", help="how many [1]")
    add("--no-set-epoch", action="store_true", help="the job never calls set_epoch")
    add("--world-size", type=positive, default=1, metavar="W", help="ranks [1]")
    add("--batches", type=positive, metavar="N", help="at most so many an epoch")
    return parser


def main(arguments):
    return finish(make_order, arguments)


def make_order(arguments):
    options = make_parser().parse_args(arguments)
    require_output(options)
    lengths = read_lengths(options.lengths, options.column)
    function = SamplerFunction(options.sampler)
    rows, again = (list(order_rows(options, function, lengths)) for _ in range(2))
    write(options.output, rows)
    if again != rows:
        say(
            f"warning: {options.sampler} makes another order each time it is called; "
            f"{options.output} has one of them\n"
            "  hint: seed the random numbers in the function as the job does: torch.manual_seed(1)"
        )
    say(f"{options.output}: {len(rows)} batches by {options.sampler}")


def say(text):
    print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def order_rows(options, function, lengths):
    """One row per micro-batch, with all ranks."""
    ranks = [epochs_of(rank, options, function, lengths) for rank in range(options.world_size)]
    for number, of_ranks in enumerate(zip(*ranks), options.epoch):
        require_alike(options, of_ranks, number)
        for iteration, batches in enumerate(zip(*of_ranks)):
            yield {"epoch": number, "iteration": iteration, **joined(batches)}


def epochs_of(rank, options, function, lengths):
    """The batches of each epoch of a rank."""
    of_rank = (rank, options.world_size) if options.world_size > 1 else ()
    sampler = function.call(lengths, *of_rank)
    number = options.epoch + options.epochs
    if number > 1 and isinstance(sampler, collections.abc.Iterator):
        raise BadUsage(
            f"{options.sampler} returns an iterator, which has one epoch",
            "leave --epoch and --epochs out, or return an object that can be iterated again",
        )
    setters = [] if options.no_set_epoch else epoch_setters(sampler)
    epochs = []
    for epoch in range(number):  # also those before --epoch, because they may draw random numbers
        with function.errors_with_lines():
            for set_epoch in setters:
                set_epoch(epoch)
            epochs.append(batches_of(sampler, options, lengths))
    return epochs[options.epoch :]


def epoch_setters(sampler):
    """set_epoch as loaders call it: of the sampler, and of the source of its rows."""
    inner = getattr(sampler, "batch_sampler", None)
    owners = (sampler, getattr(sampler, "sampler", None), getattr(inner, "sampler", None))
    return [owner.set_epoch for owner in owners if callable(getattr(owner, "set_epoch", None))]


def require_alike(options, of_ranks, epoch):
    numbers = [len(batches) for batches in of_ranks]
    if len(set(numbers)) > 1:
        raise BadUsage(
            f"ranks have {', '.join(map(str, numbers))} batches in epoch {epoch}",
            "a job would wait for the rank with the most; list its real batches: order -- SCRIPT",
        )
    if len(of_ranks) > 1 and all(batches == of_ranks[0] for batches in of_ranks):
        raise BadUsage(
            f"{options.sampler} gives all {len(of_ranks)} ranks the same batches",
            "return the batches of the rank that the function is called for",
        )


def joined(batches):
    """The columns of all ranks' batches, with the lengths of the rank with most padded tokens."""
    rows = "|".join(" ".join(map(str, batch["rows"])) for batch in batches)
    heaviest = max(batches, key=padded_tokens)
    return {"rows": rows, **{key: value for key, value in heaviest.items() if key != "rows"}}


def padded_tokens(batch):
    return (batch.get("src_len", 0) + batch.get("tgt_len", 0)) * batch.get("batch_size", 1)


def require_output(options):
    path = options.output
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise CannotWrite(f"{path}: cannot be written", "give a file in a folder of yours")
    require_not_read(path, [options.lengths])


def write(path, rows):
    columns = list(dict.fromkeys(itertools.chain(*rows)))
    with asked_csv(path) as file:
        file.write(columns)
        for row in rows:
            file.write([row.get(column, "") for column in columns])
