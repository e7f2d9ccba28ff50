#!/usr/bin/env python3
"""How far is what `seqpoint run` says of jobs that keep a GPU busy from their whole epochs?

    python3 tools/evaluation/gpu.py measure --program .gpu/seqpoint --raw FOLDER --pack FILE
        [--seconds 540] [JOB...]
    python3 tools/evaluation/gpu.py report --program build/gcc/seqpoint --raw FOLDER
        --from examples/data/pytorch-h200-run/*.tar.gz -o tools/evaluation/gpu.csv

Jobs are unchanged (gpu_jobs.py) and are given to the front door, `seqpoint run -- python3
gpu_jobs.py JOB`. Processes of the plan and whole processes of the job alone take turns: one whole
process, two of the plan, one whole, a third of the plan, one whole. A whole process trains two
passes and times them by its own clock. The truth is the second pass, because projections are of
steady iterations, without validation, which `run` says by itself.

Gates compare two builds, `seqpoint run --max-regression 3% old=... new=...`. gate-JOB-EXTRA is a
gate where the new build of JOB does about that share of its work once more; gate-JOB-EXTRA-N
repeats it. truth-JOB-EXTRA trains whole processes of both builds: the true change.

`measure` needs a GPU. It resumes after an interruption, begins nothing that would end after
--seconds, and packs what there is into one file after each step; if --raw is not there it begins
with that of --from. `calibrate` runs one process with few points of each job, for a look at it.
`report` needs no GPU; gates are written beside the jobs, to gpu_gates.csv.

A job takes about five minutes of an H200, a gate one to two. gpu.csv has those that were measured.
Needs Python 3.9, to measure also PyTorch 2, transformers, accelerate and Lightning.
"""
import argparse
import csv
import io
import itertools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).resolve().with_name("gpu_jobs.py")
JOBS = ("conformer", "trainer", "lightning", "accelerate", "accumulating", "gnmt")
LIMIT = "3%"
# What is never reached, so that the number of processes is what is asked for.
PRECISION = ("--precision", "0.01%")
LONGEST_S = 180  # of a command
EXPECTED_S = {"run-2": 60, "run-3": 35, "gate": 120}  # of a step; a whole process:
WHOLE_S = 55
KEPT = (".csv", ".json", ".log", ".jsonl", ".err", ".txt")


# --- measuring ------------------------------------------------------------------------------------


def job_words(job, extra=None):
    return ["python3", str(SCRIPT), job, *([] if extra is None else ["--extra", str(extra)])]


def whole(name, job, extra=None):
    """A step: one process of the job alone. Its passes go to NAME.jsonl."""
    return name, job_words(job, extra), f"{name}.jsonl"


def plan_until(program, job, processes, *more):
    """A step: `run` until so many processes of the plan have run."""
    limit = ("--max-processes", str(processes), *PRECISION, *more)
    resume = ["--resume"] if processes > 2 else []
    command = [program, "run", "-o", "run", *resume, *limit, "--", *job_words(job)]
    return f"run-{processes}", command, None


def steps_of(program, job):
    return [
        whole("whole-1", job),
        plan_until(program, job, 2),
        whole("whole-2", job),
        plan_until(program, job, 3),
        whole("whole-3", job),
    ]


def gate(program, job, extra):
    builds = [
        f"{name}={' '.join(job_words(job, of))}" for name, of in (("old", 0.0), ("new", extra))
    ]
    limit = ("--max-regression", LIMIT, "--max-processes", "6")
    command = [program, "run", "-o", "run", *limit, "--export", "json=result.json", *builds]
    return "gate", command, None


def truth(job, extra):
    """Whole processes of the two builds in turn."""
    turns = (("old-1", 0.0), ("new-1", extra), ("new-2", extra), ("old-2", 0.0))
    return [whole(name, job, of) for name, of in turns]


def steps(program, names):
    """[(folder, step)] of these jobs, gates and truths of gates."""
    found = []
    for name in names:
        kind, _, more = name.partition("-")
        job, _, extra = more.partition("-")
        if kind == "gate":
            of_job = [gate(program, job, float(extra.partition("-")[0]))]
        elif kind == "truth":
            of_job = truth(job, float(extra))
        else:
            of_job = steps_of(program, name)
        found += [(name, step) for step in of_job]
    return found


def perform(folder, step):
    """Runs a command in the folder. Its time and status go to NAME.json; returns whether it did."""
    name, command, passes = step
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "SEQPOINT_COMPANION": str(ROOT / "python")}
    if passes:
        (folder / passes).unlink(missing_ok=True)
        environment["PASSES"] = str(folder / passes)
    facts = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "command": command}
    began = time.monotonic()
    with open(folder / f"{name}.out.txt", "wb") as out, open(folder / f"{name}.err", "wb") as err:
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdout=out,
                stderr=err,
                timeout=LONGEST_S,
                check=False,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    facts.update(seconds=time.monotonic() - began, status=status)
    kind = "json" if is_right(name, status) else "failed.json"
    (folder / f"{name}.{kind}").write_text(json.dumps(facts), encoding="utf-8")
    return kind == "json", facts["seconds"]


