#!/usr/bin/env python3
"""How soon does a job run out of memory after `plan --preflight`, and is its peak in the interval?

    python3 tools/evaluation/peak_memory.py --program build/release/seqpoint -o peak-memory.csv
        [--only speech-gru16]

Trains small networks on the lengths in examples/data, one epoch in random order each. It counts the
memory that PyTorch has allocated at the peak of every iteration: parameters, gradients, the
optimiser's state, the batch and temporary tensors. The source is the memory events of
torch.profiler, which do not depend on how much an allocator reserves. Another run, of the plan,
measures the points. The plan is then run again with one per cent less memory than the epoch took.
The projection is also made without the largest point ("rest"), which may happen to be the run's
largest batch.

Ten jobs take about fifteen minutes of one core. Needs Python 3.9 with PyTorch.
"""
import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA, PYTORCH, PACKAGES = ROOT / "examples" / "data", ROOT / "examples" / "pytorch", ROOT / "python"
MULTI30K = ("multi30k-train.en.len", "multi30k-train.de.len")
SAMPLES_A_FRAME = 640  # of train.py: its lengths are in frames
POINTS, LESS = 8, 0.99  # the memory that there is, over the epoch's peak
FIXED, BUDGET = ("--sampler", "pytorch", "--batch-size", "16"), (
    "--sampler",
    "token-budget:max-tokens=512,order=shuffled",
)


@dataclass(frozen=True)
class Job:
    network: str
    cell: str
    hidden: int
    sources: tuple
    every: int  # rows of the manifest that are taken
    batching: tuple = FIXED
    first: int = 0  # of these rows

    @property
    def name(self):
        corpus = self.sources[0].split("-")[0] + (".de" if ".de." in self.sources[0] else "")
        return (
            f"{self.network}-{self.cell}{self.hidden}-{corpus}"
            f"{'-budget' if self.batching == BUDGET else ''}"
        )


JOBS = [
    Job("speech", cell, 16, ("librispeech-train-clean-100.csv",), 48) for cell in ("gru", "lstm")
]
JOBS += [
    Job("translation", cell, 24, MULTI30K, 12, batching)
    for cell in ("gru", "lstm")
    for batching in (FIXED, BUDGET)
]
JOBS += [
    Job("language", "gru", hidden, ("opennmt-sample.en.len",), 4, batching)
    for hidden, batching in ((24, FIXED), (40, FIXED), (24, BUDGET))
]
JOBS += [Job("language", "gru", 24, MULTI30K[1:], 12)]


class OutOfMemory(Exception):
    """Raised with the number of batches that had run."""


class Training:
    """A training job whose memory is counted, and may be limited."""

    def __init__(self, job, lengths, limit=None):
        import torch
        from train import NETWORKS, Corpus

        torch.manual_seed(1)
        torch.set_num_threads(1)
        self.torch, self.limit, self.batches = torch, limit, 0
        self.corpus = Corpus.__new__(Corpus)
        self.corpus.speech, self.corpus.sides = job.network == "speech", lengths
        self.model = NETWORKS[job.network](job.hidden, job.cell)
        self.optimiser = torch.optim.Adam(self.model.parameters())

    def allocated(self, inputs):
        state = [
            value
            for of in self.optimiser.state.values()
            for value in of.values()
            if self.torch.is_tensor(value)
        ]
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        return sum(
            t.numel() * t.element_size()
            for t in [*self.model.parameters(), *gradients, *state, *inputs]
        )

    def run(self, rows):
        """The columns of a batch, with what was allocated at its peak."""
        from torch.profiler import ProfilerActivity, profile

        batch = self.corpus.batch(rows)
        before = self.allocated(batch["inputs"])
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            self.optimiser.zero_grad()
            self.model(*batch["inputs"]).backward()
            self.optimiser.step()
        used = most = 0
        for event in profiler.profiler.kineto_results.events():
            if event.name() == "[memory]":
                used += event.nbytes()
                most = max(most, used)
        if before + used != self.allocated(batch["inputs"]):
            raise SystemExit("what was allocated and freed is not what there is")
        if self.limit is not None and before + most > self.limit:
            raise OutOfMemory(self.batches)
        self.batches += 1
        return {**self.corpus.signature(batch), "peak_bytes": before + most}


