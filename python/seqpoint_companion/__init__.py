"""Runs the points of `seqpoint select` in a PyTorch job, and records how long iterations take.

    plan = Plan("plan/plan.json")                                  # as `seqpoint plan` wrote it
    loader = DataLoader(data, batch_sampler=plan, collate_fn=pad)  # replaces batch_size, shuffle
    for batch in Recorder("new.csv", plan=plan)(loader):           # replaces: for batch in loader
        ...

Without a plan, Recorder("epoch.csv", signature)(loader) records every iteration of the loop. To
leave the job unchanged, put `python3 -m seqpoint_companion order|record|measure ... --` in front
of it (see --help).

Importing this package imports nothing else: PyTorch comes with the first name that is asked for,
so that the job may set its environment variables before. The modules, in the order in which to
read them:

    ranks, device, memory     the processes of a job, its GPU, its peak memory
    plan_file, plan, steady   the batches to run, and until when the first of them is repeated
    shapes, check             lengths in a batch; whether a batch is the planned one
    batches, recorder         a loader whose batches are watched; the times of the loop's body
    optimizer_steps, interruptions, busy   what else is in a time, or keeps the device idle
    provenance, outputs       by what a row was measured; files that are whole or not there
    held/                     a job that stays as it is: its loaders are held from outside
    order, record, measure    the verbs of the command line
    options, launch, hold     how the verbs start a job
    hook/, hooked, report     how another program holds a job of any launcher
    progress, saying          what the user reads
"""

import importlib

_HOMES = {
    "Plan": "plan",
    "Recorder": "recorder",
    "WrongBatch": "check",
    "NotTogether": "ranks",
}
__all__ = list(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
