"""`python3 -m seqpoint_companion order --sampler package.module:Class LENGTHS.csv -o order.csv`"""

import argparse
import importlib.metadata
import itertools
import os
import sys

from .arguments import VALUES, load, split_with
from ..faults import BadUsage, CannotWrite, finish
from ..lengths.length_file import require_not_read
from ..options import positive
from ..outputs import asked_csv
from .lengths import read_lengths
from .rank_processes import passes_of_ranks

DESCRIPTION = """Writes the batches that a framework's own sampler makes of given lengths.

The sampler is the class of the release that is installed; no job is run. A function that returns or
yields batches does as well. Parameters with usual names (lengths, dataset, batch_size, drop_last,
seed, rank, num_replicas, ...) are filled in; --with gives the others:

    order --sampler torch.utils.data:DistributedSampler --batch-size 8 --seed 1 --world-size 4 \\
        lengths.csv -o order.csv
    order --sampler axolotl.utils.samplers:MultipackBatchSampler --batch-size 2 \\
        --with sampler=@torch.utils.data:SequentialSampler --with batch_max_len=4096 \\
        --with bin_size=200 lengths.csv -o order.csv

Then: seqpoint scan lengths.csv --sampler recorded:order=order.csv"""


def count(text):
    if int(text) < 0:
        raise ValueError
    return int(text)


def parser():
    parser = argparse.ArgumentParser(
        prog="python3 -m seqpoint_companion order",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("lengths", metavar="LENGTHS.csv", help="a length a row, with a header: column src_len")
    add("-o", dest="output", required=True, metavar="FILE", help="the order (CSV)")
    add("--sampler", required=True, metavar="MODULE:CLASS", help="the sampler, or a function")
    add(
        "--with",
        dest="pairs",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"a parameter: {VALUES}",
    )
    add("--column", metavar="NAME", help="the column that holds the lengths [src_len]")
    add("--batch-size", type=positive, metavar="N", help="of one rank")
    add("--drop-last", action="store_const", const=True, help="drop the short last batch")
    add("--seed", type=count, metavar="S", help="the sampler's, and that of the default generators")
    add("--epoch", type=count, default=0, metavar="E", help="the first epoch [0]")
    add("--epochs", type=positive, default=1, metavar="N", help="how many [1]")
    add("--no-set-epoch", action="store_true", help="the job never calls set_epoch")
    add("--world-size", type=positive, default=1, metavar="W", help="ranks [1]")
    add("--batches", type=positive, metavar="N", help="at most so many an epoch")
    return parser


def main(arguments):
    return finish(make_order, parser().parse_args(arguments))


def make_order(options):
    options.given = split_with(options.pairs)
    require_output(options)
    lengths = read_lengths(options.lengths, options.column)
    sys.path.insert(0, os.getcwd())  # for users' functions
    load(options.sampler)  # once, before ranks are forked, so that its errors come first
    ranks, notes = seeded_passes(options, lengths)
    rows = list(order_rows(options, ranks))
    write(options.output, rows)
    for note in notes:
        say(note)
    say(f"{options.output}: {len(rows)} batches by {origin(options.sampler)}")


def seeded_passes(options, lengths):
    """The results of the ranks, and notes. Rejects an order that depends on a missing seed."""
    seed = options.seed or 0
    ranks = passes_of_ranks(options, lengths, seed)
    drawn = ", ".join(sorted({name for rank in ranks for name in rank.drawn}))
    seeded = any(rank.seeded for rank in ranks)
    depends = bool(drawn) and not seeded and depends_on_default(options, lengths, ranks, seed)
    if options.seed is None and depends:
        raise BadUsage(
            f"the order depends on the default generator of {drawn}, which is not seeded",
            "add --seed S, which seeds it",
        )
    if options.seed is not None and not seeded and not depends:
        raise BadUsage("--seed: the order does not depend on it", "leave it out")
    note = f"the default generator of {drawn} is seeded with {seed}; in a job others draw from it"
    return ranks, [*ranks[0].notes, *([note] if depends else [])]


def depends_on_default(options, lengths, ranks, seed):
    """Whether another default seed changes the order: a sampler may seed generators itself."""
    others = passes_of_ranks(options, lengths, seed + 1)
    return any(rank.epochs != other.epochs for rank, other in zip(ranks, others))


def say(text):
    print(f"seqpoint: {text}", file=sys.stderr, flush=True)


def origin(name):
    """The sampler with the release of its package."""
    package = name.partition(":")[0].partition(".")[0]
    if not hasattr(importlib.metadata, "packages_distributions"):  # Python 3.9
        return name
    for distribution in importlib.metadata.packages_distributions().get(package, []):
        return f"{name} of {distribution} {importlib.metadata.version(distribution)}"
    return name


def order_rows(options, ranks):
    """One row per micro-batch, with all ranks."""
    for epoch in range(options.epochs):
        of_ranks = [rank.epochs[epoch] for rank in ranks]
        require_alike(options, of_ranks, epoch)
        for iteration, batches in enumerate(zip(*of_ranks)):
            yield {"epoch": options.epoch + epoch, "iteration": iteration, **joined(batches)}


def require_alike(options, of_ranks, epoch):
    numbers = [len(batches) for batches in of_ranks]
    if len(set(numbers)) > 1:
        raise BadUsage(
            f"ranks have {', '.join(map(str, numbers))} batches in epoch {options.epoch + epoch}",
            "a job would wait for the rank with the most; list its real batches: order -- SCRIPT",
        )
    if len(of_ranks) > 1 and all(batches == of_ranks[0] for batches in of_ranks):
        raise BadUsage(
            f"{options.sampler} gives all {len(of_ranks)} ranks the same batches",
            "shard them as the job does: --sampler accelerate.data_loader:BatchSamplerShard",
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
