"""All output of `select` and `project`, with any options, is read again without a warning:

    read_back.py PROGRAM [--seeds N]

Points of every method, in phases or not, from manifests and from traces, go to `plan`. Each seed
draws a kind of run, configurations, columns, points that are missing, and options. The projection,
and one that is compared with it, go to --against.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

from profiles import Table, profile_of, trace_of
from situations import KINDS, Situations, write

FURTHER = {
    "energy_j": lambda rng, row: row["runtime_s"] * 250 * rng.gauss(1, 0.01),
    "instructions": lambda rng, row: int(row["runtime_s"] * 3e9),
    "cycles": lambda rng, row: int(row["runtime_s"] * 2e9),
    "peak_bytes": lambda rng, row: 2**30 + rng.randrange(2**20),
    "change_j": lambda rng, row: rng.gauss(0, 1),  # of either sign
}
METHODS = (
    "--points 3",
    "--points 1",
    "--max-error 3%",
    "--budget 7",
    "--budget 3s --timings timed.csv",
    "--method kmeans --points 4",
    "--method bins --points 7",
    "--method bins --max-error 2%",
    "--method random --points 6",
    "--method prior --window 7",
    "--method frequent",
    "--method median",
    "--method worst",
)

# Each with its probability; options of columns besides the time apply if there are any.
OPTIONS = [
    (0.3, "--median"),
    (0.15, "--epoch-overhead 0.2 --cold-start-cost 0.001"),
    (0.15, "--epoch-overhead 100"),
    (0.15, "--confidence 50%"),
    (0.1, "--confidence 99.9999%"),
]
OF_COLUMNS = [
    (0.6, "--rate ipc=instructions/cycles"),
    (0.4, "--aggregate peak_bytes=max"),
    (0.3, "--aggregate energy_j=rate"),
    (0.2, "--metric energy_j"),
]
GATES = [
    (0.25, "--max-regression 1%"),
    (0.25, "--max-regression 60%"),
    (0.5, "--require-weight 90%"),
    (0.3, "--strict"),
]


def drawn(rng, options):
    """The options as words; none occurs twice."""
    words = []
    for share, text in options:
        if rng.random() < share and text.split()[0] not in words:
            words += text.split()
    return words


def numbered(table):
    """By numbers of the run's own."""
    for place, row in enumerate(table.rows):
        row["iteration"] = 1000 + 3 * place
    table.columns = ["iteration", *[column for column in table.columns if column != "iteration"]]
    return table


def read_selections(run, situations):
    """How many there were, and how many of them were not read."""
    made, refused = 0, 0
    for kind in KINDS:
        situation = situations.get(kind)
        files = dict(situation.manifests) | {
            "timed.csv": trace_of(situation, "v1"),
            "run.csv": numbered(trace_of(situation, "v1")),
        }
        layout = ["--shape", "varlen"] if kind == "varlen" else []
        for inputs, options in ((situation.inputs, situation.run_options), (["run.csv"], layout)):
            for method in METHODS:
                for phases in ("", "--parts 3"):
                    select = (
                        "select",
                        *inputs,
                        *options,
                        *method.split(),
                        *phases.split(),
                        "-o",
                        "points.json",
                    )
                    outcome = run(files, select, [("plan", "points.json", "--dry-run")])
                    made += outcome != "not made"
                    refused += outcome == "refused"
    return made, refused


def measured(rng, situation, name, further, missing):
    table = profile_of(
        situation, "companion", name, rng.random(), noise=rng.choice([0.0001, 0.01, 0.2])
    )
    for column in FURTHER if further else ():
        table.add_column(column, lambda row, value=FURTHER[column]: value(rng, row))
    gone = (
        rng.sample(situation.point_ids, rng.randrange(len(situation.point_ids))) if missing else []
    )
    table.rows = [row for row in table.rows if row["point"] not in gone]
    return table


def draw(rng, situations):
    """Files, and the arguments of `project` without gates."""
    kind = rng.choice(list(KINDS))
    situation = situations.get(kind, rng.choice(["own", "more points", "another method"]))
    files, argv = {"points.json": situation.points}, ["project", "points.json"]
    names, further, missing = (
        ["v1", "v2", "v3"][: rng.choice([1, 2, 2, 3])],
        rng.random() < 0.5,
        rng.random() < 0.4,
    )
    for name in names:
        files[f"{name}.csv"] = measured(rng, situation, name, further, missing)
        argv += ["--profile", f"{name}={name}.csv"]
    argv += drawn(rng, OPTIONS) + (drawn(rng, OF_COLUMNS) if further else [])
    argv += ["--baseline", names[-1]] if rng.random() < 0.3 else []
    if rng.random() < 0.3:
        other = situations.get(kind, "reshuffled")
        files["target.csv"] = Table(
            [dict(row) for row in other.trace_rows], list(other.trace_columns)
        )
        argv += ["--for", "target.csv"]
    return files, argv


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=400)
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())

    def run(files, make, calls):
        """`make`, and what reads what it made: whether that was read."""
        with tempfile.TemporaryDirectory() as folder:

            def call(arguments):
                return subprocess.run(
                    [program, *arguments, "-q"],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=False,
                )

            write(folder, files)
            if call(make).returncode not in (0, 1):
                return "not made"  # what the options ask for is not there
            for arguments in calls:
                done = call(arguments)
                if done.returncode not in (0, 1):
                    print(f"{' '.join(make)}: {' '.join(arguments)}: {done.stderr.strip()}")
                    return "refused"
        return "read"

    situations = Situations(program)
    selections, refused = read_selections(run, situations)
    projections = 0
    for seed in range(asked.seeds):
        rng = random.Random(seed)
        files, argv = draw(rng, situations)
        outcome = run(
            files,
            (*argv, *drawn(rng, GATES), "-o", "first.json"),
            [(*argv, "--max-regression", "25%", "--against", "first.json", "-o", "second.json")],
        )
        projections += outcome != "not made"
        refused += outcome == "refused"
    print(f"{selections} selections and {projections} projections, {refused} of them not read")
    return 1 if refused or selections < 200 or projections < asked.seeds // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
