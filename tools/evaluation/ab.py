#!/usr/bin/env python3
"""How often does a gate of 5 % fail for two equal builds, and how large a regression does it find?

    python3 tools/evaluation/ab.py measure --program build/release/seqpoint --raw FOLDER
        [--only JOB]
    python3 tools/evaluation/ab.py project --program build/release/seqpoint --raw FOLDER
        -o tools/evaluation/ab.csv

Every job of the field trial (field.py; the same FOLDER) runs its plan in six processes, three for
side A and three for side B, in the order A B B A A B. Both sides are the same program. `project`
gates one side against the other with --max-regression 5%, from one, two and three processes per
side. It does so again after multiplying all times of the second side.

Takes about 15 minutes of a machine of two cores that does nothing else. Needs Python 3.9 with
PyTorch.
"""
import contextlib
import csv
import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import field
from epochs import in_parallel
from peak_memory import write_table

TURNS = "ABBAAB"
COLUMNS = {"broken": "fail", "inconclusive": "inconclusive", "holds": "pass"}  # of ab.csv: verdicts
GATE = 0.05
# A regression is one of these: those around the gate, and those that nobody misses.
REGRESSIONS = (0, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def measure(job, folder, condition, out):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    count = dict.fromkeys("AB", 0)
    with field.load(
        len(field.JOBS) + field.JOBS.index(job), folder
    ) if condition == "load" else contextlib.nullcontext():
        for side in TURNS:
            record = out / f"{side}-{count[side]}.csv"
            field.succeed(
                sys.executable,
                field.SCRIPT,
                job.name,
                folder,
                "--record",
                record,
                "--process",
                count[side],
                env=environment,
            )
            count[side] += 1
    field.compress(out)


def verdict_of(program, points, a, b):
    """The gate's verdict on B against A, both lists of profiles."""
    profiles = [
        word
        for name, of in (("A", a), ("B", b))
        for path in of
        for word in ("--profile", f"{name}={path}")
    ]
    done = subprocess.run(
        [
            program,
            "project",
            "-q",
            points,
            *profiles,
            "--metric",
            "runtime_s",
            "--max-regression",
            str(GATE),
            "--on-inconclusive",
            "pass",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["gates"][0]["verdict"]


def slower(path, by, folder):
    """The profile with all times multiplied by 1 + `by`."""
    if by == 0:
        return path
    out = folder / f"{path.name[:-len('.csv.gz')]}-{by}.csv"
    if not out.exists():
        with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["runtime_s"] = repr(float(row["runtime_s"]) * (1 + by))
        write_table(out, rows)
    return out


def rows_of(program, folder, scratch):
    rows, made = [], scratch / folder.parent.name / folder.name
    made.mkdir(parents=True)
    for count in field.COUNTS:
        sides = [
            [
                [folder / f"{side}-{n}.csv.gz" for n in of]
                for of in itertools.combinations(range(field.PROCESSES), count)
            ]
            for side in "AB"
        ]
        for regression in REGRESSIONS:
            found = [
                verdict_of(
                    program,
                    folder.parent / "points.json",
                    a,
                    [slower(path, regression, made) for path in b],
                )
                for a, b in itertools.product(*sides)
            ]
            rows.append(
                {
                    "job": folder.parent.name,
                    "condition": folder.name[len("ab-") :],
                    "processes": count,
                    "regression": regression,
                    "draws": len(found),
                    **{column: found.count(verdict) for column, verdict in COLUMNS.items()},
                }
            )
    return rows


# --- results --------------------------------------------------------------------------------------


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shares(rows, condition, processes):
    """{regression: (broken, inconclusive) as shares of draws}; draws too."""
    found, draws = {}, 0
    for regression in REGRESSIONS:
        of = [
            row
            for row in rows
            if (row["condition"], int(row["processes"]), float(row["regression"]))
            == (condition, processes, regression)
        ]
        draws = sum(int(row["draws"]) for row in of)
        found[regression] = tuple(
            sum(int(row[verdict]) for row in of) / draws for verdict in ("broken", "inconclusive")
        )
    return found, draws


def found_in(of, share=0.8):
    """The smallest regression that this share of draws finds, by linear interpolation.

    None if not even the largest regression that was tried is found so often.
    """
    for low, high in zip(REGRESSIONS, REGRESSIONS[1:]):
        (below, _), (above, _) = of[low], of[high]
        if below < share <= above:
            return low + (high - low) * (share - below) / (above - below)
    return None


def summaries(rows):
    """A row for each condition and number of processes a side."""
    for condition in field.CONDITIONS:
        for processes in field.COUNTS:
            of, draws = shares(rows, condition, processes)
            yield condition, processes, draws, *of[0], found_in(of)


def report(rows):
    for condition, processes, draws, broken, inconclusive, found in summaries(rows):
        print(
            f"{condition:6} {processes} a side: of {draws} draws {100 * broken:.1f} % fail, "
            f"{100 * inconclusive:.1f} % are inconclusive; 80 % find "
            + (f"+{100 * found:.0f} %" if found else f"none up to +{100 * REGRESSIONS[-1]:.0f} %")
        )


def folders_of(options):
    return [
        options.raw.resolve() / job.name / f"ab-{condition}"
        for job in field.jobs_of(options)
        for condition in field.CONDITIONS
    ]


def measure_all(options):
    field.measure_each(options, lambda condition: f"ab-{condition}", measure)


def project_all(options):
    with tempfile.TemporaryDirectory() as scratch:
        found = in_parallel(
            lambda of: rows_of(options.program.resolve(), of, Path(scratch)),
            [of for of in folders_of(options) if of.exists()],
        )
    rows = list(itertools.chain.from_iterable(found))
    report(rows)
    if options.out:
        write_table(options.out, rows)


if __name__ == "__main__":
    field.main(__doc__, measure_all, project_all)
