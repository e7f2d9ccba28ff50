"""All reading, and all computing that takes long, shows its progress and removes it at the end:

    inputs.py EXE SOURCE_DIR

Inputs are pipes. One half is written first, the rest after the line was seen, so no result depends
on the machine's speed.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from terminal import Session, screen

EXE, DATA = os.path.abspath(sys.argv[1]), os.path.join(
    os.path.abspath(sys.argv[2]), "examples", "data"
)
TRACE, OTHER = (f"{DATA}/gnmt-multi30k/{machine}.csv" for machine in ("haswell", "nehalem"))
LENGTHS = f"{DATA}/opennmt-sample.en.len"
BATCHES = ["--sampler", "sorted", "--batch-size", "16"]

# Commands that read {pipe}, and the file whose bytes come out of it. They write `out`.
INPUTS = [
    (["scan", "{pipe}", *BATCHES], LENGTHS),
    (["select", "{pipe}", *BATCHES], LENGTHS),
    (["select", "{pipe}"], TRACE),
    (["select", TRACE, "--timings", "{pipe}"], OTHER),
    (["plan", "{pipe}"], "points.json"),
    (["project", "traced.json", "--profile", f"a={TRACE}", "--truth", "{pipe}"], TRACE),
    (["project", "{pipe}", "--profile", f"a={TRACE}"], "traced.json"),
    (["project", "traced.json", "--profile", "a={pipe}"], TRACE),
    (["project", "traced.json", "--profile", f"a={TRACE}", "--for", "{pipe}"], OTHER),
    (
        [
            "project",
            "traced.json",
            "--profile",
            f"a={TRACE}",
            "--max-regression",
            "5%",
            "--against",
            "{pipe}",
        ],
        "projection.json",
    ),
    (
        [
            "project",
            "kernels.json",
            "--profile",
            f"a={DATA}/transformer-opennmt/points.trace.json.gz",
            "--map",
            "{pipe}",
        ],
        "map.csv",
    ),
    (
        [
            "project",
            "kernels.json",
            "--profile",
            f"a={DATA}/transformer-opennmt/points.trace.json.gz",
            "--by",
            "category",
            "--categories",
            "{pipe}",
        ],
        "categories.csv",
    ),
    (["inspect", "{pipe}"], TRACE),
    (["evaluate", "a={pipe}", "--method", "bins"], TRACE),
]

# Work that would take hours, and its line of progress.
ENDLESS = [
    (["select", LENGTHS, *BATCHES, "--epochs", "100000"], rb"batching  for 0:0"),
    (["scan", LENGTHS, *BATCHES, "--epochs", "100000", "--summary"], rb"batching  for 0:0"),
    (
        ["select", LENGTHS, "--batch-size", "1", "--epochs", "100", "--parts", "100000"],
        rb"choosing points  for 0:0",
    ),
]


def make(folder):
    """The artefacts that commands read."""

    def run(*arguments):
        subprocess.run([EXE, "-q", *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    run("scan", LENGTHS, "--lengths-only", "-o", "lengths.csv")
    run("select", LENGTHS, *BATCHES, "--points", "4", "-o", "points.json")
    run("select", TRACE, "--points", "4", "-o", "traced.json")
    run(
        "select",
        LENGTHS,
        "--sampler",
        "pytorch:generator-seed=1",
        "--batch-size",
        "16",
        "--points",
        "8",
        "-o",
        "kernels.json",
    )
    run("project", "traced.json", "--profile", f"a={TRACE}", "-o", "projection.json")
    with open(os.path.join(folder, "points.json"), encoding="utf-8") as file:
        long = json.load(file)
    long["provenance"]["options"]["epochs"] = "100000"
    del long["digest"]
    long["provenance"]["tool"]["name"] = "another"  # one that writes no digest
    texts = {
        "long.json": json.dumps(long),
        "map.csv": "key,seqlen\nstep,12\n",
        "categories.csv": "category,pattern\nall,.*\n",
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def output(command, out):
    if "--dry-run" in command or "--summary" in command:
        return command
    if command[0] in ("project", "inspect", "evaluate"):
        return command + ["-o", out]
    return command + ["-o", out]


def start(folder, name, command):
    """The command, which writes into a folder of its own."""
    made = os.path.join(folder, name)
    os.mkdir(made)
    return made, Session([EXE, *output(command, os.path.join(made, "out"))], cwd=folder)


def check_clean(written, command):
    left = [line for line in screen(written) if " for 0:" in line or "B/s" in line]
    assert not left, (command, left)


def interrupted(session, made, command):
    session.interrupt()
    check_clean(session.read(), command)
    assert session.status() == 130, command
    assert os.listdir(made) == [], (command, os.listdir(made))


def fed(folder, number, command, source, interrupt):
    pipe = f"pipe{number}{'i' if interrupt else ''}"
    os.mkfifo(os.path.join(folder, pipe))
    with open(os.path.join(folder, source), "rb") as file:
        content = file.read()
    command = [argument.replace("{pipe}", pipe) for argument in command]
    made, session = start(folder, "of-" + pipe, command)
    with open(os.path.join(folder, pipe), "wb", buffering=0) as feed:
        feed.write(content[: min(len(content) // 2, 4096)])
        session.read(rb"reading  [\d.]+ k?B  [\d.]+ k?B/s", 60)
        if interrupt:
            return interrupted(session, made, command)
        feed.write(content[min(len(content) // 2, 4096) :])
    written = session.read()
    assert session.status() == 0, (command, written)
    return check_clean(written, command)


def endless(folder, number, command, line):
    made, session = start(folder, f"endless{number}", command)
    session.read(line)
    interrupted(session, made, command)


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(
        6
    ) as at_once:
        make(folder)
        runs = [
            at_once.submit(fed, folder, number, *case, interrupt)
            for number, case in enumerate(INPUTS)
            for interrupt in (False, True)
        ]
        runs += [
            at_once.submit(endless, folder, number, *case) for number, case in enumerate(ENDLESS)
        ]
        for run in runs:
            run.result()
    print(len(INPUTS), "inputs and", len(ENDLESS), "pieces of work, finished and interrupted")


main()
