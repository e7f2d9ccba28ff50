#!/usr/bin/env python3
"""Two processes train one network over gloo: a full epoch next to its projection, waiting included.

    python3 tools/evaluation/two_ranks.py --program build/release/seqpoint -o two_ranks.csv
        [--only speech-gru24]

Each process has a core and one thread of its own and averages gradients with the other after every
batch. It writes the iteration's time (runtime_s) and how long it waited for the other before they
exchanged gradients (wait_s). The epoch is run twice. The second one counts, because the first
includes the cold start of every shape. Four more jobs measure the points, two before and two after
the epoch, each process on the rows that the plan assigns to it. The projection is made from the
first of them, and from all four.

Six jobs take about three minutes. Needs Python 3.9 with PyTorch and two idle cores; run nothing
else meanwhile.
"""
import argparse
import csv
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from peak_memory import MULTI30K, PACKAGES, PYTORCH, ROOT, lengths_of, table, write_table

POINTS, REPEATS, RANKS, SESSIONS = 8, 3, 2, 4
SAMPLER = (
    "--sampler",
    "pytorch-distributed",
    "--batch-size",
    "8",
    "--world-size",
    str(RANKS),
    "--seed",
    "1",
)
METRICS = ("runtime_s", "wait_s")


@dataclass(frozen=True)
class Job:
    network: str
    cell: str
    hidden: int
    sources: tuple
    every: int  # rows of the manifest that are taken
    first: int

    @property
    def name(self):
        return (
            f"{self.network}-{self.cell}{self.hidden}"
            if self.network != "language"
            else f"language-h{self.hidden}"
        )


JOBS = [
    Job("speech", cell, hidden, ("librispeech-train-clean-100.csv",), 16, 5)
    for cell, hidden in (("gru", 24), ("lstm", 12))
]
JOBS += [
    Job("translation", cell, hidden, MULTI30K, 8, 3) for cell, hidden in (("gru", 32), ("lstm", 16))
]
JOBS += [Job("language", "gru", hidden, ("opennmt-sample.en.len",), 4, 1) for hidden in (32, 48)]


