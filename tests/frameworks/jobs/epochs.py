"""Twelve jobs of the frameworks themselves: what `seqpoint run` says of an epoch, beside the epoch.

    epochs.py SEQPOINT FOLDER [JOB...] [--max-processes N] [--points K] [--epochs N] [--csv FILE]
        [--seedless]

A job gets one command, `seqpoint run -o FOLDER/JOB -- ...`. Then it trains its epoch by itself,
without seqpoint, so often as --epochs is. In both it writes down rows, lengths and times of the
batches that it trains (epochs/work.py). They are compared: rows and lengths of all batches with the
order that `run` has read and with what each of its processes has run; and the epoch's time with the
projection. An error is that of the first epoch, which follows `run`.

With --seedless, jobs set no seed. Then each start draws other batches: the epoch has the texts of
the order, and each process ran the batches that its file names.

Prints a table; --csv writes it, and leaves the rows of other jobs that are in the file. What FOLDER
has is not run again. Ends with 1 if a row or a length differs. Errors of times are shown and decide
nothing, because they depend on the load of the machine. Jobs use the python3 that runs this file.
"""

import argparse
import collections
import csv
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent / "epochs"
BIN = Path(sys.executable).parent
PROGRAMS = (
    "plain accumulating trainer in_lightning accelerated buckets stateful packed speech".split()
)
JOBS = {name: ["python3", f"{HERE}/{name}.py"] for name in PROGRAMS}
JOBS["two_ranks"] = ["torchrun", "--nproc_per_node", "2", f"{HERE}/two_ranks.py"]
JOBS["three_programs"] = ["bash", f"{HERE}/three_programs.sh"]
JOBS["make"] = ["make", "-f", f"{HERE}/Makefile", "train"]
RANKS = collections.Counter({name: 2 if name == "two_ranks" else 1 for name in JOBS})
STREAMS = ("buckets",)  # an IterableDataset has no rows

# A batch as the job and `run` recorded it; rows is None if the data set has no rows.
Batch = collections.namedtuple("Batch", "rows length samples")
Times = collections.namedtuple("Times", "runtime_s cpu_s")
Result = collections.namedtuple(
    "Result",
    "job date batches same clocks processes executions projected_s low_s high_s epochs_s steady_s "
    "error cpu_error inside run_s job_s",
)


# --- the job's own log ----------------------------------------------------------------------------


def log_of(said):
    return said.parent / ".logs" / said.name


def processes_in(log, ranks):
    """[[(Batch, Times) of a process] of each start] of each rank."""
    found = [collections.defaultdict(list) for _ in range(ranks)]
    texts = [path.read_text(encoding="utf-8") for path in sorted(log.iterdir())]
    for line in "".join(texts).splitlines():
        process, rank, length, samples, seconds, cpu, *rows = line.split()
        batch = Batch(" ".join(rows), int(length), int(samples))
        found[int(rank)][process].append((batch, Times(float(seconds), float(cpu))))
    return [list(of.values()) for of in found]


def batches_of(process):
    return [batch for batch, _ in process]


def heaviest(batches):
    """The batch of an iteration as an order has it: rows of all ranks, the heaviest's lengths."""
    most = max(batches, key=lambda batch: batch.length * batch.samples)
    return most._replace(rows="|".join(batch.rows for batch in batches))


def slowest(epoch):
    """[(Batch, Times)] of an epoch of several ranks: each waits for the slowest."""
    ranks = [of_rank[0] for of_rank in epoch]
    return [
        (heaviest([batch for batch, _ in of]), Times(*map(max, zip(*(times for _, times in of)))))
        for of in zip(*ranks)
    ]


def steady_part(process, clock="runtime_s"):
    """Seconds of an epoch but for its cold start, as tools/evaluation/field_gpu.py has them.

    A shape's first execution less the mean of the later ones is the cold start of a shape.
    """
    times = collections.defaultdict(list)
    for batch, taken in process:
        times[batch.length, batch.samples].append(getattr(taken, clock))
    more = [first - statistics.fmean(later) for first, *later in times.values() if later]
    cold = len(times) * max(statistics.fmean(more), 0) if more else 0
    return sum(map(sum, times.values())) - cold


# --- what `run` wrote -----------------------------------------------------------------------------


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def batches_in(order, streams):
    """The batches of an order, in turn."""
    return [
        Batch(None if streams else row["rows"], int(row["src_len"]), int(row["batch_size"]))
        for row in order
    ]


