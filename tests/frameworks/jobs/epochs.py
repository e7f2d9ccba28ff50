"""Twelve jobs of the frameworks themselves: what `seqpoint run` says of an epoch, beside the epoch.

    epochs.py SEQPOINT FOLDER [JOB...]

Each job gets one command, `seqpoint run -o FOLDER/JOB -- ...`; then its whole epoch is recorded.
Rows and lengths of the order are compared with those of the record and with what the job itself
wrote down. Prints a table; ends with 1 if an interval misses its epoch, or anything differs. The
jobs are in epochs/; they use the python3 that runs this file. It takes about an hour of one core,
and figures of a busy machine are those of a busy machine: it is no test that has to pass.
"""

import collections
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "epochs"
BIN = Path(sys.executable).parent
PROGRAMS = (
    "plain accumulating trainer in_lightning accelerated buckets stateful packed speech".split()
)
JOBS = {name: ["python3", f"{HERE}/{name}.py"] for name in PROGRAMS}
JOBS["two_ranks"] = ["torchrun", "--nproc_per_node", "2", f"{HERE}/two_ranks.py"]
JOBS["three_programs"] = ["bash", f"{HERE}/three_programs.sh"]
JOBS["make"] = ["make", "-f", f"{HERE}/Makefile", "train"]
COLUMNS = ("job", "batches", "epoch", "projected", "interval", "error", "inside", "same")

Result = collections.namedtuple("Result", COLUMNS)


def run(program, words, log=None):
    """Runs `seqpoint run` with the python3 of this environment first on PATH."""
    variables = {"PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONWARNINGS": "ignore"}
    if log is not None:
        variables["JOB_LOG"] = str(log)
    subprocess.run([program, "run", *words], env={**os.environ, **variables}, check=True)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def batches_in(path):
    """[(rows, lengths)] of an order or a record."""
    columns = ("rows", "src_len", "tgt_len", "batch_size")
    return [tuple(row.get(name) for name in columns) for row in rows_of(path)]


def shapes_in(path):
    """{(length, batch size): how often} of an order or a record."""
    rows = rows_of(path)
    return collections.Counter((int(row["src_len"]), int(row["batch_size"])) for row in rows)


def shapes_seen(log):
    """The same, as the job wrote them down in its own forward pass."""
    with open(log, encoding="utf-8") as file:
        shapes = [tuple(map(int, line.split())) for line in file]
    return collections.Counter((shape[1], shape[0]) for shape in shapes)


def is_same(folder, log, ranks):
    """Whether the order, the record and the job itself agree on all batches.

    Of several ranks an order has the longest batch of each iteration; the job wrote down all.
    """
    order, epoch = folder / "order.csv", folder / "run-epoch.csv"
    if batches_in(order) != batches_in(epoch):
        return False
    return ranks > 1 or shapes_in(order) == shapes_seen(log)


def result_of(job, folder, same):
    projection = json.loads((folder / "projection.json").read_text(encoding="utf-8"))
    truth = next(of for of in projection["truth"] if of["metric"] == "runtime_s")
    metric = projection["configurations"][0]["metrics"]["runtime_s"]
    return Result(
        job,
        str(len(rows_of(folder / "order.csv"))),
        f"{truth['measured']:.2f} s",
        f"{truth['projected']:.2f} s",
        f"{metric['low']:.2f} to {metric['high']:.2f} s",
        f"{100 * truth['difference']:+.1f} %",
        "yes" if truth["inside"] else "NO",
        "yes" if same else "NO",
    )


def try_job(program, name, parent):
    folder, log = parent / name, parent / f"{name}.log"
    run(program, ["-o", str(folder), "--", *JOBS[name]])
    run(program, ["--record", "--resume", str(folder)], log)
    return result_of(name, folder, is_same(folder, log, 2 if name == "two_ranks" else 1))


def show(results):
    table = [COLUMNS, *results]
    widths = [max(len(row[n]) for row in table) for n in range(len(COLUMNS))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    program, parent = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    parent.mkdir(parents=True, exist_ok=True)
    results = []
    for name in sys.argv[3:] or JOBS:
        print(f"==> {name}", flush=True)
        results.append(try_job(program, name, parent))
    show(results)
    return 1 if any("NO" in result for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
