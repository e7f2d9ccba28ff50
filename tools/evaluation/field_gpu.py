#!/usr/bin/env python3
"""How often do intervals from one to three processes on a GPU cover other processes' epochs?

    python3 tools/evaluation/field_gpu.py prepare --jobs h100 --program build/release/seqpoint
        --raw FOLDER
    python3 tools/evaluation/field_gpu.py measure --jobs h100 --raw FOLDER [--seconds 480]
    python3 tools/evaluation/field_gpu.py project --jobs h100 --program build/release/seqpoint

The field trial (field.py) with networks that keep a GPU busy: three processes of the whole epoch
and three of the plan take turns, and each has its own context on the device. `prepare` needs the
program and no GPU, `measure` a GPU and no program. `measure` resumes after an interruption, and
begins no job after --seconds.

A process of the epoch trains on one sample before the epoch. Startup (a context on the device,
libraries) takes about a second, which is negligible in an epoch of hours and a large share of one
of seconds. It is recorded separately, in starts.csv.

The two lists of jobs (--jobs) are named after the GPUs that they were recorded on. The recordings
are in examples/data, which `project` reads unless --raw is given.

Needs Python 3.9, to measure also PyTorch 2 and CUDA. The jobs of a list take about ten minutes of
such a GPU.
"""
import argparse
import csv
import gzip
import itertools
import statistics
import subprocess
import sys
import time
from pathlib import Path

from epochs import DATA, ROOT, in_parallel
from field import PROCESSES, compress, prepare, projected, report, rows_of, whole
from field_job import (
    IWSLT15,
    LIBRISPEECH,
    MULTI30K,
    OPENNMT,
    Job,
    budget,
    corpus_of,
    epoch_in,
    grouped,
    in_order,
    shuffled,
)

CONDITION = "gpu"
# The recordings have no device_busy. Their CPU time equals their time, so they are host-bound, and
# intervals assume what `project` assumes of such jobs where it sees the device.
HOST_BOUND_ON_GPU = ("--between-processes", "4%")
# With fewer executions that are not their shape's first an epoch does not show its steady part.
FEWEST_LATER = 15
# The recordings of each GPU.
RECORDED = {gpu: DATA / f"pytorch-{gpu}" for gpu in ("h200", "h100")}
# `cell` selects a variant of the network. The number of rows makes an epoch of a few seconds.
JOBS = {
    # These had a part in how first executions count.
    "h200": [
        Job("speech", "lstm", 768, LIBRISPEECH, 10, in_order(32)),
        Job("speech", "gru", 768, LIBRISPEECH, 12, shuffled(32)),
        Job("speech", "lstm", 512, LIBRISPEECH, 12, grouped(24)),
        Job("speech", "gru", 512, LIBRISPEECH, 12, budget(12000)),
        Job("speech", "convolutions", 1536, LIBRISPEECH, 6, shuffled(32)),
        Job("language", "fused", 768, LIBRISPEECH, 8, shuffled(32)),
        Job("language", "written", 512, LIBRISPEECH, 10, grouped(16)),
        Job("language", "tiles", 768, LIBRISPEECH, 8, in_order(32)),
        Job("language", "fused", 256, OPENNMT, 2, shuffled(32)),
        Job("translation", "lstm", 1024, MULTI30K, 2, shuffled(128)),
        Job("translation", "gru", 1024, IWSLT15, 8, budget(8000)),
    ],
    # These had not: other networks, on another GPU.
    "h100": [
        Job("speech", "conformer", 384, LIBRISPEECH, 8, grouped(32)),
        Job("language", "experts", 512, OPENNMT, 2, budget(2048)),
        Job("translation", "bothways", 1024, IWSLT15, 8, shuffled(64)),
        Job("language", "gated", 512, MULTI30K[1:], 2, shuffled(64)),
        Job("speech", "separable", 512, LIBRISPEECH, 6, in_order(32)),
        Job("translation", "transformer", 512, MULTI30K, 1, budget(6000)),
        Job("speech", "deep", 512, LIBRISPEECH, 8, shuffled(32)),
        Job("language", "recurrent", 1024, OPENNMT, 1, grouped(64)),
        Job("language", "single", 512, MULTI30K[1:], 2, in_order(64)),
        Job("speech", "searched", 1024, LIBRISPEECH, 20, budget(12000)),
    ],
}
EVERY_JOB = [*itertools.chain.from_iterable(JOBS.values())]


# --- the jobs -------------------------------------------------------------------------------------


