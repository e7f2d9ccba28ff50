"""Do intervals cover the truth if a point is missing, and for runs other than the points' own?"""
import csv
import json
import random
from pathlib import Path

from epochs import MEASURES, in_parallel

DRAWS = 20
POINTS = (8, 15)
# Name, the part of the epoch that points are selected from, the part that is projected. The parts
# are functions of rows in order of size.
TARGETS = {
    "one point missing": (lambda rows, rng: rows, None),
    "its longest 30 %": (lambda rows, rng: rows, lambda rows, rng: rows[-(3 * len(rows) // 10) :]),
    "its shortest half": (lambda rows, rng: rows, lambda rows, rng: rows[: len(rows) // 2]),
    "a random half": (
        lambda rows, rng: rows,
        lambda rows, rng: [r for r in rows if rng.random() < 0.5],
    ),
    "the longest 30 % from points of the rest": (
        lambda rows, rng: rows[: -(3 * len(rows) // 10)],
        lambda rows, rng: rows[-(3 * len(rows) // 10) :],
    ),
}
LENGTHS = ("src_len", "tgt_len", "batch_size")


def size_of(row):
    return (int(row["src_len"]) + int(row.get("tgt_len", 0))) * int(row["batch_size"])


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, columns, rows):
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_trace(path, rows):
    columns = ["iteration", *(c for c in LENGTHS if c in rows[0])]
    write_csv(path, columns, [{**row, "iteration": i} for i, row in enumerate(rows)])


def results(program, network, folder):
    """[(target, held, half-width, error)] of one network, one measurement a point, draw by draw."""
    found = []
    for configuration, trace in network.traces:
        rows = sorted(rows_of(trace), key=size_of)
        for target, (selected_from, projected) in TARGETS.items():
            for size in POINTS:
                rng = random.Random(f"{network.name} {target} {size}")
                here = (
                    Path(folder)
                    / f"{network.name}-{configuration}-{size}-{list(TARGETS).index(target)}"
                )
                here.mkdir(parents=True, exist_ok=True)
                base = selected_from(rows, rng)
                other = projected(rows, rng) if projected else base
                found += of_target(
                    program, here, target, base, other, projected is not None, size, rng
                )
    return found


def of_target(program, here, target, base, other, onto, size, rng):
    write_trace(here / "base.csv", base)
    write_trace(here / "other.csv", other)
    program.run("select", "-q", here / "base.csv", "--points", size, "-o", here / "points.json")
    selected = json.loads((here / "points.json").read_text())["points"]
    keys = [k for k in LENGTHS if k in base[0]]
    occurrences = {}
    for row in base:
        occurrences.setdefault(tuple(int(row[k]) for k in keys), []).append(row)
    profiles = []
    for draw in range(DRAWS):
        lost = int(rng.random() * len(selected)) if target == "one point missing" else -1
        measured = []
        for p, point in enumerate(selected):
            rows = occurrences[tuple(point[k] for k in keys)]
            row = rows[int(rng.random() * len(rows))]
            if p != lost:
                measured.append({"point": point["id"], **{m: row[m] for m in MEASURES}})
        write_csv(here / f"{draw}.csv", ["point", *MEASURES], measured)
        profiles += ["--profile", f"{draw}={here / f'{draw}.csv'}"]
    aim = ["--for", here / "other.csv"] if onto else []
    projection = json.loads(
        program.run(
            "project",
            "-q",
            here / "points.json",
            *profiles,
            *aim,
            "--metric",
            "all",
            "--json",
            "--allow-partial",
        )
    )
    found = []
    for measure in MEASURES:
        truth = sum(float(row[measure]) for row in other)
        for one in projection["configurations"]:
            metric = one["metrics"][measure]
            if metric.get("low") is None:
                found.append((target, None, None, metric["value"] / truth - 1))
                continue
            held = metric["low"] <= truth <= metric["high"]
            found.append(
                (
                    target,
                    held,
                    (metric["high"] - metric["low"]) / 2 / metric["value"],
                    metric["value"] / truth - 1,
                )
            )
    return found


def table(program, networks, folder):
    """{target: (coverage, median half-width, median and RMS error, draws, draws without one)}

    A draw without one has no interval.
    """
    rows = [
        row
        for found in in_parallel(lambda n: results(program, n, folder), networks)
        for row in found
    ]
    out = {}
    for target in TARGETS:
        of = [row for row in rows if row[0] == target]
        stated = [row for row in of if row[1] is not None]
        widths, missed = sorted(row[2] for row in stated), sorted(abs(row[3]) for row in of)
        out[target] = (
            sum(row[1] for row in stated) / len(stated),
            widths[len(widths) // 2],
            missed[len(missed) // 2],
            (sum(row[3] ** 2 for row in of) / len(of)) ** 0.5,
            len(of),
            len(of) - len(stated),
        )
    return out
