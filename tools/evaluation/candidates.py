#!/usr/bin/env python3
"""Measures epochs of one network with several samplers and batch sizes.

    python3 tools/evaluation/candidates.py --program build/release/seqpoint [--only speech-gru24]

Trains small networks on the lengths in examples/data. Each network runs an epoch of every candidate
twice, in one process that takes the candidates' iterations in turn: if the machine becomes slower,
all candidates do. The second time is written, because the first includes the cold start of every
shape. The points of each candidate are measured in SESSIONS processes of their own, half of them
before the epochs. tools/evaluation/make.py replays the epochs.

Six jobs take about a quarter of an hour of one core of a quiet machine. Needs Python 3.9 with
PyTorch; run nothing else meanwhile.
"""
import argparse
import csv
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peak_memory import DATA, PACKAGES, PYTORCH, ROOT, lengths_of, write_table
from two_ranks import JOBS

FOLDER = DATA / "pytorch-cpu-candidates"
POINTS, REPEATS, SESSIONS = 8, 1, 4
CANDIDATES = ("shuffled", "shuffled-32", "grouped", "budget")
# About 16 samples a batch of each corpus.
BUDGET = {"speech": 5000, "translation": 320, "language": 512}


def samplers_of(job):
    """Candidate -> options of scan."""
    return dict(
        zip(
            CANDIDATES,
            (
                ("--sampler", "pytorch", "--batch-size", "16"),
                ("--sampler", "pytorch", "--batch-size", "32"),
                (
                    "--sampler",
                    "hf-length-grouped",
                    "--sampler-version",
                    "4.30",
                    "--batch-size",
                    "16",
                ),
                (
                    "--sampler",
                    f"token-budget:max-tokens={BUDGET[job.network]},order=shuffled",
                ),
            ),
        )
    )


def timed_batches(job, sides, batches):
    """The columns of each batch, (name, rows) each, in the order given; runs in its own process."""
    sys.path[:0] = str(PYTORCH), str(PACKAGES)
    import torch
    from train import NETWORKS, Corpus

    torch.manual_seed(1)
    torch.set_num_threads(1)
    corpus = Corpus.__new__(Corpus)
    corpus.speech, corpus.sides = job.network == "speech", sides
    model = NETWORKS[job.network](job.hidden, job.cell)
    optimiser = torch.optim.Adam(model.parameters())
    table = []
    for name, rows in batches:
        batch = corpus.batch(rows)
        start, start_cpu = time.perf_counter(), time.process_time()
        optimiser.zero_grad()
        model(*batch["inputs"]).backward()
        optimiser.step()
        table.append(
            {
                **name,
                **corpus.signature(batch),
                "runtime_s": f"{time.perf_counter() - start:.6f}",
                "cpu_s": f"{time.process_time() - start_cpu:.6f}",
            }
        )
    return table


def measure(program, job, folder, out):
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

    def in_own_process(batches):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(timed_batches, (job, sides, batches))

    sys.path[:0] = str(PYTORCH), str(PACKAGES)
    from seqpoint_companion import Plan

    (source, *target), sides = lengths_of(job, folder)
    # By name, which the points contain: commands run in that folder.
    manifests = [source.name, *(["--tgt", *(path.name for path in target)] if target else [])]
    out.mkdir(parents=True, exist_ok=True)
    epochs, steps = [], []
    for name, sampler in samplers_of(job).items():
        trace = list(
            csv.DictReader(
                run("scan", "-q", *manifests, *sampler, "--seed", 1, "--rows").splitlines()
            )
        )
        epochs += [
            (
                (i + 0.5) / len(trace),
                {"candidate": name, "iteration": row["iteration"]},
                [int(n) for n in row["rows"].split()],
            )
            for i, row in enumerate(trace)
        ]
        points = out.resolve() / f"{name}.points.json"
        run("select", "-q", *manifests, *sampler, "--seed", 1, "--points", POINTS, "-o", points)
        run("plan", "-q", points, "--repeats", REPEATS, "--processes", 1, "-o", f"plan-{name}")
        plan = Plan(folder / f"plan-{name}" / "plan.json")
        steps += [
            (
                {
                    "candidate": "" if step["warmup"] else name,
                    "point": step["id"],
                    "iteration": step["iteration"],
                },
                step["rows"],
            )
            for step in plan.steps
        ]
    epochs = [step for _, *step in sorted(epochs, key=lambda step: step[0])]

    def session(number):
        return [{"session": number, **row} for row in in_own_process(steps)]

    measured = [row for number in range(SESSIONS // 2) for row in session(number)]
    timed = in_own_process(epochs + epochs)[len(epochs) :]
    measured += [row for number in range(SESSIONS // 2, SESSIONS) for row in session(number)]
    for rows, suffix in ((timed, "csv"), (measured, "profile.csv")):
        for name in CANDIDATES:
            of = [
                {key: value for key, value in row.items() if key != "candidate"}
                for row in rows
                if row["candidate"] == name
            ]
            write_table(out / f"{name}.{suffix}", of)


def measured_jobs():
    return sorted(path for path in FOLDER.iterdir() if path.is_dir())


def epochs_of(folder):
    return {name: folder / f"{name}.csv" for name in CANDIDATES}


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
        "-o",
        dest="out",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help="a folder for each job is written here",
    )
    options = parser.parse_args()
    for job in JOBS:
        if options.only and job.name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            measure(options.program.resolve(), job, Path(folder), options.out / job.name)
        print(f"{job.name} is done", file=sys.stderr)


if __name__ == "__main__":
    main()
