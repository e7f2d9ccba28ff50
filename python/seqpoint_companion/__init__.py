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
    plan_file, plan, steady   the batches to run, and how long the first one is repeated
    awaited_plan              the plan that an order waits for
    endless                   samplers and streams without an end
    asking                    questions to objects of the job, which may raise
    shapes, check             lengths in a batch; whether a batch is the planned one
    batches, recorder         a loader that observes its batches; times of the loop's body
    recorded_rows, measured_plan   its rows on disk; a plan that it measures
    phases                    forward, backward, optimiser: where a batch's time goes
    optimizer_steps, busy     an optimiser's step in an iteration's time; time the GPU is idle
    traces                    what torch.profiler sees at each point, in files
    provenance, outputs       conditions of a measurement; files that are written whole or not
    faults, statuses          errors of the verbs that need no job; exit statuses
    loop/                     unchanged jobs: their loaders are instrumented
    iterated/                 loops around `seqpoint.iterate`, of any library
    live_objects, own_work, libraries, frames    what runs in the job, and the companion's own time
    job_verbs                 the verbs that run a job: order, record, measure
    samplers/, lengths/, logs/   the verbs that need no job: order --sampler, lengths, log and eta
    options, launch, instrument, on_import       starting a job for a verb
    protect/                  old files of a job stay untouched, and experiment trackers
    hook/, hooked, report, caller   jobs that another program started with any launcher
    progress, saying, untrained, documents       messages for the user
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
