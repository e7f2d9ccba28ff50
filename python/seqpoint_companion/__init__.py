"""Runs the points of `seqpoint select` in a PyTorch job, and records the times of iterations.

    plan = Plan("plan/plan.json")                                  # as `seqpoint plan` wrote it
    loader = DataLoader(data, batch_sampler=plan, collate_fn=pad)  # replaces batch_size, shuffle
    for batch in Recorder("new.csv", plan=plan)(loader):           # replaces: for batch in loader
        ...

Without a plan, Recorder("epoch.csv", signature)(loader) records every iteration of the loop. To
leave the job unchanged, start it with `python3 -m seqpoint_companion order|record|measure ... --`
(see --help).

Importing this package imports nothing else: PyTorch is imported with the first name that is used,
so the job can set its environment variables first. The modules, in reading order:

    ranks, device, memory     the processes of a job, its GPU, its peak memory
    page_faults               memory that an epoch would have had already
    plan_file, plan, steady   the batches to run, and how long the first one is repeated
    shapes, check             lengths in a batch; whether a batch is the planned one
    batches, recorder         a loader that observes its batches; times of the loop's body
    recorded_rows, measured_plan   its rows on disk; a plan that it measures
    phases                    forward, backward, optimiser: where a batch's time goes
    optimizer_steps, interruptions, busy   other work in an iteration's time; time the GPU is idle
    traces                    what torch.profiler sees at each point, in files
    provenance, outputs       conditions of a measurement; files that are written whole or not
    faults                    errors of the verbs that need no job
    loop/                     unchanged jobs: their loaders are instrumented
    order, record, measure    the verbs of the command line
    options, launch, instrument, on_import       starting a job for a verb
    protect/                  old files of a job stay untouched, and experiment trackers
    hook/, hooked, report     jobs that another program started with any launcher
    progress, saying, untrained            messages for the user
"""

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
    import importlib  # not above: every Python process of a hooked job imports this package

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