def iterations_in(path):
    return [int(row["iteration"]) for row in rows_of(path)]


# --- whether they agree ---------------------------------------------------------------------------


def differences(what, found, expected):
    """Lines for the reader: none if the batches are the same, in the same order."""
    pairs = list(zip(found, expected))
    lines = [f"{what} {n}: {a} is not {b}" for n, (a, b) in enumerate(pairs) if a != b][:3]
    if len(found) != len(expected):
        lines.append(f"{what}: {len(found)} batches, not {len(expected)}")
    return lines


def without_rows(batches, streams):
    return [batch._replace(rows=None) for batch in batches] if streams else batches


def texts_of(batches):
    return sorted(row for batch in batches for row in batch.rows.replace("|", " ").split())


def other_texts(epoch, order):
    """Without a seed, epochs have other batches, of the same texts."""
    same = texts_of(epoch) == texts_of(order)
    return [] if same else ["the epoch has other texts than the order"]


def number_of_starts(folder):
    return len(list(folder.glob("run-?.csv")))


def those_that_measured(processes, folder):
    """Without the start that made the order, which trains on a few batches and does not go on."""
    return processes[-number_of_starts(folder) :]


def compare(name, folder, alone, measured, seedless):
    """Compares the job's logs with the files of `run`. Returns the differences as lines."""
    streams = name in STREAMS
    order = batches_in(rows_of(folder / "order.csv"), streams)
    epoch = list(map(heaviest, zip(*(batches_of(of_rank[0]) for of_rank in alone))))
    if not seedless:
        lines = differences("epoch's batch", without_rows(epoch, streams), order)
    else:
        lines = [] if streams else other_texts(epoch, order)
    for number, ran in enumerate(zip(*measured), 1):
        path = folder / f"run-{number}.csv"
        batches = map(heaviest, zip(*map(batches_of, ran)))
        if not seedless:
            planned = [order[iteration] for iteration in iterations_in(path)]
        else:
            planned = batches_in(rows_of(path), streams)
        lines += differences(f"{path.name}'s batch", without_rows(list(batches), streams), planned)
    starts = number_of_starts(folder)
    if {len(of_rank) for of_rank in measured} != {starts}:
        lines.append(f"the job trained {list(map(len, measured))} times, run-N.csv: {starts}")
    return lines


# --- a job ----------------------------------------------------------------------------------------


def start(words, said):
    """Runs a command with the python3 of this environment first on PATH, unless it has been run.

    Its log, what it prints and the seconds it takes go to files that are called SAID.
    """
    facts = Path(f"{said}.json")
    if facts.exists():
        return
    log = log_of(said)
    shutil.rmtree(log, ignore_errors=True)
    log.mkdir(parents=True)
    variables = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "JOB_LOG": str(log),
        "SEQPOINT_COMPANION": str(ROOT / "python"),
    }
    date, began = datetime.datetime.now(datetime.timezone.utc), time.perf_counter()
    with open(f"{said}.out", "wb") as out, open(f"{said}.err", "wb") as err:
        done = subprocess.run(
            words, env={**os.environ, **variables}, stdout=out, stderr=err, check=False
        )
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}, see {said}.err")
    seconds = time.perf_counter() - began
    facts.write_text(json.dumps({"date": f"{date:%Y-%m-%d}", "seconds": seconds}), "utf-8")


def tell_jobs(seedless):
    """Whether jobs that start from now on set a seed."""
    os.environ["SEEDLESS"] = "1" if seedless else ""


def facts_of(said):
    return json.loads(Path(f"{said}.json").read_text(encoding="utf-8"))


