"""What the verbs that run a job take: an output, which loader trains, and the job behind `--`."""

import argparse
import os


def parser_of(verb, summary):
    """A parser with the options that order, record and measure share."""
    plan = " PLAN" if verb == "measure" else ""
    prog = f"python3 -m seqpoint_companion {verb}"
    parser = argparse.ArgumentParser(
        prog=prog,
        usage=f"{prog} -o FILE [OPTIONS]{plan} -- SCRIPT|-m MODULE [ARGUMENTS]",
        description=summary,
    )
    parser.add_argument(
        "-o", dest="output", required=True, metavar="FILE", help="what to write (CSV)"
    )
    parser.add_argument(
        "--loader",
        type=positive,
        metavar="N",
        help="the N-th pass over a DataLoader trains [the first with gradients on]",
    )
    parser.add_argument(
        "--signature",
        metavar="MODULE:FUNCTION",
        help="returns {'src_len': ..., 'batch_size': ...} of a batch [by its tensors]",
    )
    parser.set_defaults(
        verb=verb, plan=None, lengths=verb != "order", batches=None, peak_memory=False
    )
    return parser


def add_peak_memory(parser):
    parser.add_argument(
        "--peak-memory",
        action="store_true",
        help="peak_bytes without a GPU, too, by a profiler that takes time",
    )


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse(parser, arguments):
    """(options, words of the job).

    Ends with status 2 and a usage message where they cannot be run.
    """
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    job = arguments[at + 1 :]
    if not job:
        parser.error("the job is missing: ... -- train.py ARGUMENTS")
    if options.plan is not None and not os.access(options.plan, os.R_OK):
        parser.error(f"{options.plan}: cannot be read: give `seqpoint plan`'s plan.json")
    require_writable(parser, options.output)
    return options, job


def require_writable(parser, path):
    folder = os.path.dirname(os.path.realpath(path))
    writable = os.access(path if os.path.exists(path) else folder, os.W_OK)
    if not writable or os.path.isdir(path):
        parser.error(f"{path}: cannot be written: is there the folder {folder}, and is it yours?")
