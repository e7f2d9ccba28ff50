#!/usr/bin/env python3
"""Runs the field's own trainers, unchanged, plainly and under `seqpoint run`, and compares.

    run.py PROGRAM [NAME...]     PROGRAM: an installed seqpoint; NAME: trainers, all without one
        --rounds N               plain runs and measured ones of each, in turns (2)
        --part SHARE             of the data, to try whether a trainer runs (1)
        --output CSV             the table's file (build/zoo/zoo.csv)
        --markdown CSV           prints the table of an earlier run instead

A folder beside this file is a trainer; README.md says what it holds. Environments, data and logs
are in build/zoo, and environments and data outlive a run.

Ends with 1 if a result is wrong, or a job was refused without a way out.
"""

import argparse
import csv
import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "zoo"
INSTALLER = "uv==0.13.9"
PYTORCH = "torch==2.15.0"  # of every trainer, whatever release it asks for
MINUTE = 60
INSTALLATION_S, JOB_S = 10 * MINUTE, 15 * MINUTE
SOON_S = 1.5 * MINUTE  # a job is refused within about a minute
COLUMNS = (
    "trainer",
    "version",
    "feeds",
    "truth_1_s",
    "truth_2_s",
    "estimate_s",
    "low_s",
    "high_s",
    "said",
    "paid_s",
    "verdict",
    "note",
)


class Missing(Exception):
    """The trainer cannot be tried here: it is not installed, or does not train by itself."""


# --- Trainers -----------------------------------------------------------------------------------


class Trainer:
    """A folder beside this file."""

    def __init__(self, folder):
        self.name, self.folder = folder.name, folder
        with (folder / "trainer.toml").open("rb") as file:
            self.says = tomllib.load(file)
        self.packages = self.says["packages"]
        self.environment = BUILD / "env" / re.sub(r"\W+", "-", self.packages[0])
        self.work = BUILD / "work" / self.name

    @property
    def version(self):
        return self.packages[0].partition("==")[2]

    def install(self):
        """Makes the environment, unless it is there with these packages."""
        wanted = "\n".join([PYTORCH, *self.packages])
        made = self.environment / "packages"
        if made.exists() and made.read_text() == wanted:
            return
        print(f"    installs {', '.join(self.packages)}", flush=True)
        shutil.rmtree(self.environment, ignore_errors=True)
        log = self.environment.with_suffix(".log")
        overrides = self.environment.with_suffix(".overrides")
        overrides.parent.mkdir(parents=True, exist_ok=True)
        overrides.write_text("\n".join([PYTORCH, *self.says.get("overrides", [])]))
        make = [sys.executable, "-m", "venv", "--without-pip", self.environment]
        install = [installer(), "pip", "install", "-q", "--python", self.python]
        install += ["--override", overrides, PYTORCH, *self.packages]
        for command in (make, install):
            status, _ = logged(command, log, limit_s=INSTALLATION_S)
            if status != 0:
                raise Missing(f"not installed: {last_line(log)}")
        made.write_text(wanted)

    @property
    def python(self):
        return self.environment / "bin" / "python3"

    def prepare(self):
        """Makes the data, unless they are there and the folder is as it was."""
        data = self.work / "data"
        sources = b"".join(file.read_bytes() for file in [HERE / "made.py", *self.files()])
        sources += os.environ["ZOO_PART"].encode()
        made = self.work / "made"
        if made.exists() and made.read_bytes() == sources:
            return data
        print("    makes its data", flush=True)
        shutil.rmtree(self.work, ignore_errors=True)
        data.mkdir(parents=True)
        self.copy_files(data)
        for command in ["python3 data.py", *self.says.get("prepare", [])]:
            log = self.work / "data.log"
            status, _ = self.start(["bash", "-c", command], data, log, {"PYTHONPATH": str(HERE)})
            if status != 0:
                raise Missing(f"does not run: {command}: {last_line(log)}")
        made.write_bytes(sources)
        return data

    def files(self):
        return sorted(file for file in self.folder.iterdir() if file.is_file())

    def copy_files(self, folder):
        for file in self.files():
            if file.name != "trainer.toml":
                shutil.copy(file, folder)

    def fresh(self, name):
        """A new copy of the prepared folder, for one start of the job."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.work / "data", folder, symlinks=True)
        return folder

    def start(self, command, folder, log, more=()):
        """Runs a command in the trainer's environment: (status, [(seconds, line)])."""
        variables = {**os.environ, **VARIABLES, **dict(more)}
        variables["PATH"] = f"{self.environment / 'bin'}:{variables['PATH']}"
        variables["HF_HOME"] = str(self.work / "hf")
        return logged(command, log, JOB_S, cwd=folder, env=variables)

    # --- the two ways to run it

    def truth(self, number):
        """Seconds of an epoch in a plain run."""
        log = self.work / f"plain-{number}.log"
        log.unlink(missing_ok=True)
        command = ["bash", "-c", self.says["command"]]
        status, lines = self.start(command, self.fresh(f"plain-{number}"), log)
        if status != 0:
            raise Missing(f"does not run: status {status}: {last_line(log)}")
        return self.epoch_of(lines, log)

    def epoch_of(self, lines, log):
        """What the output says; or the time from the line `from` to the line `to`."""
        if "seconds" in self.says:
            found = [match for _, line in lines for match in re.findall(self.says["seconds"], line)]
            if not found:
                raise Missing(f"its output has no time of an epoch: {log}")
            return seconds_of(found[-1])
        begins = [at for at, line in lines if re.search(self.says["from"], line)]
        ends = [at for at, line in lines if re.search(self.says["to"], line)]
        if not begins or not ends:
            raise Missing(f"its output has no beginning or end of an epoch: {log}")
        return (ends[-1] - begins[0]) / self.says.get("share", 1)

    def measured(self, program, name, options, command):
        """The Result of `seqpoint run` with that command."""
        folder = self.fresh(name)
        call = ["bash", "-c", f"{program} run {options} -- {command}"]  # as a user types it
        package = {"PYTHONPATH": str(program.parent.parent / "share" / "seqpoint" / "python")}
        log = self.work / f"{name}.log"
        log.unlink(missing_ok=True)
        begun_s = time.monotonic()
        status, lines = self.start(call, folder, log, package)
        text = "\n".join(line for _, line in lines)
        paid_s = time.monotonic() - begun_s
        return Result(folder / "seqpoint-run", status, text, paid_s, self.says.get("steps", False))


