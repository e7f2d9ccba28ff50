"""Twelve jobs of the frameworks themselves: what `seqpoint run` says of an epoch, beside the epoch.

    epochs.py SEQPOINT FOLDER [JOB...] [--max-processes N] [--csv FILE]

A job gets one command, `seqpoint run -o FOLDER/JOB -- ...`. Then it trains its epoch by itself,
without seqpoint. In both it writes down rows, lengths and times of the batches that it trains
(epochs/work.py). They are compared: rows and lengths of all batches with the order that `run` has
read and with what each of its processes has run; and the epoch's time with the projection.

Prints a table; --csv writes it, and leaves the rows of other jobs that are in the file. A job whose
results are in FOLDER is not run again. Ends with 1 if a row or a length differs. Errors of times
are shown and decide nothing, as they depend on what else the machine does. The jobs take the
python3 that runs this file.
"""

import argparse
import collections
import csv
import datetime
import json
import os
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

# Of a batch as the job wrote it down, and as `run` did; rows is None where there are none.
Batch = collections.namedtuple("Batch", "rows length samples")
Result = collections.namedtuple(
    "Result",
    "job date batches same clocks processes executions projected_s low_s high_s epoch_s steady_s "
    "error inside run_s job_s",
)


# --- the job's own log ----------------------------------------------------------------------------


def processes_in(log, ranks):
    """[[(Batch, seconds) of a process] of each start] of each rank."""
    found = [collections.defaultdict(list) for _ in range(ranks)]
    for line in log.read_text(encoding="utf-8").splitlines():
        process, rank, length, samples, seconds, *rows = line.split()
        batch = Batch(" ".join(rows), int(length), int(samples))
        found[int(rank)][process].append((batch, float(seconds)))
    return [list(of.values()) for of in found]


def batches_of(process):
    return [batch for batch, _ in process]


def heaviest(batches):
    """The batch of an iteration as an order has it: rows of all ranks, the heaviest's lengths."""
    most = max(batches, key=lambda batch: batch.length * batch.samples)
    return most._replace(rows="|".join(batch.rows for batch in batches))


def steady_part(process):
    """Seconds of an epoch but for its cold start, as docs/evaluation/field_gpu.py has them.

    A shape's first execution less the mean of the later ones is the cold start of a shape.
    """
    times = collections.defaultdict(list)
    for batch, seconds in process:
        times[batch.length, batch.samples].append(seconds)
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


def compare(name, folder, alone, measured):
    """Compares the job's logs with the files of `run`. Returns the differences as lines."""
    streams = name in STREAMS
    order = batches_in(rows_of(folder / "order.csv"), streams)
    epoch = map(heaviest, zip(*(batches_of(of_rank[0]) for of_rank in alone)))
    lines = differences("epoch's batch", without_rows(list(epoch), streams), order)
    for number, ran in enumerate(zip(*measured), 1):
        path = folder / f"run-{number}.csv"
        batches = map(heaviest, zip(*map(batches_of, ran)))
        planned = [order[iteration] for iteration in iterations_in(path)]
        lines += differences(f"{path.name}'s batch", without_rows(list(batches), streams), planned)
    starts = len(list(folder.glob("run-?.csv")))
    if {len(of_rank) for of_rank in measured} != {starts}:
        lines.append(f"the job trained {list(map(len, measured))} times, run-N.csv: {starts}")
    return lines


# --- a job ----------------------------------------------------------------------------------------


def start(words, log, said):
    """Runs a command with the python3 of this environment first on PATH. Returns its seconds.

    What it prints goes to the files SAID.out and SAID.err.
    """
    log.unlink(missing_ok=True)
    variables = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "JOB_LOG": str(log),
        "SEQPOINT_COMPANION": str(ROOT / "python"),
    }
    began = time.perf_counter()
    with open(f"{said}.out", "wb") as out, open(f"{said}.err", "wb") as err:
        done = subprocess.run(
            words, env={**os.environ, **variables}, stdout=out, stderr=err, check=False
        )
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}, see {said}.err")
    return seconds


def try_job(program, name, parent, options):
    """Runs a job by `run` and by itself, unless FOLDER has both: (Result, differences)."""
    kept = parent / f"{name}.json"
    logs = parent / f"{name}-run.log", parent / f"{name}-epoch.log"
    if not kept.exists():
        date = datetime.datetime.now(datetime.timezone.utc)
        command = [program, "run", "-o", str(parent / name), *options, "--", *JOBS[name]]
        run_s = start(command, logs[0], parent / f"{name}-run")
        job_s = start(JOBS[name], logs[1], parent / f"{name}-epoch")
        facts = {"date": f"{date:%Y-%m-%d}", "run_s": f"{run_s:.1f}", "job_s": f"{job_s:.1f}"}
        kept.write_text(json.dumps(facts), encoding="utf-8")
    measured, alone = (processes_in(log, RANKS[name]) for log in logs)
    lines = compare(name, parent / name, alone, measured)
    facts = json.loads(kept.read_text(encoding="utf-8"))
    return result_of(name, parent / name, alone, measured, {**facts, "same": not lines}), lines


def result_of(name, folder, alone, measured, facts):
    projection = json.loads((folder / "projection.json").read_text(encoding="utf-8"))
    epoch = projection["configurations"][0]["metrics"]["runtime_s"]
    whole, steady = (sum(seconds for _, seconds in alone[0][0]), steady_part(alone[0][0]))
    return Result(
        job=name,
        date=facts["date"],
        batches=len(alone[0][0]),
        same=yes_or_no(facts["same"]),
        clocks=f"{clocks(folder, measured[0]):+.4f}",
        processes=len(measured[0]),
        executions=sum(map(len, measured[0])),
        projected_s=f"{epoch['value']:.2f}",
        low_s=f"{epoch['low']:.2f}",
        high_s=f"{epoch['high']:.2f}",
        epoch_s=f"{whole:.2f}",
        steady_s=f"{steady:.2f}",
        error=f"{epoch['value'] / steady - 1:+.4f}",
        inside=yes_or_no(epoch["low"] <= steady <= epoch["high"]),
        run_s=facts["run_s"],
        job_s=facts["job_s"],
    )


def yes_or_no(value):
    return "yes" if value else "no"


def clocks(folder, processes):
    """How much more `run` timed than the job, in the same executions."""
    ours = theirs = 0
    for number, process in enumerate(processes, 1):
        for row, (_, seconds) in zip(rows_of(folder / f"run-{number}.csv"), process):
            if not row.get("interrupted"):
                ours, theirs = ours + float(row["runtime_s"]), theirs + seconds
    return ours / theirs - 1


def try_jobs(program, names, parent, options, done=lambda results: None):
    """{job: Result} and {job: what went wrong}; `done` is called with the results after each."""
    parent.mkdir(parents=True, exist_ok=True)
    results, faults = {}, {}
    for name in names:
        print(f"==> {name}", flush=True)
        try:
            results[name], faults[name] = try_job(program, name, parent, options)
        except (RuntimeError, OSError, KeyError, ValueError) as error:
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
    parser.add_argument("--max-processes", default="6")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    names = options.jobs or list(JOBS)
    for name in names:
        if name not in JOBS:
            parser.error(f"{name}: choose from {', '.join(JOBS)}")
    results, faults = try_jobs(
        str(options.program.resolve()),
        names,
        options.folder.resolve(),
        ["--max-processes", options.max_processes],
        lambda so_far: options.csv and write(options.csv, so_far),
    )
    show(results.values())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
