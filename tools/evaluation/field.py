#!/usr/bin/env python3
"""How often do intervals from one to three processes cover the epochs of other processes?

    python3 tools/evaluation/field.py measure --program build/release/seqpoint --raw FOLDER
        [--only JOB]
    python3 tools/evaluation/field.py project --program build/release/seqpoint --raw FOLDER
        -o tools/evaluation/field.csv

Trains small networks on the lengths in examples/data as a user would, with the companion. Three
processes of the epoch, twice each, and three of the plan (`select --processes 3`, then `plan`) take
turns, and each starts a new Python. The second pass is the truth: projections are of steady
iterations. All of it is done once on a machine that is left alone, and once while
another program works in spells that begin and end at random times.

`measure` keeps its records in FOLDER and resumes after an interruption. `project` reads them and
measures nothing: it writes the projections from every one, two and three processes of the plan,
next to the measured epochs.

All jobs take about 20 minutes of a machine of two cores that does nothing else. Needs Python 3.9
with PyTorch.
"""
import argparse
import contextlib
import csv
import gzip
import itertools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from epochs import DATA, ROOT, in_parallel
from field_job import IWSLT15, JOBS, LIBRISPEECH, PASSES
from peak_memory import SAMPLES_A_FRAME, table, write_table

SCRIPT = Path(__file__).resolve().with_name("field_job.py")
PROCESSES = 3  # of the epoch, and of the plan
COUNTS = range(1, PROCESSES + 1)
CONDITIONS = ("quiet", "load")
METRICS = ("runtime_s", "cpu_s")


# --- measuring ------------------------------------------------------------------------------------