class Result:
    """One `seqpoint run`: its estimate, or why there is none."""

    def __init__(self, folder, status, text, paid_s, counts_steps):
        self.status, self.text, self.paid_s = status, text, paid_s
        self.value = self.low = self.high = None
        path = folder / "projection.json"
        if status == 0 and path.exists():
            projection = json.loads(path.read_text())
            (configuration,) = projection["configurations"]
            epoch = configuration["metrics"]["runtime_s"]
            times = self.passes(projection["run"]["iterations"]) if counts_steps else 1
            self.value, self.low, self.high = (
                times * epoch[name] for name in ("value", "low", "high")
            )

    def passes(self, of_pass):
        """By what the time of a pass is multiplied for all steps, as the line `training` says."""
        found = re.search(r"(?m)^training .* ([0-9,]+) batches, as the trainer states", self.text)
        return int(found.group(1).replace(",", "")) / of_pass if found else 1

    @property
    def said(self):
        found = re.findall(r"about ([^,;\n]*?) in all(?:, at most ([^,;\n(]*))?", self.text)
        return " / ".join(word.strip() for word in found[-1] if word) if found else ""

    def verdict(self, truth_s, advice):
        """(right, wrong, or how it was refused; what was said)"""
        if self.value is not None:
            return ("right" if self.low <= truth_s <= self.high else "wrong"), ""
        found = re.search(r"(?ms)^(?:seqpoint: )?error: .*?(?:\n *hint: [^\n]*|\Z)", self.text)
        reason = " ".join((found.group() if found else self.text[-300:]).split())
        speaks = found and "the job ended with status" not in reason
        well = speaks and self.paid_s <= SOON_S and re.search(advice or r"hint: |say --", reason)
        return ("refused well" if well else "refused badly"), reason


def seconds_of(text):
    """'83.5' or '01:23' in seconds."""
    total = 0.0
    for part in text.split(":"):
        total = 60 * total + float(part)
    return total


# --- Processes ----------------------------------------------------------------------------------

