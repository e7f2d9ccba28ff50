#!/usr/bin/env python3
"""Every damaged input file gives a result or an error of the command that reads it:

  tests/mutations/run.py PROGRAM [--sample N] [--only TEXT]

Every key of every JSON file, and every column and cell of every table, is deleted, emptied, given
another type, negated and made huge, one at a time; every command that reads the file is run on it.
A crash, an internal error, an endless run and an error that does not name the file are faults.
--sample: N runs, drawn by a fixed seed; else all.
"""
import argparse
import copy
import json
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

SECONDS = 60
WELL = {0, 1, 2, 3}  # done, a gate failed, usage, input

MAKE = """
set -euo pipefail
seq 3 3 60 | sed 's/.*/{"duration": &}/' >train.jsonl
seqpoint scan train.jsonl --batch-size 2 --epochs 3 --sampler pytorch --seed 1 -q -o run.csv
seqpoint scan train.jsonl --batch-size 2 --epochs 3 --sampler pytorch --seed 1 --rows -q \
  -o order.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "runtime_s"; next }
  { print $0, 0.1 + 0.0005 * $2 + NR % 3 * 0.001 }' run.csv >timed.csv
head -15 timed.csv >log.csv
seqpoint select train.jsonl --batch-size 2 --epochs 3 --sampler pytorch --seed 1 --points 4 \
  --parts 2 -q -o phases.json
seqpoint select train.jsonl --batch-size 2 --epochs 3 --sampler pytorch --seed 1 --points 4 -q \
  -o points.json
seqpoint scan train.jsonl --batch-size 2 --sampler sorted --rows -q -o sorted.csv
{ echo point,runtime_s,iteration,session,rank,selection
  for p in 1 2 3 4; do for r in 1 2; do echo "sp$p,0.$((p + 1))0$r,,a,0,"; done; done
} | cut -d, -f1,2 >v1.csv
awk -F, -v OFS=, 'NR > 1 { $2 *= 1.1 } 1' v1.csv >v2.csv
seqpoint project points.json --profile v1=v1.csv --profile v2=v2.csv --max-regression 50% -q \
  -o projection.json >/dev/null
seqpoint plan points.json -o plan -q
cp plan/rows.txt rows.txt
awk 'function event(name, kind, ts, dur, more) {
    printf "%s{\\"name\\": \\"%s\\", \\"cat\\": \\"%s\\", ", comma, name, kind
    printf "\\"ph\\": \\"X\\", \\"pid\\": 1, \\"tid\\": 1, "
    printf "\\"ts\\": %d, \\"dur\\": %d%s}", ts, dur, more
    comma = ", " }
  BEGIN { printf "{\\"traceEvents\\": ["
    for (i = 0; i < 14; ++i) {
      event("ProfilerStep#" i, "user_annotation", 1000 * i, 100 + i)
      args = ", \\"args\\": {\\"correlation\\": " i + 1
      event("cudaLaunchKernel", "cuda_runtime", 1000 * i + 10, 5, args "}")
      event("gemm", "kernel", 1000 * i + 20, 50, args ", \\"stream\\": 7}") }
    print "]}" }' >trace.json
printf 'category,pattern\\nmatrix,gemm\\nrest,.\\n' >categories.csv
"""

# file: the commands that read it
READERS = {
    "points.json": [
        "project points.json --profile v1=v1.csv --json",
        "plan points.json -o new",
        "plan points.json -o new --preflight --dry-run",
        "project phases.json --profile v1=v1.csv --for points.json",
    ],
    "phases.json": ["project phases.json --profile v1=v1.csv --json", "plan phases.json -o new"],
    "projection.json": [
        (
            "project points.json --profile v1=v1.csv --against projection.json --max-regression "
            "5% --export junit=junit.xml --json"
        )
    ],
    "rows.txt": ["project points.json --profile v1=trace.json --map rows.txt"],
    "trace.json": [
        "inspect trace.json --json",
        (
            "project points.json --profile v1=trace.json --map rows.txt --by category "
            "--categories categories.csv"
        ),
    ],
    "timed.csv": [
        "select timed.csv --points 3 --metric runtime_s",
        "select run.csv --budget 3s --timings timed.csv",
        "evaluate v1=timed.csv --draws 2",
        "scan --summary timed.csv --json",
        "project points.json --profile v1=v1.csv --for timed.csv",
        "select timed.csv --parts 2 --method bins",
    ],
    "order.csv": [
        "select train.jsonl --sampler recorded:order=order.csv --points 3",
        "scan --summary train.jsonl --sampler recorded:order=order.csv --json",
        "select order.csv --points 3",
    ],
    "v1.csv": [
        (
            "project points.json --profile v1=v1.csv --profile v2=v2.csv --max-regression 5% "
            "--json --export markdown=table.md"
        ),
        "inspect v1.csv --json",
    ],
    "categories.csv": [
        (
            "project points.json --profile v1=trace.json --map rows.txt --by category "
            "--categories categories.csv"
        )
    ],
}

DELETED = object()
HUGE = 1e308
VALUES = [
    DELETED,
    None,
    "",
    "x" * 50,
    0,
    -1,
    1,
    0.5,
    -0.5,
    2**31,
    2**63,
    2**64 - 1,
    HUGE,
    -HUGE,
    1e-320,
    True,
    [],
    {},
    [[]],
    [None],
    {"x": 1},
]
CELLS = [
    DELETED,
    "",
    "x",
    "0",
    "-1",
    "0.5",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e308",
    "-1e308",
    "1e-320",
    "inf",
    "nan",
    '"',
    "sp1",
    "1;2",
]