def lengths_of(job):
    """A list for each side."""
    sides = []
    for source in job.corpus:
        with (gzip.open if source.endswith(".gz") else open)(
            DATA / source, "rt", encoding="utf-8"
        ) as file:
            rows = file.read().splitlines()
        if job.corpus == LIBRISPEECH:
            sides.append([max(1, int(row.split(",")[1]) // SAMPLES_A_FRAME) for row in rows[1:]])
        elif job.corpus == IWSLT15:
            sides += zip(*(map(int, row.split("\t")) for row in rows[1:]))
        else:
            sides.append([int(row) for row in rows])
    # A row without a word is no sample.
    taken = [
        row for row in range(0, len(sides[0]), job.every) if min(side[row] for side in sides) > 0
    ]
    return [[side[row] for row in taken] for side in sides]


def succeed(*command, **more):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


@contextlib.contextmanager
def whole(folder):
    """A folder that is there once all of it is."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    yield unfinished
    unfinished.rename(folder)


def prepare(program, job, folder):
    """Lengths, the run, its points and the plan."""
    for number, side in enumerate(lengths_of(job)):
        (folder / f"side-{number}.len").write_text(
            "".join(f"{length}\n" for length in side), encoding="utf-8"
        )
    source, *target = sorted(path.name for path in folder.glob("side-*.len"))
    manifests = [source, *(["--tgt", *target] if target else [])]
    succeed(program, "scan", "-q", *manifests, *job.sampler, "--rows", "-o", "run.csv", cwd=folder)
    succeed(
        program,
        "select",
        "-q",
        *manifests,
        *job.sampler,
        "--processes",
        PROCESSES,
        "-o",
        "points.json",
        cwd=folder,
    )
    succeed(program, "plan", "-q", "points.json", "-o", "plan", cwd=folder)


@contextlib.contextmanager
def load(seed, folder):
    process = subprocess.Popen([sys.executable, SCRIPT, "spells", folder, "--seed", str(seed)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure(job, folder, condition, out):
    """Processes of the epoch and of the plan in turn."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with load(JOBS.index(job), folder) if condition == "load" else contextlib.nullcontext():
        for process in range(PROCESSES):
            for what, more in (("epoch", []), ("plan", ["--process", process])):
                record = out / f"{what}-{process}.csv"
                succeed(
                    sys.executable,
                    SCRIPT,
                    job.name,
                    folder,
                    "--record",
                    record,
                    *more,
                    env=environment,
                )
    compress(out)


def compress(folder):
    for path in folder.glob("*.csv"):
        with gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as file:
            file.write(path.read_bytes())
        path.unlink()


def measure_each(options, kept_in, measure_one):
    """Runs measure_one(job, folder, condition, out) for each job and condition.

    The records go to the folder kept_in(condition).
    """
    program = options.program.resolve()
    for job, condition in itertools.product(jobs_of(options), CONDITIONS):
        folder = options.raw.resolve() / job.name
        if not folder.exists():
            with whole(folder) as out:
                prepare(program, job, out)
        if (folder / kept_in(condition)).exists():
            continue
        began = time.monotonic()
        with whole(folder / kept_in(condition)) as out:
            measure_one(job, folder, condition, out)
        print(
            f"{job.name}, {condition}: {time.monotonic() - began:.0f} s",
            file=sys.stderr,
            flush=True,
        )


def measure_all(options):
    measure_each(options, str, measure)


# --- projecting -----------------------------------------------------------------------------------


def total_in(path):
    """{metric: sum} over the last pass of an epoch."""
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows = rows[len(rows) - len(rows) // PASSES :]
    return {metric: sum(float(row[metric]) for row in rows) for metric in METRICS}


def projected(program, folder, chosen, *more):
    """The projection of the epoch from these processes of the plan, in a job's folder."""
    profiles = [word for n in chosen for word in ("--profile", f"v1={folder / f'plan-{n}.csv.gz'}")]
    found = succeed(
        program,
        "project",
        "-q",
        folder.parent / "points.json",
        *profiles,
        "--metric",
        "all",
        "--json",
        "--allow-partial",
        *more,
    )
    return json.loads(found)["configurations"][0]


def rows_of(program, folder, *more):
    """A row for each metric and choice of processes of the plan."""
    epochs, rows = [total_in(folder / f"epoch-{n}.csv.gz") for n in range(PROCESSES)], []
    for chosen in (
        of for count in COUNTS for of in itertools.combinations(range(PROCESSES), count)
    ):
        found = projected(program, folder, chosen, *more)["metrics"]
        for metric in METRICS:
            values = {key: found[metric][key] for key in ("value", "low", "high")}
            values.update({f"epoch_{n}": epoch[metric] for n, epoch in enumerate(epochs)})
            rows.append(
                {
                    "job": folder.parent.name,
                    "condition": folder.name,
                    "metric": metric,
                    "processes": "+".join(map(str, chosen)),
                    **{name: f"{seconds:.6f}" for name, seconds in values.items()},
                }
            )
    return rows


def project_all(options):
    folders = [
        options.raw.resolve() / job.name / condition
        for job in jobs_of(options)
        for condition in CONDITIONS
    ]
    found = in_parallel(
        lambda of: rows_of(options.program.resolve(), of), [of for of in folders if of.exists()]
    )
    rows = list(itertools.chain.from_iterable(found))
    report(rows)
    if options.out:
        write_table(options.out, rows)


# --- results --------------------------------------------------------------------------------------


def epochs_of(row):
    return [float(row[f"epoch_{n}"]) for n in range(PROCESSES)]


@dataclass(frozen=True)
class Summary:
    """Results of one condition and metric, from a given number of processes of the plan."""

    held: list  # for each pair of an interval and an epoch
    widths: dict  # job: mean half-width, a share of the projection
    biases: list  # of each job: mean of the projections over that of the epochs, less 1

    def share(self):
        return statistics.fmean(self.held)

    def half_width(self):
        return statistics.median(self.widths.values())

    def bias(self):
        return statistics.fmean(self.biases)

    def error_of_bias(self):
        """Standard error, jobs being what was drawn."""
        return (
            statistics.stdev(self.biases) / math.sqrt(len(self.biases))
            if len(self.biases) > 1
            else math.nan
        )


def summary_of(rows):
    held, widths, biases = [], {}, {}
    for row in rows:
        value, low, high = (float(row[key]) for key in ("value", "low", "high"))
        held += [low <= epoch <= high for epoch in epochs_of(row)]
        widths.setdefault(row["job"], []).append((high - low) / 2 / value)
        biases.setdefault(row["job"], []).append(value / statistics.fmean(epochs_of(row)) - 1)
    mean = {job: statistics.fmean(of) for job, of in widths.items()}
    return Summary(held, mean, [statistics.fmean(of) for of in biases.values()])


def summaries(rows, metric):
    """{(condition, processes): Summary}"""
    found = {}
    for row in rows:
        if row["metric"] == metric:
            found.setdefault((row["condition"], row["processes"].count("+") + 1), []).append(row)
    return {key: summary_of(of) for key, of in found.items()}


def width_of_two(found, condition):
    """Half-width from two processes over that from three: the median over jobs."""
    two, three = (found[condition, count].widths for count in (2, 3))
    return statistics.median(two[job] / three[job] for job in two)


def spread_of_epochs(rows, condition, metric):
    """Between the epochs of a job: standard deviation as a share, root mean square over jobs."""
    every = [
        row
        for row in rows
        if (row["condition"], row["metric"], row["processes"]) == (condition, metric, "0")
    ]
    return math.sqrt(
        statistics.fmean(
            statistics.variance(of) / statistics.fmean(of) ** 2 for of in map(epochs_of, every)
        )
    )


def report(rows):
    for metric in METRICS:
        found = summaries(rows, metric)
        for (condition, count), one in found.items():
            print(
                f"{metric:10}{condition:6} from {count}: {100 * one.share():5.1f} % of "
                f"{len(one.held)} hold, "
                f"half-width {100 * one.half_width():.2f} %, bias {100 * one.bias():+.2f} % ± "
                f"{100 * one.error_of_bias():.2f}"
            )
        for condition in dict.fromkeys(condition for condition, _ in found):
            print(
                f"{metric:10}{condition:6} half-width of two over three: "
                f"{width_of_two(found, condition):.2f}; "
                f"epochs of a job differ by {100 * spread_of_epochs(rows, condition, metric):.2f} %"
            )


def jobs_of(options):
    return [job for job in JOBS if not options.only or job.name in options.only]


def main(doc, measure_all, project_all):
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(required=True, metavar="measure|project")
    for name, function in (("measure", measure_all), ("project", project_all)):
        step = steps.add_parser(name)
        step.set_defaults(function=function)
        step.add_argument(
            "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
        )
        step.add_argument(
            "--raw",
            type=Path,
            required=True,
            metavar="FOLDER",
            help="where what is recorded is kept",
        )
        step.add_argument(
            "--only",
            action="append",
            metavar="JOB",
            choices=[job.name for job in JOBS],
            help="this job, and no other",
        )
    step.add_argument(
        "-o", dest="out", type=Path, metavar="FILE", help="write what was projected here, as CSV"
    )
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main(__doc__, measure_all, project_all)