VARIABLES = {
    "AXOLOTL_DO_NOT_TRACK": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "JAX_PLATFORMS": "cpu",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",  # a line has the time when it was printed
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "disabled",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


def logged(command, log, limit_s, **named):
    """Runs a command: (status, its lines with the seconds since its start). A bar's states, which
    \\r separates, are lines too."""
    begun_s, lines, rest = time.monotonic(), [], b""
    with log.open("ab") as file:
        file.write(f"$ {' '.join(map(str, command))}\n".encode())
        process = subprocess.Popen(
            ["timeout", "-k", "10", str(limit_s), *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **named,
        )
        pipe, ended = process.stdout.fileno(), False
        while not ended:
            ended = process.poll() is not None  # what it left behind may hold the pipe
            if not select.select([pipe], [], [], 0 if ended else 1)[0]:
                continue
            data = os.read(pipe, 1 << 20)
            ended = not data
            file.write(data)
            file.flush()
            *whole, rest = re.split(rb"[\r\n]+", rest + data)
            now_s = time.monotonic() - begun_s
            lines += [(now_s, line.decode(errors="replace")) for line in whole]
        lines.append((time.monotonic() - begun_s, rest.decode(errors="replace")))
        return process.wait(), lines


def last_line(log):
    """The last line of a log that says something, in one line."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")[:200]


def installer():
    """uv, installed on first use."""
    folder = BUILD / "uv"
    if not (folder / "bin" / "uv").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", INSTALLER], check=True)
    return folder / "bin" / "uv"


# --- The comparison -----------------------------------------------------------------------------


def rows_of(trainer, program, rounds):
    """The table's rows of a trainer: one for each `run`, and for what a refusal advised."""
    begin = {"trainer": trainer.name, "version": trainer.version, "feeds": trainer.says["feeds"]}
    truths, results = [], []
    try:
        trainer.install()
        trainer.prepare()
        for number in range(1, rounds + 1):
            truths.append(trainer.truth(number))
            print(f"    plain: {truths[-1]:.1f} s", flush=True)
            for way in ways(trainer):
                result = trainer.measured(program, f"{way['name']}-{number}", *way["start"])
                print(f"    {way['name']}: {shown(result)}", flush=True)
                results.append((way, result))
    except Missing as missing:
        verdict, _, note = str(missing).partition(": ")
        return [{**begin, "verdict": verdict, "note": note}]
    truth_s = sum(truths) / len(truths)
    rows = []
    for way, result in results:
        verdict, note = result.verdict(truth_s, way["advice"])
        rows.append(
            {
                **begin,
                "feeds": way["feeds"],
                "truth_1_s": f"{truths[0]:.2f}",
                "truth_2_s": f"{truths[-1]:.2f}" if rounds > 1 else "",
                "estimate_s": number_of(result.value),
                "low_s": number_of(result.low),
                "high_s": number_of(result.high),
                "said": result.said,
                "paid_s": f"{result.paid_s:.0f}",
                "verdict": verdict,
                "note": note,
            }
        )
    return rows


def ways(trainer):
    """The ways to measure it: as it is, and as the refusal advises."""
    says = trainer.says
    own = says["command"]
    yield {
        "name": "run",
        "start": (says.get("options", ""), says.get("measured", own)),
        "feeds": says["feeds"],
        "advice": says.get("advised", {}).get("by"),
    }
    if "advised" in says:
        advised = says["advised"]
        yield {
            "name": "advised",
            "start": (advised.get("options", ""), advised.get("command", own)),
            "feeds": f"{says['feeds']}; {advised['what']}",
            "advice": None,
        }


def shown(result):
    if result.value is None:
        return f"no result, status {result.status}; paid {result.paid_s:.0f} s"
    interval = f"{result.low:.1f} to {result.high:.1f}"
    return f"{result.value:.1f} s ({interval}); said {result.said}; paid {result.paid_s:.0f} s"


def number_of(value):
    return "" if value is None else f"{value:.2f}"


def markdown(path):
    """The table of a CSV for the documents: a row for each way to start a trainer."""
    ways = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ways.setdefault((f"{row['trainer']} {row['version']}", row["feeds"]), []).append(row)
    print("| trainer | feeds | two epochs, s | `run`, s (95 %) | at most, s | paid, s |")
    print("|---|---|---|---|---|---|")
    for (name, feeds), rows in ways.items():
        truths = ", ".join(filter(None, (rows[0]["truth_1_s"], rows[0]["truth_2_s"])))
        most = ", ".join(row["said"].rpartition("/")[2].strip() for row in rows)
        paid = ", ".join(row["paid_s"] for row in rows)
        results = "; ".join(map(result_text, rows))
        print(f"| {name} | {feeds} | {truths} | {results} | {most} | {paid} |")


def result_text(row):
    """'36.1 (25.0 to 47.2)', bold if the interval misses; or how the job was refused."""
    if not row["low_s"]:
        return row["verdict"]
    value, low, high = (float(row[name]) for name in ("estimate_s", "low_s", "high_s"))
    text = f"{value:.1f} ({low:.1f} to {high:.1f})"
    return text if row["verdict"] == "right" else f"**{text}**"


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        table.writerows(rows)


def chosen(names):
    trainers = [Trainer(path.parent) for path in sorted(HERE.glob("*/trainer.toml"))]
    unknown = set(names) - {trainer.name for trainer in trainers}
    if unknown:
        sys.exit(f"run.py: no trainer is called {' or '.join(sorted(unknown))}")
    return [trainer for trainer in trainers if not names or trainer.name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--part", default="1")
    parser.add_argument("--output", type=Path, default=BUILD / "zoo.csv")
    parser.add_argument("--markdown", type=Path, metavar="CSV")
    options = parser.parse_intermixed_args()
    if options.markdown:
        markdown(options.markdown)
        return 0
    if options.program is None:
        parser.error("name the program")
    os.environ["ZOO_PART"] = options.part
    BUILD.mkdir(parents=True, exist_ok=True)
    rows = []
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two that run at once would time each other
        for trainer in chosen(options.names):
            print(f"==> {trainer.name}", flush=True)
            rows += rows_of(trainer, options.program.resolve(), options.rounds)
            write(options.output, rows)  # after each, as an interrupted run has a table too
    for row in rows:
        print(f"{row['verdict']:14} {row['trainer']:24} {row.get('note', '')}")
    return 1 if {"wrong", "refused badly"} & {row["verdict"] for row in rows} else 0


if __name__ == "__main__":
    sys.exit(main())
