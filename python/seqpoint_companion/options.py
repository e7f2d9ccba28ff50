"""Options of the verbs that run a job: the output, the training loader, and the job after `--`."""

import argparse
import os

from .plan_file import NoPlan, read_plan
from .saying import NOT_WRITTEN, WRONG_INPUT, refuse

HEADERS = (b"epoch,iteration,", b"iteration,epoch,", b"point,repeat,")  # files of all verbs


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
        "-o", dest="output", required=True, metavar="FILE", help="output file (CSV)"
    )
    parser.add_argument(
        "--loader",
        type=positive,
        metavar="N",
        help="the N-th pass over a DataLoader trains [the first that trains]",
    )
    parser.add_argument(
        "--signature",
        metavar="MODULE:FUNCTION",
        help="returns {'src_len': ..., 'batch_size': ...} of a batch [by its tensors]",
    )
    parser.set_defaults(
        one_epoch=False,
        exact=False,
        verb=verb,
        plan=None,
        lengths=verb != "order",
        batches=None,
        epochs=None,
        peak_memory=False,
        phases=True,
        traces=None,
    )
    return parser


def add_details(parser):
    """The options that record and measure have beside those of parser_of()."""
    parser.add_argument(
        "--peak-memory",
        action="store_true",
        help="also measure peak_bytes without a GPU, by a profiler (slower)",
    )
    parser.add_argument(
        "--no-phases",
        action="store_false",
        dest="phases",
        help="without the phases of each batch's time: forward, backward, optimiser",
    )


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse(parser, arguments):
    """(options, words of the job).

    Ends with status 2 and a usage message if the job cannot be run.
    """
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    job = arguments[at + 1 :]
    if not job:
        parser.error("the job is missing: ... -- train.py ARGUMENTS")
    require_inputs(options, job)
    require_output(options, job)
    return options, job


def require_inputs(options, job):
    """Rejects an invalid plan and a missing script before the job begins."""
    if options.plan is not None:
        try:
            read_plan(options.plan)
        except NoPlan as error:
            refuse(error.fault, error.hint, WRONG_INPUT)
    if job[0] != "-m" and not os.path.isfile(job[0]):
        hint = "give a Python script with its arguments, or -m and a module, after --"
        refuse(f"{job[0]}: is not a readable script", hint)


def require_output(options, job):
    """Rejects an output that cannot be written, or that is also an input."""
    output = options.output
    folder = os.path.dirname(os.path.realpath(output))
    special = os.path.exists(output) and not os.path.isfile(output)
    writable = os.access(output if special else folder, os.W_OK)
    if not writable or os.path.isdir(output):
        hint = f"make the folder {folder}, or give -o a place that is yours"
        refuse(f"{output}: cannot be written", hint, NOT_WRITTEN)
    if special or not os.path.exists(output):
        return
    for word in [options.plan or "", *job, *(word.partition("=")[2] for word in job)]:
        if os.path.exists(word) and os.path.samefile(word, output):
            refuse(f"{output}: is an input of this command", "give -o a file of its own")
    require_own_kind(output)


def require_own_kind(output):
    """Rejects a file with other content, so that it is not replaced."""
    with open(output, "rb") as file:
        head = file.read(len(max(HEADERS, key=len)))
    if head and not head.startswith(HEADERS):
        hint = "remove it first, or give -o another name"
        refuse(f"{output}: exists, and another program wrote it", hint)
