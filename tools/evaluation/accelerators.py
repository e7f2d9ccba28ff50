#!/usr/bin/env python3
"""Intervals and verdicts on accelerators: RNN-T on A100, builds of nanoGPT on H100, GNMT on V100.

    python3 tools/evaluation/accelerators.py [--program FILE] [--only JOB] [-o FILE]

The program computes every figure from times in examples/data that were logged in several processes.
A process's measurements are drawn from its log (the draws are seeded). The ground truth is the time
of other processes for the same work. The logs do not contain the device's busy share: these jobs
are assumed to be device-bound.

Needs only Python 3.9.
"""
import argparse
import csv
import gzip
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from epochs import DATA, ROOT, in_parallel

ACCELERATORS = DATA / "accelerators"
FIELDS = (
    "job",
    "plan",
    "processes",
    "draws",
    "covered_pct",
    "lowest_pct",
    "half_width_pct",
    "rms_error_pct",
    "found_pct",
    "z_test_pct",
    "z_alike_pct",
    "promised_pct",
)


def read(path):
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


def write_run(path, shapes):
    header = ("iteration", "src_len", "batch_size")
    return write(path, header, [(i, *shape) for i, shape in enumerate(shapes)])


class Seqpoint:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        done = subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1):  # 1: a gate failed
            raise SystemExit(f"seqpoint {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def select(self, folder, shapes, *more):
        """The selection from a run of these (src_len, batch_size), in order."""
        write_run(folder / "run.csv", shapes)
        self.run("select", "-q", folder / "run.csv", *more, "-o", folder / "points.json")
        return json.loads((folder / "points.json").read_text())

    def points(self, folder, shapes, points):
        return self.select(folder, shapes, "--points", points)["points"]

    def project(self, folder, profiles, *more):
        """{name: configuration}, and the gates."""
        words = [word for name, path in profiles for word in ("--profile", f"{name}={path}")]
        found = json.loads(
            self.run(
                "project", "-qq", folder / "points.json", *words, "--json", "--allow-partial", *more
            )
        )
        return {c["name"]: c for c in found["configurations"]}, found.get("gates", [])


def profile(path, points, times, processes, repeats, draw):
    """The measurements of these processes: the given number of iterations of every point.

    times[process]: {shape: [(iteration, seconds)]}
    """
    rows = []
    for process in processes:
        for point in points:
            known = times[process][point["src_len"], point["batch_size"]]
            drawn = (
                draw.sample(known, repeats)
                if repeats <= len(known)
                else draw.choices(known, k=repeats)
            )
            rows += [(point["id"], iteration, process, 1, seconds) for iteration, seconds in drawn]
    return write(path, ("point", "iteration", "session", "device_busy", "runtime_s"), rows)


def by_shape(shapes, seconds):
    found = defaultdict(list)
    for iteration, (shape, time) in enumerate(zip(shapes, seconds)):
        found[shape].append((iteration, time))
    return found


class Tally:
    """Intervals compared with the times of other processes."""

    def __init__(self):
        self.held, self.widths, self.errors = [], [], []

    def add(self, metric, truths):
        for truth in truths:
            self.held.append(metric["low"] <= truth <= metric["high"])
            self.errors.append(metric["value"] / truth - 1)
        self.widths.append((metric["high"] - metric["low"]) / 2 / metric["value"])

    def covered(self):
        return 100 * statistics.fmean(self.held)

    def row(self, job, plan, processes, draws, lowest=None):
        rms = math.sqrt(statistics.fmean(error**2 for error in self.errors))
        return {
            "job": job,
            "plan": plan,
            "processes": processes,
            "draws": draws,
            "covered_pct": f"{self.covered():.1f}",
            "lowest_pct": f"{self.covered() if lowest is None else lowest:.1f}",
            "half_width_pct": f"{100 * statistics.fmean(self.widths):.3f}",
            "rms_error_pct": f"{100 * rms:.3f}",
        }


# --- RNN-T: three epochs of ten processes

RNNT_PLANS = (
    (8, 3, 1),
    (8, 3, 2),
    (8, 3, 3),
    (24, 1, 2),
)  # points, measurements in a process, processes
RNNT_DRAWS = 40  # of each epoch


def epochs_of_rnnt():
    """{epoch: {process: [(shape, seconds)]}}"""
    found = defaultdict(lambda: defaultdict(list))
    for row in read(ACCELERATORS / "rnnt-a100sxm4.csv.gz"):
        found[row["epoch"]][row["process"]].append(
            ((int(row["src_len"]), 1), float(row["runtime_s"]))
        )
    return found


def rnnt(program):
    rows = []
    for number, repeats, count in RNNT_PLANS:
        tally = Tally()
        for epoch, processes in epochs_of_rnnt().items():
            with tempfile.TemporaryDirectory() as name:
                folder, draw = Path(name), random.Random(f"{epoch} {number} {repeats} {count}")
                shapes = [shape for shape, _ in processes["1"]]
                points = program.points(folder, shapes, number)
                times = {p: by_shape(shapes, [s for _, s in of]) for p, of in processes.items()}
                chosen = [draw.sample(sorted(processes), count) for _ in range(RNNT_DRAWS)]
                files = [
                    (f"d{i}", profile(folder / f"d{i}.csv", points, times, of, repeats, draw))
                    for i, of in enumerate(chosen)
                ]
                found, _ = program.project(folder, files)
                for i, of in enumerate(chosen):
                    tally.add(
                        found[f"d{i}"]["metrics"]["runtime_s"],
                        [sum(s for _, s in processes[p]) for p in processes if p not in of],
                    )
        rows.append(tally.row("rnnt", f"{number} x {repeats}", count, 3 * RNNT_DRAWS))
    return rows


# --- nanoGPT: is the old build slower than the new one?

NANOGPT = {
    "2026-06-11_RecursiveFromBest": (0.36, 0.32),
    "2026-02-28_TransposeCopyBackward": (1 / 3, 1 / 3),
}
STAGES = ((896, 131072), (2048, 262144), (2048, 393216))  # longest sequence, tokens of a step
LAST, FIRST = 40, 30  # steps behind the stages, which are as the last; first ones that are left out
MEASURED, PROCESSES, NANOGPT_DRAWS = 40, 3, 240
Z_95 = statistics.NormalDist().inv_cdf(0.95)


def shape_of(step, of, parts):
    share = step / (of - LAST)
    stage = 0 if share <= parts[0] else 1 if share <= parts[0] + parts[1] else 2
    length, tokens = STAGES[stage]
    return length, tokens // length


def builds_of(record):
    """{build: {process: [(step, of, seconds)]}}"""
    found, before = defaultdict(lambda: defaultdict(list)), {}
    for row in read(ACCELERATORS / f"nanogpt-{record}.csv.gz"):
        key, step, time = (row["build"], row["run"]), int(row["step"]), float(row["train_time_ms"])
        if step > FIRST:
            found[row["build"]][row["run"]].append(
                (step, int(row["of"]), (time - before[key]) / 1000)
            )
        before[key] = time
    return found


def z_of(points, old, new):
    """By how many standard errors the old build is slower, by the processes' own means."""
    weights = {point["id"]: point["weight"] for point in points}

    def means(path):
        sums, counts = defaultdict(float), defaultdict(int)
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                sums[row["session"], row["point"]] += float(row["runtime_s"])
                counts[row["session"], row["point"]] += 1
        of = defaultdict(float)
        for (process, point), seconds in sums.items():
            of[process] += weights[point] * seconds / counts[process, point]
        return list(of.values())

    a, b = means(old), means(new)
    error = math.sqrt(statistics.variance(a) / len(a) + statistics.variance(b) / len(b))
    return (statistics.fmean(a) - statistics.fmean(b)) / error


def critical_of(equal):
    """The z that draws of equal builds exceed as often as the gate fails them."""
    fails = sum(failed for failed, _ in equal)
    return sorted((z for _, z in equal), reverse=True)[fails]


def verdicts(program, record, old, new):
    """[whether the gate failed, z] of each draw."""
    steps = next(iter(new.values()))
    shapes = [shape_of(step, of, NANOGPT[record]) for step, of, _ in steps]
    times = {}
    for build in (old, new):
        for process, of in build.items():
            times[process] = defaultdict(list)
            for step, last, seconds in of:
                times[process][shape_of(step, last, NANOGPT[record])].append(seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        points = program.points(folder, shapes, 8)
        places = by_shape(shapes, range(len(shapes)))
        for process, of in times.items():  # the run's own iterations of the shape, in turn
            times[process] = {
                shape: [
                    (places[shape][i % len(places[shape])][0], s) for i, s in enumerate(seconds)
                ]
                for shape, seconds in of.items()
            }

        def one(i):
            own = random.Random(f"{record} {i}")
            chosen_old = own.sample(sorted(old), PROCESSES)
            chosen_new = own.sample(sorted(set(new) - set(chosen_old)), PROCESSES)
            files = [
                ("new", profile(folder / f"new{i}.csv", points, times, chosen_new, MEASURED, own)),
                ("old", profile(folder / f"old{i}.csv", points, times, chosen_old, MEASURED, own)),
            ]
            _, gates = program.project(folder, files, "--baseline", "new", "--max-regression", "0")
            return gates[0]["verdict"] == "fail", z_of(points, files[1][1], files[0][1])

        return in_parallel(one, range(NANOGPT_DRAWS))


OLD_AGAINST_NEW = "old against new"


def percent(held):
    return f"{100 * statistics.fmean(held):.1f}"


def named(build, processes):
    return {f"{build}{run}": steps for run, steps in processes.items()}


def nanogpt(program):
    rows = []
    for record in NANOGPT:
        builds = builds_of(record)
        cases = [(OLD_AGAINST_NEW, named("old", builds["old"]), named("new", builds["new"]))]
        cases += [
            (f"halves of {build}", named(build, builds[build]), named(build, builds[build]))
            for build in builds
        ]
        drawn = {plan: verdicts(program, record, old, new) for plan, old, new in cases}
        halves = [
            draw for plan, draws in drawn.items() if plan != OLD_AGAINST_NEW for draw in draws
        ]
        critical = critical_of(halves)
        for plan, draws in drawn.items():
            rows.append(
                {
                    "job": f"nanogpt {record}",
                    "plan": plan,
                    "processes": PROCESSES,
                    "draws": NANOGPT_DRAWS,
                    "found_pct": percent(failed for failed, _ in draws),
                    "z_test_pct": percent(z > Z_95 for _, z in draws),
                    "z_alike_pct": percent(z > critical for _, z in draws),
                }
            )
    return rows


# --- GNMT: ten runs per system, with resampled batches --------------------------------------------

GNMT_PLANS = ((8, 1), (16, 2))
GNMT_DRAWS = 10  # of each system
GNMT_TARGETS = 3  # runs that each is projected for


def runs_of_gnmt(path):
    """{run: [(shape, seconds)]}"""
    found = defaultdict(list)
    for row in read(path):
        found[row["run"]].append(((int(row["src_len"]), 1), float(row["runtime_s"])))
    return found


def nearest(times, length):
    """A process's time at this length, or at the nearest one in its own batches."""
    return times[min(times, key=lambda shape: (abs(shape[0] - length), shape))]


def gnmt_of_system(program, path, number, repeats, count):
    """Tallies: another run's mean, another run's total, the projection for its lengths."""
    means, totals, runs = Tally(), Tally(), runs_of_gnmt(path)
    times = {run: by_shape(*zip(*of)) for run, of in runs.items()}
    draw = random.Random(f"{path.name} {number} {repeats} {count}")
    for _ in range(GNMT_DRAWS):
        first, *others = draw.sample(sorted(runs), count)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            points = program.points(folder, [shape for shape, _ in runs[first]], number)
            measured = {
                process: {
                    (point["src_len"], 1): at_iterations_of(
                        times[first][point["src_len"], 1],
                        nearest(times[process], point["src_len"]),
                    )
                    for point in points
                }
                for process in (first, *others)
            }
            file = profile(folder / "d.csv", points, measured, list(measured), repeats, draw)
            found, _ = program.project(folder, [("d", file)])
            rest = [run for run in sorted(runs) if run not in measured]
            means.add(
                found["d"]["metrics"]["runtime_s"],
                [len(runs[first]) * statistics.fmean(s for _, s in runs[run]) for run in rest],
            )
            for run in draw.sample(rest, GNMT_TARGETS):
                target = write_run(folder / "other.csv", [shape for shape, _ in runs[run]])
                found, _ = program.project(folder, [("d", file)], "--for", target)
                totals.add(found["d"]["metrics"]["runtime_s"], [sum(s for _, s in runs[run])])
    return means, totals


def at_iterations_of(places, own):
    """A process' own times at the iterations that the planned run has of the shape."""
    return [(places[i % len(places)][0], seconds) for i, (_, seconds) in enumerate(own)]


def joined(tallies):
    every = Tally()
    for one in tallies:
        every.held += one.held
        every.widths += one.widths
        every.errors += one.errors
    return every


def gnmt(program):
    systems = sorted(path for path in (DATA / "mlperf-gnmt" / "runs").glob("v0*.csv.gz"))
    rows = []
    for number, repeats in GNMT_PLANS:
        for count in (1, 2, 3):
            found = in_parallel(
                lambda path, n=number, r=repeats, c=count: gnmt_of_system(program, path, n, r, c),
                systems,
            )
            for job, tallies in zip(("gnmt, means of runs", "gnmt, for the run"), zip(*found)):
                lowest = min(one.covered() for one in tallies)
                draws = len(systems) * GNMT_DRAWS
                rows.append(joined(tallies).row(job, f"{number} x {repeats}", count, draws, lowest))
    return rows


# --- what select expects of the interval that project then states

PROMISE_DRAWS = 20  # of each epoch
CPU = sorted((DATA / "pytorch-cpu").glob("*.csv"))


def stated(program, folder, selection, times, processes, draw, busy):
    """The mean half-width that project states of what a plan measures, a share."""
    files = []
    for d in range(PROMISE_DRAWS):
        chosen, rows = draw.sample(sorted(times), processes), []
        for point in selection["points"]:
            for r in range(point["repeats"]):
                process = chosen[r % processes]
                iteration, seconds = draw.choice(
                    times[process][point["src_len"], point["batch_size"]]
                )
                rows.append((point["id"], iteration, process, busy, seconds))
        files.append(
            (
                f"d{d}",
                write(
                    folder / f"d{d}.csv",
                    ("point", "iteration", "session", "device_busy", "runtime_s"),
                    rows,
                ),
            )
        )
    found, _ = program.project(folder, files)
    metrics = [found[name]["metrics"]["runtime_s"] for name, _ in files]
    return statistics.fmean((m["high"] - m["low"]) / 2 / m["value"] for m in metrics)


def promise(program):
    cases = []
    for epoch, of in epochs_of_rnnt().items():
        shapes = [shape for shape, _ in of["1"]]
        times = {
            process: by_shape(shapes, [seconds for _, seconds in rows])
            for process, rows in of.items()
        }
        cases += [("rnnt", epoch, shapes, times, count) for count in (1, 2, 3)]
    for path in CPU:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        if "tgt_len" not in rows[0]:
            shapes = [(int(row["src_len"]), int(row["batch_size"])) for row in rows]
            cases.append(
                (
                    "cpu",
                    path.stem,
                    shapes,
                    {"0": by_shape(shapes, [float(row["single_s"]) for row in rows])},
                    1,
                )
            )

    def one(case):
        job, name, shapes, times, count = case
        with tempfile.TemporaryDirectory() as folder:
            more = ("--between-processes", "0.25%") if job == "rnnt" else ()
            selection = program.select(Path(folder), shapes, "--processes", count, *more)
            promised = selection["method"]["repeats"]["half_width_pct"]
            return promised, 100 * stated(
                program,
                Path(folder),
                selection,
                times,
                count,
                random.Random(f"{name} {count}"),
                int(job == "rnnt"),
            )

    found, rows = list(zip(cases, in_parallel(one, cases))), []
    for job, count in dict.fromkeys((case[0], case[4]) for case, _ in found):
        of = [pair for case, pair in found if (case[0], case[4]) == (job, count)]
        promised, half = (statistics.fmean(column) for column in zip(*of))
        rows.append(
            {
                "job": f"promise {job}",
                "plan": "as select says",
                "processes": count,
                "draws": PROMISE_DRAWS * len(of),
                "half_width_pct": f"{half:.3f}",
                "promised_pct": f"{promised:.3f}",
            }
        )
    return rows


JOBS = {"rnnt": rnnt, "nanogpt": nanogpt, "gnmt": gnmt, "promise": promise}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
    )
    parser.add_argument("--only", choices=JOBS)
    parser.add_argument("-o", dest="out", type=Path, metavar="FILE")
    options = parser.parse_args()
    program, rows = Seqpoint(options.program.resolve()), []
    for name in [options.only] if options.only else JOBS:
        for row in JOBS[name](program):
            rows.append(row)
            print(
                ", ".join(f"{key} {value}" for key, value in row.items()),
                file=sys.stderr,
                flush=True,
            )
    if options.out:
        write(options.out, FIELDS, [[row.get(field, "") for field in FIELDS] for row in rows])


if __name__ == "__main__":
    main()
