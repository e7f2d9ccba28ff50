#!/usr/bin/env python3
"""How often does the truth lie in the interval after one batch of warm-up, and after rounds until times are steady?

    python3 docs/evaluation/warm_up.py --program build/release/seqpoint -o warm-up.csv [--only speech-gru16-0]

Trains small networks on the lengths in examples/data, two epochs of the same batches each; the second is the truth, as the
first also holds the slow start of every shape. Its points are measured by two more processes, one of which warms up with a
batch of the longest samples, the other as the companion does. Processor time and wall time, 95 % intervals.

Ten jobs take about five minutes of one core of a quiet machine. Needs Python 3.9 with PyTorch; run nothing else meanwhile.
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
DATA, TRAIN = ROOT / "examples" / "data", ROOT / "examples" / "pytorch" / "train.py"
SOURCES = {"speech": ["librispeech-train-clean-100.csv"], "translation": ["multi30k-train.en.len", "multi30k-train.de.len"],
           "language": ["opennmt-sample.en.len"]}
EVERY = {"speech": 8, "translation": 4, "language": 2}  # rows of a manifest that are taken
SAMPLES_A_FRAME = 640  # of train.py: its lengths are in frames
BATCH_SIZE, POINTS, REPEATS = 16, 8, 3
METRICS = ("runtime_s", "cpu_s")
WARM_UPS = {"one batch": ["--warm-up", "1", "--warm-up-batches", "0"], "until steady": []}


@dataclass(frozen=True)
class Job:
    network: str
    cell: str
    hidden: int
    first: int  # row of the manifest

    @property
    def name(self):
        return f"{self.network}-{self.cell}{self.hidden}-{self.first}"


JOBS = [Job("speech", cell, 16, first) for cell in ("gru", "lstm") for first in (0, 3)]
JOBS += [Job("translation", cell, 24, first) for cell in ("gru", "lstm") for first in (0, 2)]
JOBS += [Job("language", "gru", hidden, 0) for hidden in (24, 40)]


def manifests_of(job, folder):
    """The job's manifests as train.py reads them, and as lengths in its unit."""
    paths, lengths = [], []
    for source in SOURCES[job.network]:
        with open(DATA / source, encoding="utf-8") as file:
            lines = file.read().splitlines()
        header = lines[:1] if job.network == "speech" else []
        rows = lines[len(header) + job.first::EVERY[job.network]]
        paths.append(folder / source)
        paths[-1].write_text("\n".join([*header, *rows]) + "\n", encoding="utf-8")
        frames = [str(max(1, int(row.split(",")[1]) // SAMPLES_A_FRAME)) for row in rows] if header else rows
        lengths.append(folder / f"{source}.lengths.len")
        lengths[-1].write_text("\n".join(frames) + "\n", encoding="utf-8")
    return paths, lengths


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure(program, python, job, folder, order):
    """Rows of the result: what was projected after each kind of warm-up, beside the measured epoch."""
    def run(*command):
        done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    paths, (source, *target) = manifests_of(job, folder)
    target = ["--tgt", *target] if target else []
    run(program, "select", "-q", source, *target, "--batch-size", BATCH_SIZE, "--points", POINTS, "-o", "points.json")
    run(program, "plan", "-q", "points.json", source, *target, "--repeats", REPEATS, "--sessions", 1, "-o", "plan")
    train = [python, TRAIN, job.network, *paths, "--cell", job.cell, "--hidden", job.hidden, "--batch-size", BATCH_SIZE]
    epoch = lambda: run(*train, "--in-order", "--epochs", 2, "--record", "epoch.csv")
    profile = lambda how: run(*train, "--plan", "plan/plan.json", *WARM_UPS[how], "--record", f"{how}.csv")
    # What comes first changes from job to job, so that neither kind of warm-up has the machine at its best.
    for step in order:
        profile(step) if step in WARM_UPS else epoch()
    truth = {metric: sum(float(row[metric]) for row in table(folder / "epoch.csv") if row["epoch"] == "1") for metric in METRICS}
    rows = []
    for how in WARM_UPS:
        found = json.loads(run(program, "project", "-q", "points.json", "--profile", f"v1={how}.csv", "--json"))
        measured = table(folder / f"{how}.csv")
        warmed = sum(row["warmup"] == "1" for row in measured)
        for metric, truth_s in truth.items():
            value = found["configurations"][0]["metrics"][metric]
            rows.append({"job": job.name, "warm_up": how, "batches": warmed or 1, "metric": metric,
                         "truth_s": f"{truth_s:.6f}", **{key: f"{value[key]:.6f}" for key in ("value", "low", "high")},
                         "first_repeats": f"{first_repeats(measured, metric):.4f}"})
    return rows


def first_repeats(rows, metric):
    """What first measurements take of the mean of the others, over all points."""
    first = sum(float(row[metric]) for row in rows if row["warmup"] == "0" and row["repeat"] == "0")
    others = sum(float(row[metric]) for row in rows if row["warmup"] == "0" and row["repeat"] != "0")
    return first * (REPEATS - 1) / others


def errors_of(rows, how, metric):
    """Projected over measured, less 1, of each job."""
    return [float(row["value"]) / float(row["truth_s"]) - 1 for row in rows if (row["warm_up"], row["metric"]) == (how, metric)]


def summaries(rows):
    """By warm-up and metric: jobs whose truth is in the interval, jobs, and medians: error, half-width, first repeats."""
    for how in WARM_UPS:
        for metric in METRICS:
            of = [row for row in rows if (row["warm_up"], row["metric"]) == (how, metric)]
            held = sum(float(row["low"]) <= float(row["truth_s"]) <= float(row["high"]) for row in of)
            yield (how, metric, held, len(of), statistics.median(errors_of(rows, how, metric)),
                   statistics.median((float(row["high"]) - float(row["low"])) / 2 / float(row["value"]) for row in of),
                   statistics.median(float(row["first_repeats"]) - 1 for row in of))


def report(rows):
    print(f"{'warm-up':14}{'metric':11}{'truth in interval':>19}{'median error':>14}{'half-width':>12}{'first repeats':>15}")
    for how, metric, held, jobs, error, width, slow in summaries(rows):
        print(f"{how:14}{metric:11}{f'{held} of {jobs}':>19}{100 * error:>+12.1f} %{100 * width:>10.1f} %{100 * slow:>+13.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE")
    parser.add_argument("--python", default=sys.executable, metavar="FILE", help="one that has PyTorch [this]")
    parser.add_argument("--only", action="append", metavar="JOB", choices=[job.name for job in JOBS], help="this job, and no other")
    parser.add_argument("-o", dest="out", type=Path, metavar="FILE", help="write what was measured here, as CSV")
    options, rows = parser.parse_args(), []
    for number, job in enumerate(JOBS):
        if options.only and job.name not in options.only:
            continue
        order = ["one batch", "epoch", "until steady"]
        with tempfile.TemporaryDirectory() as folder:
            rows += measure(options.program.resolve(), options.python, job, Path(folder), order[::-1] if number % 2 else order)
        print(f"{job.name} is done", file=sys.stderr)
    report(rows)
    if options.out:
        with open(options.out, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