def is_right(name, status):
    """A gate that fails ends with 1."""
    return status == 0 or (name == "gate" and status == 1)


def pack(raw, file):
    """All of the folder in one file, which is whole at any time."""
    if file is None:
        return
    unfinished = file.with_name(f"{file.name}.unfinished")
    with tarfile.open(unfinished, "w:gz") as archive:
        for path in sorted(raw.rglob("*")):
            if path.suffix in KEPT and "unfinished" not in path.parts:
                archive.add(path, path.relative_to(raw))
    unfinished.rename(file)


def unpack(raw, files):
    if not raw.exists():
        for file in files:
            with tarfile.open(file) as archive:
                archive.extractall(raw)
    raw.mkdir(parents=True, exist_ok=True)


def measure(options, every):
    began, failed = time.monotonic(), set()
    raw = options.raw.resolve()
    unpack(raw, options.unpacked)
    for name, step in every:
        folder = raw / name
        if name in failed or (folder / f"{step[0]}.json").exists():
            continue
        expected = EXPECTED_S.get(step[0], WHOLE_S)
        if time.monotonic() - began + expected > options.seconds:
            print("out of time before", name, step[0], flush=True)
            break
        right, seconds = perform(folder, step)
        print(
            f"{time.monotonic() - began:4.0f} s: {name} {step[0]} took {seconds:.1f} s", flush=True
        )
        if not right:
            failed.add(name)
            print((folder / f"{step[0]}.err").read_text(errors="replace")[-3000:], flush=True)
        pack(raw, options.pack)
    return 1 if failed else 0


def measure_all(options):
    program = str(options.program.resolve())
    return measure(options, steps(program, options.jobs or JOBS))


def calibrate(options):
    """A look at each job: what an iteration takes, whether the GPU is busy, what a start takes."""
    for name in options.jobs or JOBS:
        folder = options.raw.resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        _, command, _ = plan_until(str(options.program.resolve()), name, 2, "--points", "6")
        first = folder / "run" / "run-1.csv"
        said = stopped_after(command, folder, first)
        print(f"{name:13}", look(first) if first.exists() else "", said[-2000:], flush=True)
        pack(options.raw.resolve(), options.pack)
    return 0


