"""`scan --summary` and `select -v` against the trace itself, and as terminals show them:

    summary.py EXE SOURCE_DIR
"""
import csv
import io
import os
import re
import subprocess
import sys

from terminal import Session, screen

EXE, DATA = os.path.abspath(sys.argv[1]), os.path.join(
    os.path.abspath(sys.argv[2]), "examples", "data"
)
SPEECH = [
    os.path.join(DATA, "librispeech-train-clean-100.csv"),
    "--sampler",
    "sorted",
    "--batch-size",
    "64",
    "--frame-shift",
    "0.04",
]
WIDTH = 140  # of the widest sentence beside a figure
PAIRS = [
    os.path.join(DATA, "multi30k-train.en.len"),
    "--tgt",
    os.path.join(DATA, "multi30k-train.de.len"),
    "--sampler",
    "pytorch",
    "--batch-size",
    "32",
    "--epochs",
    "2",
]


def output(*arguments):
    return subprocess.run(
        [EXE, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout.decode("utf-8")


def facts(text):
    return dict(re.findall(r"^(an epoch|samples|shapes|padding)  +(.*)$", text, re.M))


def histogram(text, side):
    """{(low, high): iterations} and the bars."""
    block = re.search(rf"^ *{side} +batches\n((?:.+\n)+)", text, re.M).group(1)
    rows = [
        re.match(
            r"^ *(\d+)(?: - +(\d+)| - (\d+))? +(?:sp\d+(?: \+\d+)?)? *(\d+)(?:  (\S+))?$", line
        )
        for line in block.splitlines()
    ]
    assert all(rows), block
    return [(int(m[1]), int(m[2] or m[3] or m[1]), int(m[4]), m[5] or "") for m in rows]


def number(text):
    """The count that a text begins with."""
    return int(text.split()[0].replace(",", ""))


def check(arguments):
    """Counted again, from the rows that `scan` writes."""
    rows = list(csv.DictReader(io.StringIO(output("-q", "scan", *arguments))))
    text = output("scan", *arguments, "--summary")
    sides = [side for side in ("src_len", "tgt_len") if side in rows[0]]
    signatures = {tuple(row[name] for name in sides + ["batch_size"]) for row in rows}
    tokens = sum(int(row["tokens"]) for row in rows)
    padded = sum(int(row["batch_size"]) * sum(int(row[side]) for side in sides) for row in rows)
    said = facts(text)
    epochs = int(rows[-1].get("epoch", 0)) + 1
    assert said["samples"].startswith(f"{sum(int(row['batch_size']) for row in rows):,}"), said
    assert number(said["an epoch"]) * epochs == len(rows)
    assert number(said["shapes"]) == len(signatures)
    percent, total = re.match(r"([\d.]+) % of ([\d,]+) tokens", said["padding"]).groups()
    assert number(total) == padded and abs(
        float(percent) - 100 * (1 - tokens / padded)
    ) <= 0.005 * float(percent), said
    for side in sides:
        bins = histogram(text, side)
        for low, high, count, bar in bins:
            assert count == sum(low <= int(row[side]) <= high for row in rows), (
                side,
                low,
                high,
                count,
            )
            assert bool(bar) == bool(count), "a bar where there is something"
        assert sum(count for _, _, count, _ in bins) == len(rows)
        most = max(bins, key=lambda b: b[2])
        for _, _, count, bar in bins:
            assert abs(len(bar) - len(most[3]) * count / most[2]) <= 1, (side, count, bar)
    assert all(len(line) <= WIDTH for line in text.splitlines()) and text.isascii()
    return text


def as_blocks(plain, arguments):
    """On a terminal: the same numbers, and bars of blocks.

    With NO_COLOR, in another locale and on a dumb terminal, bars are ASCII.
    """
    for env, blocks in (
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"LC_ALL": "C"}, False),
        ({"TERM": "dumb"}, False),
    ):
        session = Session([EXE, "-q", "scan", *arguments, "--summary"], WIDTH, env, stdout=True)
        lines = screen(session.read())[:-1]
        assert all(len(line) <= WIDTH for line in lines)
        assert any("\u2588" in line for line in lines) == blocks, (env, lines)
        assert [re.sub("[#\u2588-\u258f ]+$", "", line) for line in lines] == [
            re.sub("[# ]+$", "", line) for line in plain.splitlines()
        ]


def with_points(arguments):
    """Every point is in the row of its length."""
    done = subprocess.run(
        [EXE, "select", *arguments, "--points", "8", "-v"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    text = done.stderr.decode("utf-8")
    lengths = {name: int(length) for name, length in re.findall(r"^(sp\d+) +(\d+) ", text, re.M)}
    assert len(lengths) == 8, text
    rows = re.findall(r"^ *(\d+) - +(\d+) +(sp\d+)(?: \+(\d+))? +\d+  #", text, re.M)
    assert sum(1 + int(more or 0) for _, _, _, more in rows) == 8, rows
    for low, high, first, more in rows:
        here = [name for name, length in lengths.items() if int(low) <= length <= int(high)]
        assert here[0] == first and len(here) == 1 + int(more or 0), (low, high, first, more)


def main():
    as_blocks(check(SPEECH), SPEECH)
    check(PAIRS)
    with_points(SPEECH)
    print("summaries of two runs, counted again")


main()
