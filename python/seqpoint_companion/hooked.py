"""The hook: a job of any launcher, held from its first line. This is its contract.

Start
    PYTHONPATH begins with .../seqpoint_companion/hook; what the user had in it follows. Every
    Python process below then runs hook/sitecustomize.py at its start, which chains to another
    `sitecustomize`. Python's -I, -E and -S, a job that replaces PYTHONPATH, and containers keep
    the hook out: there is no "started" event then.

Environment variables (absolute paths, as jobs change their folder)
    SEQPOINT_HOOK         order, record or measure; not set or empty: nothing happens
    SEQPOINT_OUTPUT       the CSV to write; of measure's further ranks NAME.rank1.csv and so on
    SEQPOINT_REPORT       the file to append events to; a new one for each start of the job
    SEQPOINT_PLAN         of measure: plan.json
    SEQPOINT_SESSION      of measure: the process of the plan, from 0
    SEQPOINT_TASK         of measure: the task of a job array
    SEQPOINT_LENGTHS      of order: 1 reads the batches and adds their lengths, else rows alone
    SEQPOINT_BATCHES      of order: no more batches than these
    SEQPOINT_LOADER       the N-th pass over a DataLoader trains
    SEQPOINT_SIGNATURE    module:function that returns the columns of a batch
    SEQPOINT_PEAK_MEMORY  of record and measure: 1 adds peak_bytes without a GPU, too

Files
    SEQPOINT_OUTPUT is the file that -o names on the command line, by the same code: whole or not
    there, and what was there before stays until the first rows are whole.

Events: lines of JSON in SEQPOINT_REPORT, of all processes; each has `event` and `pid`
    started   a Python process has begun: {"python": "3.11.2"}
    held      a training loader was found: {"verb", "rank", "world_size", "dataset": its type,
              "batches": of an epoch, or null}
    progress  about once a second: {"verb", "done": batches, "of": batches in all, or null}
    note      a line for the user, as why a loader was left alone: {"text"}
    error     {"fault", "hint": a way out or "", "status": of the process}
    done      the result is written: {"rank", "output", "rows"}. `measure` sends it from every
              rank; `record` when the job ends by itself or by an exception: its status says which

Exit statuses of a hooked process
    0    there is a result: the plan or the order is complete on all ranks. The process is ended
         where it is: no checkpoint is written, atexit runs, files are flushed
    2    the job cannot be held, or a variable above is wrong
    3    the plan is wrong, or the job is not the plan's
    4    the output cannot be written
    Otherwise the job's own: of `record` always, and of a job that ends before its result. An
    "error" event says then what is missing. A program of the same job that trains after "done" is
    ended with 0 at its first batch; where the job is recorded, it is left alone.

How a caller knows
    no "started"            the hook was not seen: PYTHONPATH was replaced, -I, -E, a container
    "started", no "held"    no DataLoader was iterated while gradients were on; "note" says which
                            were left alone
    several pids "held" with world_size 1    several programs train at once
    "held", no "done"       the job ended or was killed before its result; "error" may say why
"""

import atexit
import os
import sys
import types

from . import hold, report, saying

VERBS = ("order", "record", "measure")


def start():
    """Takes hold of the loaders of this process, as the environment variables say."""
    report.tell_started()
    options = options_of(os.environ)
    holder = hold.Holder(options)
    atexit.register(finish, holder)


def options_of(environment):
    """Options as the command line's; ends the process where a variable is wrong."""
    verb = environment["SEQPOINT_HOOK"]
    if verb not in VERBS:
        saying.refuse(f"SEQPOINT_HOOK is {verb!r}", f"set it to one of: {', '.join(VERBS)}")
    if not environment.get("SEQPOINT_OUTPUT"):
        saying.refuse("SEQPOINT_OUTPUT is not set", "set it to the CSV to write")
    if verb == "measure" and not environment.get("SEQPOINT_PLAN"):
        saying.refuse("SEQPOINT_PLAN is not set", "set it to the plan.json to measure")
    return types.SimpleNamespace(
        verb=verb,
        output=environment["SEQPOINT_OUTPUT"],
        plan=environment.get("SEQPOINT_PLAN"),
        loader=number_of(environment, "SEQPOINT_LOADER"),
        batches=number_of(environment, "SEQPOINT_BATCHES"),
        signature=environment.get("SEQPOINT_SIGNATURE"),
        lengths=verb != "order" or environment.get("SEQPOINT_LENGTHS") == "1",
        peak_memory=environment.get("SEQPOINT_PEAK_MEMORY") == "1",
    )


def number_of(environment, name):
    text = environment.get(name) or ""
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        saying.refuse(f"{name} is {text!r}", "set it to a number from 1 on, or leave it out")
    return int(text)


def finish(holder):
    """At the end of a process: of one that trains nothing there is nothing to say."""
    if holder.holds() and os.getpid() == holder.process:
        sys.stdout.flush()
        holder.finish()