def lengths_of(job, folder):
    """The data that train.py makes from the manifests, and files of it."""
    paths, sides = [], []
    for source in job.sources:
        lines = (DATA / source).read_text(encoding="utf-8").splitlines()
        if job.network == "speech":
            lines = [str(max(1, int(line.split(",")[1]) // SAMPLES_A_FRAME)) for line in lines[1:]]
        paths.append(folder / f"{source}.len")
        paths[-1].write_text("\n".join(lines[job.first :: job.every]) + "\n", encoding="utf-8")
        sides.append([int(line) for line in lines[job.first :: job.every]])
    return paths, sides


def write_table(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def fails_at(training, batches):
    """How many batches run before the memory is not enough; nothing: it always is."""
    try:
        for rows in batches:
            training.run(rows)
    except OutOfMemory as error:
        return error.args[0]
    return None


def measure(program, job, folder):
    """A row of the result."""
    from seqpoint_companion import Plan

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

    (source, *target), sides = lengths_of(job, folder)
    dataset = [source, *(["--tgt", *target] if target else []), *job.batching, "--seed", 1]
    trace = list(csv.DictReader(run("scan", "-q", *dataset, "--rows").splitlines()))
    order = [[int(row) for row in iteration["rows"].split()] for iteration in trace]
    run("select", "-q", *dataset, "--points", POINTS, "-o", "points.json")
    run("plan", "-q", "points.json", "--preflight", "--processes", 1, "--repeats", 1, "-o", "plan")
    plan = lambda: Plan(folder / "plan" / "plan.json")
    epoch, points, steps = Training(job, sides), Training(job, sides), plan()
    peaks = [epoch.run(rows)["peak_bytes"] for rows in order]
    peak = max(peaks)
    measured = [
        row
        for row, step in zip([points.run(rows) for rows in steps], steps.steps)
        if not step["warmup"]
    ]
    largest = max(row["peak_bytes"] for row in measured)
    row = {
        "job": job.name,
        "iterations": len(order),
        "peak_bytes": peak,
        "largest_measured": largest,
    }
    for name, rows in (
        ("", measured),
        ("rest_", [row for row in measured if row["peak_bytes"] < largest]),
    ):
        write_table(folder / "points.csv", rows)
        found = json.loads(
            run(
                "project",
                "-q",
                "points.json",
                "--profile",
                "v1=points.csv",
                "--aggregate",
                "peak_bytes=max",
                "--json",
            )
        )
        value = found["configurations"][0]["metrics"]["peak_bytes"]
        row.update({f"{name}{key}": f"{value[key]:.0f}" for key in ("value", "low", "high")})
    limit = int(LESS * peak)
    return {
        **row,
        "preflight": len(steps.preflight),
        "fails_in_order": next(n for n, bytes in enumerate(peaks) if bytes > limit),
        "fails_in_plan": fails_at(Training(job, sides, limit), plan()),
    }


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def holds(row, part=""):
    return float(row[f"{part}low"]) <= float(row["peak_bytes"]) <= float(row[f"{part}high"])


def error_of(row, part=""):
    return float(row[f"{part}value"]) / float(row["peak_bytes"]) - 1


def interval_of(row, part=""):
    """In percent of the peak."""
    return tuple(
        100 * (float(row[f"{part}{key}"]) / float(row["peak_bytes"]) - 1) for key in ("low", "high")
    )


def report(rows):
    print(
        f"{'job':36}{'peak, bytes':>12}{'projected':>11}{'interval':>18}"
        f"{'rest':>10}{'interval':>18}{'fails in order':>16}{'plan':>6}"
    )
    for row in rows:
        cells = [f"{100 * error_of(row, part):+.2f} %" for part in ("", "rest_")]
        ranges = ["{:+.1f}, {:+.1f} %".format(*interval_of(row, part)) for part in ("", "rest_")]
        print(
            f"{row['job']:36}{row['peak_bytes']:>12}{cells[0]:>11}{ranges[0]:>18}"
            f"{cells[1]:>10}{ranges[1]:>18}"
            f"{row['fails_in_order']:>9} of {row['iterations']}{row['fails_in_plan']:>6}"
        )
    for part, name in (("", "all points"), ("rest_", "without the largest")):
        print(
            f"{name}: {sum(holds(row, part) for row in rows)} of {len(rows)} peaks lie in the "
            "interval; median error "
            f"{100 * statistics.median(abs(error_of(row, part)) for row in rows):.2f} %"
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
    sys.path[:0] = str(PYTORCH), str(PACKAGES)
    for job in JOBS:
        if options.only and job.name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(options.program.resolve(), job, Path(folder)))
        print(f"{job.name} is done", file=sys.stderr)
    report(rows)
    if options.out:
        write_table(options.out, rows)


if __name__ == "__main__":
    main()