def training_of(job, folder, device):
    """(the corpus, a function that trains on one of its batches)"""
    import torch
    from field_networks import CELLS

    corpus = corpus_of(job, folder)
    corpus.speech = job.network == "speech"
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = job.cell == "single"
    torch.backends.cudnn.benchmark = job.cell == "searched"
    model = CELLS[job.network][job.cell](job.hidden, job.cell).to(device)
    optimiser = torch.optim.AdamW(model.parameters())

    def train(batch):
        first, *others = batch["inputs"]
        inputs = [
            first.to(device),
            *(other if corpus.speech else other.to(device) for other in others),
        ]
        optimiser.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16, enabled=job.cell != "single"):
            loss = model(*inputs)
        loss.backward()
        optimiser.step()

    return corpus, train


def record_start(record, begin):
    """Appends the seconds of begin() to the file of starts in the folder of `record`."""
    import torch

    at = time.perf_counter()
    begin()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    with open(Path(record).with_name("starts.csv"), "a", encoding="utf-8") as file:
        print(f"{time.perf_counter() - at:.6f}", file=file)


def train_job(options):
    """The whole epoch, or with a process that process of the plan; once a line has come in."""
    import torch
    from seqpoint_companion import Plan, Recorder
    from torch.utils.data import DataLoader

    sys.stdin.readline()
    job, folder = (
        next(job for job in EVERY_JOB if job.name == options.job),
        options.raw / options.job,
    )
    plan = (
        None
        if options.process is None
        else Plan(folder / "plan" / "plan.json", process=options.process)
    )
    corpus, train = training_of(job, folder, "cuda" if torch.cuda.is_available() else "cpu")
    if plan is None:
        record_start(options.record, lambda: train(corpus.batch([0])))
    loader = DataLoader(
        range(len(corpus)), batch_sampler=plan or epoch_in(folder), collate_fn=corpus.batch
    )
    for batch in Recorder(options.record, corpus.signature, plan)(loader):
        train(batch)


# --- measuring ------------------------------------------------------------------------------------


def processes_of(raw, job, out):
    """The epoch and the plan in turn, each process not yet begun: it imports PyTorch, and waits."""
    for process in range(PROCESSES):
        for what, more in (("epoch", []), ("plan", ["--process", str(process)])):
            words = [
                "train",
                "--raw",
                raw,
                "--job",
                job.name,
                "--record",
                out / f"{what}-{process}.csv",
                *more,
            ]
            yield subprocess.Popen(
                [sys.executable, __file__, *words],
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )


def measure_job(raw, job, out):
    """One process after the other; the next one imports meanwhile, on a core of its own."""
    waiting = processes_of(raw, job, out)
    following = next(waiting)
    while following is not None:
        running, following = following, next(waiting, None)
        _, errors = running.communicate("go\n")
        if running.returncode != 0:
            if following is not None:
                following.kill()
            raise RuntimeError(f"{job.name}: {errors}")
    compress(out)


def measure_all(options):
    began, raw, failed = time.monotonic(), options.raw.resolve(), 0
    for job in jobs_of(options):
        kept, at = raw / job.name / CONDITION, time.monotonic()
        if kept.exists() or at - began > options.seconds:
            continue
        try:
            with whole(kept) as out:
                measure_job(raw, job, out)
            print(f"{job.name}: {time.monotonic() - at:.0f} s", file=sys.stderr, flush=True)
        except RuntimeError as error:
            print(error, file=sys.stderr, flush=True)
            failed = 1
    raise SystemExit(failed)


def prepare_all(options):
    for job in jobs_of(options):
        if not (options.raw / job.name).exists():
            with whole(options.raw.resolve() / job.name) as folder:
                prepare(options.program.resolve(), job, folder)


# --- results --------------------------------------------------------------------------------------


def recorded_in(raw):
    return [
        folder for folder in (raw / job.name / CONDITION for job in EVERY_JOB) if folder.exists()
    ]


def projections(program, raw):
    """A row for each metric and choice of processes of the plan, as in field.csv."""
    found = in_parallel(
        lambda folder: rows_of(program, folder, *HOST_BOUND_ON_GPU), recorded_in(raw)
    )
    return list(itertools.chain.from_iterable(found))


def steady(rows, raw):
    """The projections compared with the steady part of the epochs, which they predict.

    Without the jobs of which the epochs do not show it.
    """
    parts = {
        folder.parent.name: [steady_part(folder, n) for n in range(PROCESSES)]
        for folder in recorded_in(raw)
    }
    return [
        {**row, **{f"epoch_{n}": f"{seconds:.6f}" for n, seconds in enumerate(parts[row["job"]])}}
        for row in rows
        if row["metric"] == "runtime_s" and None not in parts[row["job"]]
    ]


def iterations_of(folder, process):
    """(signature, seconds) of each iteration of an epoch, in its order."""
    with gzip.open(folder / f"epoch-{process}.csv.gz", "rt", newline="", encoding="utf-8") as file:
        return [
            (
                tuple(row.get(column) for column in ("src_len", "tgt_len", "batch_size")),
                float(row["runtime_s"]),
            )
            for row in csv.DictReader(file)
        ]


