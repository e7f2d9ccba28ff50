"""The hook: a job of any launcher, observed from its first line. This docstring is its contract.

Start
    PYTHONPATH begins with .../seqpoint_companion/hook, followed by the user's own entries. Every
    Python process below then runs hook/sitecustomize.py at its start, which chains to another
    `sitecustomize`. Python's -I, -E and -S, a job that replaces PYTHONPATH, and containers disable
    the hook: then there is no "started" event.

Environment variables (absolute paths, because jobs change their folder)
    SEQPOINT_HOOK         order, record or measure; unset or empty: nothing happens
    SEQPOINT_OUTPUT       the CSV to write; further ranks of measure write NAME.rank1.csv and so on
    SEQPOINT_REPORT       the file to append events to; a new one for each start of the job
    SEQPOINT_CALLER       KERNEL:PID, the boot_id of the caller's kernel and its process. It has
                          made the report, and holds a lock on it (flock) while it waits for the
                          job; without the file or the lock the hook leaves (caller.py). Processes
                          of another kernel append to SEQPOINT_REPORT.HOST, and see no lock
    SEQPOINT_PLAN         measure: plan.json. order with SEQPOINT_GOES_ON: the plan that will come
    SEQPOINT_GOES_ON      order: the CSV to measure into, in the same process. Once the order is
                          written, each rank waits for SEQPOINT_PLAN, at most ten minutes; the other
                          variables of measure say how it is measured. The caller gives the plan its
                          name when it is whole. An empty one ends the job with 0. A stream, several
                          epochs, loaders in step, or a loop that the job has left end with the
                          order as without this variable
    SEQPOINT_PROCESS      measure: the process of the plan, from 0
    SEQPOINT_TASK         measure: the task of a job array
    SEQPOINT_STRETCH      measure: the CSV for a stretch of consecutive batches after the plan
    SEQPOINT_LENGTHS      order: 1 reads the batches and adds their lengths, else only rows.
                          measure: 1 says that the plan's lengths are of such an order, and ends a
                          job whose batches have others. If one has before rows are written, and
                          one process is the job, batches of nearly these lengths are looked for
                          in its epoch
    SEQPOINT_PART         order: 1 allows that a part of a long epoch's batches is read; its
                          rows have `batches`, the number of all. Streams, several epochs, and
                          gradients that are accumulated are read whole
    SEQPOINT_BATCHES      the maximum number of batches of an epoch
    SEQPOINT_EPOCHS       order: the number of epochs, whose iterations are counted through
    SEQPOINT_LOADER       the N-th pass over a DataLoader trains
    SEQPOINT_SIGNATURE    module:function that returns the columns of a batch
    SEQPOINT_PEAK_MEMORY  record and measure: 1 also adds peak_bytes without a GPU
    SEQPOINT_TRACES       measure: a folder; each point runs once more under torch.profiler, whose
                          trace NAME.sp3.json.gz has the name of the output
    SEQPOINT_NO_PHASES    record and measure: 1 leaves out the phases of each batch's time
    SEQPOINT_DUET         measure: a folder with two FIFOs, 0 and 1; another build runs the same
                          plan in turns with this one, batch by batch (duet.py)
    SEQPOINT_SIDE         0 or 1: which of the two this job is. The first one begins
    SEQPOINT_SCRATCH      a folder for private copies of files, which the caller deletes; unset: the
                          job's processes make one and delete it. Files beside it are the caller's.
                          It may contain `inventory`, and gets `ours` and `made` (protect/)
    SEQPOINT_MODE         for the job: the verb; set here if the caller has not. Of an order that
                          may go on, measure

Files
    SEQPOINT_OUTPUT is the file of the command line's option -o, written by the same code: it is
    written whole or not, and an existing file stays until the first rows are complete.
    SEQPOINT_STRETCH gets the columns of `record`, from rank 0, whole or not at all, before "done".
    The stretch has 20 batches, or those that take 5 % of the plan's time if that is more, rounded
    up to whole optimiser steps, at most the epoch's. Its first iteration depends on the process
    and the numbers of batches only; those of successive processes are spread over the epoch. Up to
    10 batches, one for each worker of the loader, run before it without rows. There is none for a
    stream, or if the job ends meanwhile: a note says so.

Which loop
    Loops with gradients on run as they are until a batch was followed by a backward pass, and by a
    step if the job has an optimiser of torch.optim. That loop is held: `order` lets the job train
    on two more batches, for their times, but not with loaders in step, and reads the rest of its
    pass without the job, `measure` goes on with the plan's batches, and `record` keeps the rows
    from the first such batch on. A loop that ends before is let through.

    A loop around seqpoint.iterate is held at once, with any library (iterated/). It is one process.
    Of a stream, `measure` reads the batches up to the plan's last, and there is no stretch.

On standard error
    "seqpoint: HOST cannot write into FOLDER: REASON; it is not measured", of a process that cannot
    send events, or of a rank on another machine that does not see the folder of the run. A caller
    that reads it in the job's output ends the job

Events: lines of JSON in SEQPOINT_REPORT, of all processes; each has `event` and `pid`
    started   a Python process has begun: {"python": "3.11.2"}
    held      a loop that trains was found: {"verb", "rank", "world_size", "dataset": its type,
              "batches": of an epoch, or null, "loader": "DataLoader at train.py:41",
              "batch_s": order: seconds of the first batch that was trained on, or null,
              "loader_s": until its loader had started and delivered a batch, or null,
              "parameters": that one rank trains; of several ranks null}
    untrained  at the end of a process that iterated loaders with gradients on, and trained on
              none: {"fault", "hint"}. It is the reason if no other program of the job trains
    steps     order: {"batches": that the trainer states, as by max_steps, "of": those of a pass}
    draws     order: {"spread": standard deviation of the logarithm of an epoch's padded tokens,
              over further epochs of the sampler}
    another draw  measure: this start draws other batches than the one that made the order
    duet      {"waited_s": seconds in which the other one ran, "whole": whether all points ran in
              turns}, at the end of measure
    waits     measure waits for the other one of its duet
    alone     the other one is gone: measure goes on alone
    pace      order: {"batch_s": seconds of a batch with the epoch's mean of padded tokens, by the
              batches that the job was let train on after the first}
    ordered   the order is written, by an order that waits for its plan: {"rank", "rows"}
    goes on   the plan has come: {"verb": measure, "rank", "world_size"}
    imported  a library that may train was imported: {"library": "jax"}
    lacks     an ended process lacked a module, and its Python is of our own environment: {"fault",
              "hint"}. It is the reason if the job failed before it trained
    lengths   order has read the batches: {"counted": "input_ids axis 1", "uncounted": other axes
              that vary, or tensors of one size that have many; or ""}
    progress  about once a second: {"verb", "done": batches, "of": batches in all, or null}
    note      a line for the user, such as why a loader was ignored: {"text", "of_result"}
    meanwhile  a line for the user that is printed while the job goes on: {"text"}
    warning   what the job did or is differs from what a result assumes: {"text", "option": that
              settles it, as "--batches 60", or ""}
    part      the job trains on a part of a pass: {"first": batch, from 1, where it began after
              others, "last": batch after which it left, "of": batches of the pass, or null}
    error     {"fault", "hint": a way out or "", "status": of the process}
    kept      an old file that stays although the job changes or removes it: {"path"}
    touched   an old file that the inventory does not list, before a call that is not replaced may
              change it: {"path", "inode", "size", "mtime": in nanoseconds}
    untouched what happened to experiment trackers, at the end of a process that had any:
              {"text": "Comet was disabled"}
    done      the result is written: {"rank", "output", "rows", "compilations": graphs that
              torch.compile has made in this process}. `measure` sends it from every
              rank; `record` sends it when the job ends by itself or by an exception, which the
              job's exit status shows

Exit statuses of a hooked process
    0    there is a result: the plan or the order is complete on all ranks. The process is ended
         at that point: no checkpoint is written, atexit handlers run, files are flushed
    2    the job cannot be observed, or a variable above is wrong
    3    the plan is wrong, or the job differs from the plan
    4    the output cannot be written
    Otherwise the job's own status: always with `record`, and if a job ends before its result. An
    "error" or "untrained" event then names the problem. A program of the same job that trains
    after "done" is ended with 0 at its first batch; with `record` it runs on.

How a caller interprets events
    no "started"            the hook did not run: PYTHONPATH was replaced, -I, -E, a container
    "started", no "held"    no loop trained: "untrained" names those that were looked at, "note"
                            those that were ignored. Without an "imported" of torch, the job needs
                            a line with seqpoint.iterate
    several pids "held" with world_size 1    several programs train at once
    "held", no "done"       the job ended or was killed before its result; "error" may give the
                            reason
"""