def timed_batches(rank, job, sides, batches, store):
    """The columns of each batch, (name, rows of each rank) each; one process of the job."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
    sys.path[:0] = str(PYTORCH), str(PACKAGES)
    import torch
    from torch import distributed
    from train import NETWORKS, Corpus

    torch.manual_seed(1)
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=RANKS
    )
    corpus = Corpus.__new__(Corpus)
    corpus.speech, corpus.sides = job.network == "speech", sides
    model = NETWORKS[job.network](job.hidden, job.cell)
    optimiser = torch.optim.Adam(model.parameters())
    parameters = list(model.parameters())
    measured = []
    for name, rows in batches:
        batch = corpus.batch(rows[rank])
        distributed.barrier()  # what making up a batch takes is no part of the iteration
        start = time.perf_counter()
        optimiser.zero_grad()
        model(*batch["inputs"]).backward()
        waiting = time.perf_counter()
        distributed.barrier()
        wait = time.perf_counter() - waiting
        gradients = torch.cat([parameter.grad.flatten() for parameter in parameters])
        distributed.all_reduce(gradients)
        sizes = [parameter.numel() for parameter in parameters]
        for parameter, gradient in zip(parameters, gradients.split(sizes)):
            parameter.grad.copy_(gradient.view_as(parameter.grad) / RANKS)
        optimiser.step()
        measured.append(
            {
                **name,
                "rank": rank,
                "runtime_s": f"{time.perf_counter() - start:.6f}",
                "wait_s": f"{wait:.6f}",
            }
        )
    return measured


def measure(program, job, folder):
    """Rows of the result: each metric of the epoch and its projection."""

    def run(*command):
        done = subprocess.run(
            [str(program), *map(str, command)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    def on_all_ranks(batches):
        store = tempfile.mktemp(
            dir=folder
        )  # where the processes meet; a file that is there would be of another job
        with multiprocessing.get_context("spawn").Pool(RANKS) as pool:
            return pool.starmap(
                timed_batches,
                [(rank, job, sides, batches, store) for rank in range(RANKS)],
                chunksize=1,
            )

    def split(rows, ends):
        return [rows[begin:end] for begin, end in zip([0, *ends], ends)]

    (source, *target), sides = lengths_of(job, folder)
    manifests = [source, *(["--tgt", *target] if target else [])]
    trace = csv.DictReader(run("scan", "-q", *manifests, *SAMPLER, "--rows").splitlines())
    epoch = [
        (
            {"iteration": row["iteration"]},
            [[int(n) for n in of.split()] for of in row["rows"].split("|")],
        )
        for row in trace
    ]
    run("select", "-q", *manifests, *SAMPLER, "--points", POINTS, "-o", "points.json")
    run("plan", "-q", "points.json", "--repeats", REPEATS, "--processes", 1, "-o", "plan")
    sys.path[:0] = str(PYTORCH), str(PACKAGES)
    from seqpoint_companion import Plan

    plan = Plan(folder / "plan" / "plan.json", rank=0)
    steps = [
        (
            {"point": step["id"], "iteration": step["iteration"]},
            split(step["rows"], step["rank_ends"]),
        )
        for step in plan.steps
    ]
    points = lambda session: [
        [{**row, "session": session} for row, step in zip(table, plan.steps) if not step["warmup"]]
        for table in on_all_ranks(steps)
    ]
    half = SESSIONS // 2
    sessions = [points(session) for session in range(half)]
    tables = on_all_ranks(epoch + epoch)
    sessions += [points(session) for session in range(half, SESSIONS)]
    # The iteration takes as long as the slower process; the one with the longer wait is the waiting
    # one.
    truth = {
        metric: sum(
            max(float(row[metric]) for row in rows) for rows in list(zip(*tables))[len(epoch) :]
        )
        for metric in METRICS
    }
    rows = []
    for count in (1, SESSIONS):
        profiles = []
        for rank in range(RANKS):
            write_table(
                folder / f"rank{rank}.csv",
                [row for session in sessions[:count] for row in session[rank]],
            )
            profiles += ["--profile", f"v1=rank{rank}.csv"]
        found = json.loads(
            run("project", "-q", "points.json", *profiles, "--json", "--allow-partial")
        )["configurations"][0]["metrics"]
        rows += [
            {
                "job": job.name,
                "iterations": len(epoch),
                "sessions": count,
                "metric": metric,
                "truth_s": f"{truth[metric]:.6f}",
                **{key: f"{found[metric][key]:.6f}" for key in ("value", "low", "high")},
            }
            for metric in METRICS
        ]
    return rows


def holds(row):
    return float(row["low"]) <= float(row["truth_s"]) <= float(row["high"])


def report(rows):
    print(
        f"{'job':20}{'iterations':>11}{'sessions':>9}  "
        f"{'metric':11}{'epoch':>10}{'projected':>11}{'error':>9}{'interval':>20}"
    )
    for row in rows:
        truth, value, low, high = (float(row[key]) for key in ("truth_s", "value", "low", "high"))
        print(
            f"{row['job']:20}{row['iterations']:>11}{row['sessions']:>9}  "
            f"{row['metric']:11}{truth:>8.2f} s{value:>9.2f} s{100 * (value / truth - 1):>+7.1f} %"
            f"{low:>9.2f} to {high:.2f} s{'' if holds(row) else '  does not hold'}"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="JOB",
        choices=[job.name for job in JOBS],
        help="this job, and no other",
    )
    parser.add_argument(
        "-o", dest="out", type=Path, metavar="FILE", help="write what was measured here, as CSV"
    )
    options, rows = parser.parse_args(), []
    for job in JOBS:
        if options.only and job.name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows += measure(options.program.resolve(), job, Path(folder))
        print(f"{job.name} is done", file=sys.stderr)
    report(rows)
    if options.out:
        write_table(options.out, rows)


if __name__ == "__main__":
    main()