def paths(value, at=()):
    """Paths of every key; of a list, the first and the last element."""
    if at:
        yield at
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*at, key))
    elif isinstance(value, list):
        for i in sorted({0, len(value) - 1} if value else ()):
            yield from paths(value[i], (*at, i))


def mutated_json(text):
    document = json.loads(text)
    for key in ("digest", "selection"):  # of what the file says, which it would not fit any more
        document.pop(key, None)
    for path in paths(document):
        for value in [*VALUES, "negated", "twice"]:
            changed = copy.deepcopy(document)
            place = changed
            for key in path[:-1]:
                place = place[key]
            there = place[path[-1]]
            if value is DELETED:
                del place[path[-1]]
            elif value in ("negated", "twice"):
                if isinstance(there, bool) or not isinstance(there, (int, float, list)):
                    continue
                place[path[-1]] = (
                    2 * there
                    if value == "twice"
                    else there[::-1]
                    if isinstance(there, list)
                    else -there
                )
            else:
                place[path[-1]] = value
            yield (
                f"{'.'.join(map(str, path))}: {'deleted' if value is DELETED else repr(value)[:20]}"
            ), json.dumps(changed)


def mutated_table(text, separator):
    rows = [line.split(separator) for line in text.splitlines()]

    def table(changed):
        return "\n".join(separator.join(row) for row in changed) + "\n"

    for column in range(len(rows[0])):
        yield f"column {column} deleted", table([row[:column] + row[column + 1 :] for row in rows])
        yield f"column {column} twice", table([row + [row[column]] for row in rows])
        for row in sorted({0, 1, len(rows) - 1}):
            for value in CELLS:
                changed = copy.deepcopy(rows)
                changed[row][column : column + 1] = [] if value is DELETED else [value]
                done = "deleted" if value is DELETED else value
                yield f"row {row}, column {column}: {done}", table(changed)
        for value in CELLS[1:]:
            yield f"column {column}: {value}", table(
                [rows[0]] + [row[:column] + [value] + row[column + 1 :] for row in rows[1:]]
            )
    for count in (0, 1, 2):
        yield f"{count} rows", table(rows[:count]) if count else ""
    yield "rows reversed", table([rows[0]] + rows[:0:-1])
    yield "rows twice", table(rows + rows[1:])
    yield "half a row", text[: len(text) * 2 // 3]


def mutations(folder):
    """(file, what was done to it, its text, command)"""
    for name, commands in READERS.items():
        text = (folder / name).read_text()
        made = (
            mutated_json(text)
            if name.endswith(".json")
            else mutated_table(text, "\t" if name.endswith(".tsv") else ",")
        )
        for what, changed in made:
            for command in commands:
                yield name, what, changed, command


def fault_of(program, base, mutation):
    name, what, text, command = mutation
    with tempfile.TemporaryDirectory() as sandbox:
        for path in base.iterdir():
            if path.is_file():
                (Path(sandbox) / path.name).symlink_to(path)
        (Path(sandbox) / name).unlink()
        (Path(sandbox) / name).write_text(text)
        try:
            done = subprocess.run(
                [program, *command.split()],
                cwd=sandbox,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{name}, {what}: `seqpoint {command}` takes more than {SECONDS} s"
    said = done.stderr[-300:]
    if done.returncode not in WELL:
        return f"{name}, {what}: `seqpoint {command}` ends with {done.returncode}: {said}"
    if done.returncode == 3 and not any(
        f"error: {file}" in done.stderr for file in [*READERS, "train.jsonl", "run.csv", "v2.csv"]
    ):
        return f"{name}, {what}: `seqpoint {command}` names no file: {said}"
    if done.returncode in (2, 3) and "error:" not in done.stderr:
        return f"{name}, {what}: `seqpoint {command}` ends with {done.returncode} and says nothing"
    echoed = what.endswith((" nan", " inf"))
    if not echoed and any(
        word in done.stdout.lower() for word in ("nan,", ": nan", " nan ", ": inf", " inf ")
    ):
        return f"{name}, {what}: `seqpoint {command}` writes what is no number"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    with tempfile.TemporaryDirectory() as sandbox:
        base = Path(sandbox)
        subprocess.run(
            ["bash", "-c", f'seqpoint() {{ "{program}" "$@"; }}\n{MAKE}'], cwd=base, check=True
        )
        for commands in READERS.values():  # without a mutation they do their work
            for command in commands:
                done = subprocess.run(
                    [program, *command.split()],
                    cwd=base,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode in (0, 1), (command, done.stderr)
                subprocess.run(["rm", "-rf", base / "new"], check=True)
        chosen = [m for m in mutations(base) if args.only in f"{m[0]}, {m[1]}: {m[3]}"]
        everything = len(chosen)
        if args.sample:
            chosen = random.Random(1).sample(chosen, min(args.sample, everything))
        with ThreadPoolExecutor(cpu_count()) as pool:
            faults = [
                fault for fault in pool.map(lambda m: fault_of(program, base, m), chosen) if fault
            ]
    print(*faults, sep="\n")
    print(f"{len(chosen)} of {everything} mutations, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