import atexit
import os
import sys
import types

from . import caller, instrument, protect, report


def start():
    """Instruments the loaders of this process according to the environment variables."""
    report.tell_plain("started", "python", ".".join(map(str, sys.version_info[:3])))
    options = options_of(os.environ)
    protect.start(options.verb)
    loaders = instrument.Loaders(options)
    atexit.register(finish, loaders)


def options_of(environment):
    """The command line's options; ends the process if a variable is wrong."""
    verb = environment["SEQPOINT_HOOK"]
    if verb not in instrument.VERBS:
        refuse(f"SEQPOINT_HOOK is {verb!r}", f"set it to one of: {', '.join(instrument.VERBS)}")
    if not environment.get("SEQPOINT_OUTPUT"):
        refuse("SEQPOINT_OUTPUT is not set", "set it to the CSV to write")
    if verb == "measure" and not environment.get("SEQPOINT_PLAN"):
        refuse("SEQPOINT_PLAN is not set", "set it to the plan.json to measure")
    return types.SimpleNamespace(
        verb=verb,
        output=environment["SEQPOINT_OUTPUT"],
        plan=environment.get("SEQPOINT_PLAN"),
        loader=number_of(environment, "SEQPOINT_LOADER"),
        batches=number_of(environment, "SEQPOINT_BATCHES"),
        epochs=number_of(environment, "SEQPOINT_EPOCHS"),
        signature=environment.get("SEQPOINT_SIGNATURE"),
        lengths=verb != "order" or environment.get("SEQPOINT_LENGTHS") == "1",
        exact=verb == "measure" and environment.get("SEQPOINT_LENGTHS") == "1",
        peak_memory=environment.get("SEQPOINT_PEAK_MEMORY") == "1",
        phases=environment.get("SEQPOINT_NO_PHASES") != "1",
        traces=environment.get("SEQPOINT_TRACES"),
        goes_on=environment.get("SEQPOINT_GOES_ON"),
        part=environment.get("SEQPOINT_PART") == "1",
        one_epoch=True,
    )


def refuse(fault, hint):
    from . import saying  # not above: few processes need it

    saying.refuse(fault, hint)


def number_of(environment, name):
    text = environment.get(name) or ""
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        refuse(f"{name} is {text!r}", "set it to a number from 1 on, or leave it out")
    return int(text)


def tell_lack():
    """Tells which module an ended process lacked, if its Python is that of our own environment."""
    error = getattr(sys, "last_value", None)
    own = sys.prefix != sys.base_prefix and __file__.startswith(os.path.join(sys.prefix, ""))
    if own and isinstance(error, ModuleNotFoundError):
        report.tell(
            "lacks",
            fault=f"{sys.executable} is of seqpoint's own environment, and has no {error.name}",
            hint="start the job's own Python; with uv: uv run --with WHEEL seqpoint run -- ...",
        )


def finish(loaders):
    """Called at the end of a process; reports nothing if the process iterates no loader."""
    if os.getpid() != loaders.process or caller.is_gone(now=True):
        return
    if loaders.job is None:
        tell_lack()
        return
    from . import saying

    if not saying.gave_up:
        sys.stdout.flush()
        loaders.finish()