def stopped_after(command, folder, file):
    """Runs a command until the file is there, and interrupts it. Returns what it said."""
    environment = {**os.environ, "SEQPOINT_COMPANION": str(ROOT / "python")}
    with open(folder / "calibrate.err", "w+", encoding="utf-8") as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=err, stderr=err)
        end = time.monotonic() + 90
        while process.poll() is None and not file.exists() and time.monotonic() < end:
            time.sleep(0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        err.seek(0)
        return err.read()


def look(path):
    """A line on the iterations of a process of the plan."""
    rows = rows_in(path)
    times = [1000 * float(row["runtime_s"]) for row in rows]
    cpu = [1000 * float(row["cpu_s"]) for row in rows]
    memory = max(float(row.get("peak_bytes") or 0) for row in rows) / 2**30
    return (
        f"ms {statistics.median(times):.0f} ({min(times):.0f} to {max(times):.0f}), "
        f"cpu ms {statistics.median(cpu):.0f}, busy {busy(rows)}, {memory:.1f} GiB, "
        f"{len(rows)} rows"
    )


# --- results --------------------------------------------------------------------------------------


def rows_in(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def facts_in(path):
    return json.loads(path.read_text(encoding="utf-8"))


def busy(rows):
    shares = [float(row["device_busy"]) for row in rows if row.get("device_busy")]
    return f"{statistics.fmean(shares):.3f}" if shares else ""


def steady_s(path):
    """Seconds of the second pass without validation."""
    lines = path.read_text(encoding="utf-8").splitlines()
    passes = [json.loads(line) for line in lines]
    return passes[1]["seconds"] - passes[1]["aside_s"]


def card_of(path):
    return json.loads(path.read_text(encoding="utf-8").splitlines()[0])["card"]


def project(program, folder, processes):
    """(the projection of so many processes as JSON, the regime as it is said)"""
    profiles = [str(folder / "run" / f"run-{n + 1}.csv") for n in range(processes)]
    words = [program, "project", str(folder / "run" / "points.json"), *profiles]
    words += ["--metric", "runtime_s"]
    said = [
        subprocess.run([*words, *more], capture_output=True, text=True, check=True)
        for more in (["--json"], [])
    ]
    regime = re.search(r"(\w+-bound) \(", said[1].stdout + said[1].stderr)
    return json.loads(said[0].stdout), regime[1] if regime else ""


def run_seconds(folder, processes):
    """What `run` takes until so many processes are done: all of its starts of the job."""
    starts = facts_in(folder / "run" / "run.json")["starts"]
    return sum(of["seconds"] for of in starts if of.get("process", 0) <= processes)


def measured_ms(folder):
    rows = itertools.chain.from_iterable(map(rows_in, sorted((folder / "run").glob("run-?.csv"))))
    times = [float(of["runtime_s"]) for of in rows if of["execution"] == "measured"]
    return 1000 * statistics.median(times)


def job_rows(program, folder):
    """A row for each number of processes of the plan."""
    passes = sorted(folder.glob("whole-?.jsonl"))
    alone = [steady_s(path) for path in passes]
    truth = statistics.fmean(alone)
    epoch_s = statistics.fmean(facts_in(path.with_suffix(".json"))["seconds"] for path in passes)
    rows = []
    for processes in range(1, len(list((folder / "run").glob("run-?.csv"))) + 1):
        found, regime = project(program, folder, processes)
        total = found["configurations"][0]["metrics"]["runtime_s"]
        profile = rows_in(folder / "run" / f"run-{processes}.csv")
        rows.append(
            {
                "job": folder.name,
                "card": card_of(passes[0]),
                "batches": found["run"]["iterations"],
                "iteration_ms": f"{measured_ms(folder):.1f}",
                "device_busy": busy(profile),
                "regime": regime,
                "processes": processes,
                "projected_s": f"{total['value']:.4f}",
                "low_s": f"{total['low']:.4f}",
                "high_s": f"{total['high']:.4f}",
                "truth_s": f"{truth:.4f}",
                "truths_s": " ".join(f"{of:.4f}" for of in alone),
                "error": f"{total['value'] / truth - 1:+.4f}",
                "half_width": f"{(total['high'] - total['low']) / 2 / total['value']:.4f}",
                "inside": "yes" if total["low"] <= truth <= total["high"] else "no",
                "run_s": f"{run_seconds(folder, processes):.1f}",
                "whole_s": f"{epoch_s:.1f}",
            }
        )
    return rows


def gate_row(raw, name):
    _, job, extra, *_ = name.split("-")
    folder, whole_processes = raw / name, raw / f"truth-{job}-{extra}"
    found = facts_in(folder / "result.json")["gates"][0]
    old, new = (
        [steady_s(path) for path in sorted(whole_processes.glob(f"{build}-?.jsonl"))]
        for build in ("old", "new")
    )
    change = f"{statistics.fmean(new) / statistics.fmean(old) - 1:+.4f}" if new else ""
    return {
        "job": job,
        "extra": float(extra),
        "true_change": change if float(extra) else "+0.0000",
        "verdict": found["verdict"],
        "change": f"{found['value']:+.4f}",
        "low": f"{found['low']:+.4f}",
        "high": f"{found['high']:+.4f}",
        "processes": len(list((folder / "run").glob("new-[0-9].csv"))),
        "seconds": f"{facts_in(folder / 'gate.json')['seconds']:.1f}",
    }


def table_text(rows):
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def report(options):
    program, raw = str(options.program.resolve()), options.raw.resolve()
    unpack(raw, options.unpacked)
    jobs = [raw / name for name in JOBS if (raw / name / "whole-1.json").exists()]
    rows = [row for folder in jobs for row in job_rows(program, folder)]
    options.out.write_text(table_text(rows), encoding="utf-8")
    gates = [gate_row(raw, path.parent.name) for path in sorted(raw.glob("gate-*/gate.json"))]
    if gates:
        options.out.with_name("gpu_gates.csv").write_text(table_text(gates), encoding="utf-8")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps_parser = parser.add_subparsers(required=True, metavar="measure|calibrate|report")
    for function in (measure_all, calibrate, report):
        step = steps_parser.add_parser(function.__name__.partition("_")[0])
        step.set_defaults(function=function)
        step.add_argument("--program", type=Path, required=True, metavar="FILE")
        step.add_argument("--raw", type=Path, required=True, metavar="FOLDER")
        step.add_argument(
            "--from", dest="unpacked", type=Path, nargs="*", default=[], metavar="FILE"
        )
        if function is report:
            step.add_argument("-o", dest="out", type=Path, default=SCRIPT.with_name("gpu.csv"))
            continue
        step.add_argument("--pack", type=Path, metavar="FILE")
        step.add_argument("--seconds", type=float, default=float("inf"), metavar="N")
        step.add_argument("jobs", nargs="*", metavar="JOB", help="or a gate or truth")
    options = parser.parse_args()
    return options.function(options)


if __name__ == "__main__":
    sys.exit(main())