def try_job(program, name, parent, options):
    """Runs a job by `run`, then by itself as often as is asked for: (Result, differences)."""
    folder, runs = parent / name, parent / f"{name}-run"
    epochs = [parent / f"{name}-epoch-{n + 1}" for n in range(options.epochs)]
    limit = ["--max-processes", str(options.max_processes)]
    if options.points:
        limit += ["--points", str(options.points)]
    start([program, "run", "-o", str(folder), *limit, "--", *JOBS[name]], runs)
    for said in epochs:
        start(JOBS[name], said)
    found, *alone = (processes_in(log_of(of), RANKS[name]) for of in (runs, *epochs))
    measured = [those_that_measured(of_rank, folder) for of_rank in found]
    lines = [line for of in alone for line in compare(name, folder, of, measured, options.seedless)]
    done = [slowest(of) for of in alone]
    projection = json.loads((folder / "projection.json").read_text(encoding="utf-8"))
    epoch = projection["configurations"][0]["metrics"]["runtime_s"]
    steady = list(map(steady_part, done))
    cpu = projected_cpu(program, folder) / statistics.fmean(steady_part(of, "cpu_s") for of in done)
    return (
        Result(
            job=name,
            date=facts_of(runs)["date"],
            batches=len(done[0]),
            same=yes_or_no(not lines),
            clocks=f"{clocks(folder, measured[0]):+.4f}",
            processes=len(measured[0]),
            executions=sum(map(len, measured[0])),
            projected_s=f"{epoch['value']:.2f}",
            low_s=f"{epoch['low']:.2f}",
            high_s=f"{epoch['high']:.2f}",
            epochs_s=seconds_text(sum(times.runtime_s for _, times in of) for of in done),
            steady_s=seconds_text(steady),
            error=f"{epoch['value'] / steady[0] - 1:+.4f}",
            cpu_error=f"{cpu - 1:+.4f}",
            inside=yes_or_no(epoch["low"] <= steady[0] <= epoch["high"]),
            run_s=f"{facts_of(runs)['seconds']:.1f}",
            job_s=f"{statistics.fmean(facts_of(of)['seconds'] for of in epochs):.1f}",
        ),
        lines,
    )


def projected_cpu(program, folder):
    """Seconds of the processor, as the points of `run` project them: load changes them least."""
    profiles = map(str, folder.glob("run-?*.csv"))
    words = "--metric", "cpu_s", "--json"
    done = subprocess.run(
        [program, "-qq", "project", str(folder / "points.json"), *profiles, *words],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)["configurations"][0]["metrics"]["cpu_s"]["value"]


def seconds_text(values):
    return " ".join(f"{value:.2f}" for value in values)


def yes_or_no(value):
    return "yes" if value else "no"


def clocks(folder, processes):
    """How much more `run` timed than the job, in the same executions."""
    ours = theirs = 0
    for number, process in enumerate(processes, 1):
        for row, (_, times) in zip(rows_of(folder / f"run-{number}.csv"), process):
            if not row.get("interrupted"):
                ours, theirs = ours + float(row["runtime_s"]), theirs + times.runtime_s
    return ours / theirs - 1


def try_jobs(program, names, parent, options, done=lambda results: None):
    """{job: Result} and {job: what went wrong}; `done` is called with the results after each."""
    parent.mkdir(parents=True, exist_ok=True)
    results, faults = {}, {}
    for name in names:
        print(f"==> {name}", flush=True)
        try:
            results[name], faults[name] = try_job(program, name, parent, options)
        except (RuntimeError, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
            faults[name] = [repr(error)]
        for line in faults[name]:
            print(f"{name}: {line}", flush=True)
        done(results)
    return results, {name: lines for name, lines in faults.items() if lines}


# --- the table ------------------------------------------------------------------------------------


def write(path, results):
    """Puts the results into a CSV, in which the rows of other jobs stay."""
    rows = {row["job"]: row for row in rows_of(path)} if path.exists() else {}
    rows.update({name: result._asdict() for name, result in results.items()})
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, Result._fields, lineterminator="\n")
        table.writeheader()
        table.writerows(rows[name] for name in JOBS if name in rows)


def show(results):
    table = [Result._fields, *(list(map(str, result)) for result in results)]
    widths = [max(len(row[n]) for row in table) for n in range(len(Result._fields))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("jobs", nargs="*", metavar="JOB")
    parser.add_argument("--max-processes", type=int, default=6)
    parser.add_argument("--points", type=int)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--seedless", action="store_true")
    options = parser.parse_args()
    tell_jobs(options.seedless)
    names = options.jobs or list(JOBS)
    for name in names:
        if name not in JOBS:
            parser.error(f"{name}: choose from {', '.join(JOBS)}")
    results, faults = try_jobs(
        str(options.program.resolve()),
        names,
        options.folder.resolve(),
        options,
        lambda so_far: options.csv and write(options.csv, so_far),
    )
    show(results.values())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
