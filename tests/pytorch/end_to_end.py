"""From lengths to a projection, with a training job that really runs:

    end_to_end.py EXE SOURCE_DIR

A small network is trained for an epoch on the lengths of an eighth of Multi30k, and every iteration
is timed. Points are selected from the lengths alone and planned. Another process runs only the
points, through the companion and through the small manifest, and their projection is compared with
the epoch. Times on a shared machine vary, so they are printed and checked with wide limits. Orders,
calls of operators and a noise-free cost are checked exactly.

Exit status 77 (skipped) if PyTorch cannot be imported.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time

try:
    import torch  # noqa: F401  only to check that it is installed: jobs are own processes
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

EXE, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
JOB = os.path.join(SOURCE, "tests", "pytorch", "job.py")
EVERY, POINTS, REPEATS = 8, 6, 2
BATCHING = ["--sampler", "pytorch:generator-seed=1", "--batch-size", "16"]
# Largest allowed ratio of the projected and the epoch's processor time, and its inverse. The two
# processes ran one after the other, and other load on the second thread of their core makes either
# of them twice as slow.
GENEROUS = 3
# The same for a noise-free cost that is a product of lengths: tools/evaluation/README.md has 0.1 to
# 1 % for such costs.
NOISELESS = 0.03


def seqpoint(*arguments):
    done = subprocess.run(
        [EXE, "-q", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"seqpoint {' '.join(map(str, arguments))}: {done.stderr}"
    return done.stdout


def job(*arguments, process=None):
    """Runs a training job; returns its time, including the start of the process."""
    begin = time.perf_counter()
    said = {} if process is None else {"SEQPOINT_PROCESS": str(process)}
    subprocess.run([sys.executable, JOB, *arguments], check=True, env={**os.environ, **said})
    return time.perf_counter() - begin


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def total(rows, column):
    return sum(float(row[column]) for row in rows if row.get("warmup", "0") == "0")


def take_lengths():
    for side in ("en", "de"):
        with open(
            os.path.join(SOURCE, "examples", "data", f"multi30k-train.{side}.len"), encoding="utf-8"
        ) as file:
            kept = file.readlines()[::EVERY]
        with open(f"train.{side}.len", "w", encoding="utf-8") as file:
            file.writelines(kept)


def the_same_orders(epoch):
    """Every batch of PyTorch has the predicted rows in the predicted order, and so the lengths."""
    seqpoint("scan", "train.en.len", "--tgt", "train.de.len", *BATCHING, "--rows", "-o", "scan.csv")
    predicted = table("scan.csv")
    assert len(predicted) == len(epoch), (len(predicted), len(epoch))
    for said, ran in zip(predicted, epoch):
        for column in ("iteration", "src_len", "tgt_len", "batch_size", "rows"):
            assert (
                said[column] == ran[column]
            ), f"iteration {ran['iteration']}: {column} {said[column]} said, {ran[column]} run"
    return len(epoch)


def steps_of(plan, process):
    return [step for step in plan["steps"] if step["process"] == process]


def the_plan_was_run(profiles, plan, repeats):
    """Each process ran its batches of the plan, row by row, with the warm-up batches.

    The first execution of each point is marked.
    """
    for process, profile in enumerate(profiles):
        planned = steps_of(plan, process)
        assert [row["rows"] for row in profile] == [
            " ".join(map(str, step["rows"])) for step in planned
        ]
        kind = (
            lambda step: "measured"
            if not step["warmup"]
            else "first"
            if "first" in step
            else "warm-up"
        )
        assert [(row["execution"], row["warmup"]) for row in profile] == [
            (kind(step), str(int(step["warmup"]))) for step in planned
        ]
        assert [row["point"] for row in profile] == [
            step["id"] if kind(step) != "warm-up" else "warm-up" for step in planned
        ]
        assert len({row["session"] for row in profile}) == 1
    assert (
        len({profile[0]["session"] for profile in profiles}) == len(profiles) == plan["processes"]
    )
    measured = [row["point"] for profile in profiles for row in profile if row["warmup"] == "0"]
    assert all(measured.count(point) == repeats for point in measured), measured


def the_trace_agrees_with_pytorch(steps, path):
    """Compares calls of all operators with PyTorch's counts, and times of those without callees.

    PyTorch writes whole microseconds. An operator may seem to begin a microsecond before its
    predecessor ends, and so to be called by it: calls may be off by one, and operators that take
    little more than a microsecond have no meaningful times. An operator that begins in its caller's
    microsecond and seems to end after it looks like the caller. If it was interrupted at that
    moment, that may be all of its time.
    """
    inspected = {}
    for step in steps:
        for operator in step["operators"]:
            calls, ns = inspected.get(operator["name"], (0, 0))
            inspected[operator["name"]] = calls + operator["count"], ns + operator["ns"]
    counted = timed = leaves_us = told_us = 0
    swapped = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            calls, self_us, all_us, name = line.rstrip("\n").split(" ", 3)
            if not name.startswith("aten::"):
                continue
            found_calls, found_ns = inspected.get(name, (0, 0))
            # The profiler's ranges have a few operators of their own, between steps.
            assert int(calls) - 6 * (len(steps) + 1) <= found_calls <= int(calls), (
                name,
                calls,
                found_calls,
            )
            counted += 1
            rounding_us = 5 + int(calls)
            if self_us == all_us and int(calls) == found_calls:
                if abs(found_ns / 1000 - float(self_us)) > rounding_us:
                    swapped.append((name, calls, self_us, found_ns))
                timed += 1
                leaves_us += float(self_us)
                told_us += float(self_us) if rounding_us < 0.2 * float(self_us) else 0
    assert len(swapped) <= 3, swapped
    assert counted > 20 and timed > 10 and told_us > 0.1 * leaves_us, (
        counted,
        timed,
        told_us,
        leaves_us,
    )
    return (
        f"{counted} operators have the calls and {timed} the times, {told_us / leaves_us:.0%} of "
        "which says something,"
    )


def projected(name, profiles, *options):
    """metric -> value, low, high of the whole run"""
    out = f"{name}.projection.json"
    seqpoint(
        "project",
        "points.json",
        "--metric",
        "all",
        *(word for profile in profiles for word in ("--profile", f"{name}={profile}")),
        *options,
        "-o",
        out,
        "--allow-partial",
    )
    with open(out, encoding="utf-8") as file:
        configuration = json.load(file)["configurations"][0]
    assert configuration["measured_weight"] == 1, configuration["measured_weight"]
    return configuration["metrics"]


def compare(what, metric, epoch, bound):
    truth, value = total(epoch, metric["column"]), metric["value"]
    error = value / truth - 1
    interval = (
        "no interval"
        if metric.get("low") is None
        else f"{metric['low']:.6g} to {metric['high']:.6g}"
    )
    print(
        f"  {what:28} {metric['column']:10} measured {truth:<12.6g} projected {value:<12.6g} "
        f"({interval}) error {100 * error:+.2f} %"
    )
    if bound is not None:
        assert (
            1 / bound <= value / truth <= bound
        ), f"{what}: {metric['column']} is off by {100 * error:.1f} %"


def compare_all(what, metrics, epoch):
    for column, bound in (
        ("runtime_s", None),
        ("cpu_s", GENEROUS),
        ("attention_ops", 1 + NOISELESS),
    ):
        compare(what, {**metrics[column], "column": column}, epoch, bound)


def main():
    take_lengths()
    manifests = ["train.en.len", "train.de.len"]
    whole_s = job("whole", *manifests, "epoch.csv")
    epoch = table("epoch.csv")
    print(f"{the_same_orders(epoch)} batches of the epoch are those that were predicted")

    seqpoint(
        "select",
        "train.en.len",
        "--tgt",
        "train.de.len",
        *BATCHING,
        "--points",
        POINTS,
        "-o",
        "points.json",
    )
    seqpoint("plan", "points.json", "--repeats", REPEATS, "-o", "plan")
    with open(os.path.join("plan", "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    processes, plan_json = range(plan["processes"]), os.path.join("plan", "plan.json")
    points = [f"points{n}.csv" for n in processes]
    points_s = sum(job("points", *manifests, points[n], plan_json, process=n) for n in processes)
    job("points", *manifests, "traced.csv", plan_json, "trace.json.gz", "sums.txt", process=0)
    profiles = [table(path) for path in points]
    the_plan_was_run(profiles, plan, REPEATS)
    print(f"{len(epoch)} iterations, {sum(map(len, profiles))} of them run:")
    compare_all("companion", projected("companion", points), epoch)
    # Profiling adds a third to the time of this job.
    compare(
        "PyTorch's profiler",
        {**projected("trace", ["trace.json.gz"])["runtime_s"], "column": "runtime_s"},
        epoch,
        None,
    )
    steps = json.loads(seqpoint("inspect", "trace.json.gz", "--json"))["steps"]
    kinds = [step["warmup"] for step in steps_of(plan, 0)]
    assert len(steps) == len(kinds[kinds.index(False) :]), len(
        steps
    )  # from the first measurement on, with the points' own warm-up
    print(f"  {the_trace_agrees_with_pytorch(steps, 'sums.txt')} that PyTorch says")
    measured_s = sum(total(table(path), "runtime_s") for path in points)
    print(
        f"time saved, processes from start to end: {whole_s:.1f} s / {points_s:.1f} s = "
        f"{whole_s / points_s:.1f}; in the loop: {total(epoch, 'runtime_s') / measured_s:.1f}"
    )


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
