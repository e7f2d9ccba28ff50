"""`select` on a terminal: a table where no output is named, the artefact where one is:

    points.py EXE SOURCE_DIR
"""
import json
import os
import subprocess
import sys

from terminal import Session, screen

EXE, DATA = os.path.abspath(sys.argv[1]), os.path.join(
    os.path.abspath(sys.argv[2]), "examples", "data"
)
SELECT = [
    "select",
    os.path.join(DATA, "librispeech-train-clean-100.csv"),
    "--sampler",
    "sorted",
    "--batch-size",
    "64",
    "--points",
    "3",
]


def on_terminal(*arguments):
    session = Session([EXE, *SELECT, *arguments], 120, stdout=True)
    lines = screen(session.read())
    assert session.status() == 0, lines
    return lines


def main():
    piped = subprocess.run([EXE, *SELECT, "-q"], check=True, stdout=subprocess.PIPE).stdout.decode(
        "utf-8"
    )
    points = json.loads(piped)["points"]
    table = on_terminal("-q")
    assert table[0].split()[:2] == ["point", "src_len"], table
    rows = [line.split() for line in table[1:] if line]
    assert [row[:2] for row in rows] == [
        [point["id"], str(point["src_len"])] for point in points
    ], rows
    assert any("-o points.json" in line for line in on_terminal()), "how to get the artefact"
    assert [line for line in on_terminal("-v") if line.startswith("sp1 ")] == [
        table[1]
    ], "the points are shown once"
    assert (
        "\n".join(on_terminal("-q", "-o", "-")) == piped
    ), "the artefact, where standard output is named"
    print("a table for people, JSON for programs")


main()