def times_of(folder, process):
    """{signature: seconds of its executions, in their order}"""
    times = {}
    for signature, seconds in iterations_of(folder, process):
        times.setdefault(signature, []).append(seconds)
    return times


def later_executions(times):
    """The number of executions that are not the first of their shape."""
    return sum(len(of) - 1 for of in times.values())


def steady_part(folder, process):
    """Seconds of an epoch if no execution were the first of its shape; None if too few are not.

    Each execution counts as the mean of the later ones of its shape; that of a shape that occurred
    once as predicted from the others, by amounts a batch and a token of each side, at least as much
    as the cheapest shape.
    """
    times = times_of(folder, process)
    if later_executions(times) < FEWEST_LATER:
        return None
    costs = {of: statistics.fmean(seconds[1:]) for of, seconds in times.items() if len(seconds) > 1}
    amounts = fitted(
        [(terms(of), cost, (len(times[of]) - 1) / tokens(of) ** 2) for of, cost in costs.items()]
    )
    total = 0
    for of, seconds in times.items():
        predicted = sum(amount * term for amount, term in zip(amounts, terms(of)))
        total += len(seconds) * costs.get(of, max(predicted, min(costs.values())))
    return total


def terms(signature):
    source, target, batch = (int(part or 0) for part in signature)
    return [batch, batch * source] + ([batch * target] if signature[1] else [])


def tokens(signature):
    return sum(terms(signature)[1:])


def fitted(rows):
    """Amounts a of (terms, cost, weight) with the least weighted squares of terms . a - cost.

    Solves the normal equations by elimination with pivots.
    """
    size = len(rows[0][0])
    table = [
        [sum(w * x[i] * column(x, y) for x, y, w in rows) for column in columns(size)]
        for i in range(size)
    ]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(table[r][i]))
        table[i], table[pivot] = table[pivot], table[i]
        for r in range(size):
            if r != i:
                factor = table[r][i] / table[i][i]
                table[r] = [a - factor * b for a, b in zip(table[r], table[i])]
    return [table[i][size] / table[i][i] for i in range(size)]


def columns(size):
    """Functions of (terms, cost): each of the terms, then the cost."""
    return [lambda x, y, j=j: x[j] for j in range(size)] + [lambda x, y: y]


def cold_part(folder, process):
    """Seconds of cold start in an epoch.

    For shapes that come again, the first execution less the mean of the later ones. Every other
    shape counts as much.
    """
    times = times_of(folder, process)
    more = [first - statistics.fmean(later) for first, *later in times.values() if later]
    return len(times) * max(statistics.fmean(more), 0) if more else 0


def cold_start(program, folder):
    """(K D over the total; D; extra cost of a first execution in the epochs; covered epochs)

    An epoch is covered if its cold start is at most 2 K D.
    """
    configuration = projected(program, folder, range(PROCESSES))
    found = configuration["cold_start"]["runtime_s"]
    epochs = [cold_part(folder, process) for process in range(PROCESSES)]
    covered = sum(cold <= found["at_most_s"] for cold in epochs)
    return (
        found["about_s"] / configuration["metrics"]["runtime_s"]["value"],
        found["each_s"],
        statistics.fmean(epochs) / found["shapes"],
        covered,
    )


def project_all(options):
    raw = (options.raw or RECORDED[options.jobs]).resolve()
    report(steady(projections(options.program.resolve(), raw), raw))


def jobs_of(options):
    return (
        [job for job in EVERY_JOB if job.name == options.job] if options.job else JOBS[options.jobs]
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(required=True, metavar="prepare|measure|project")
    functions = {
        "prepare": prepare_all,
        "measure": measure_all,
        "project": project_all,
        "train": train_job,
    }
    by_name = {name: steps.add_parser(name) for name in functions}
    for name, step in by_name.items():
        step.set_defaults(function=functions[name])
        if name != "train":
            step.add_argument(
                "--jobs", choices=JOBS, default="h200", help="those that were recorded on this GPU"
            )
        step.add_argument(
            "--raw",
            type=Path,
            required=name != "project",
            metavar="FOLDER",
            help="where what is recorded is kept",
        )
        if name != "project":
            step.add_argument(
                "--job",
                metavar="JOB",
                choices=[job.name for job in EVERY_JOB],
                help="this job, and no other",
            )
        if name in ("prepare", "project"):
            step.add_argument(
                "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
            )
    by_name["measure"].add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        metavar="N",
        help="begin no job after so many",
    )
    by_name["train"].add_argument("--record", metavar="FILE")
    by_name["train"].add_argument(
        "--process", type=int, metavar="N", help="this process of the plan"
    )
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
