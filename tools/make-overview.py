#!/usr/bin/env python3
"""Writes docs/images/overview.svg, the picture of the README.

It shows the epoch of its example, the measured points, and the projected and measured times of two
machines. The commands are those of the README. Needs only Python 3.9 and bash. The same program
gives the same bytes.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
IMAGE = ROOT / "docs" / "images" / "overview.svg"
MACHINES = ("haswell", "skylakex")
LOGS = ROOT / "examples" / "data" / "ds2-librispeech100"
SELECT = (
    "examples/data/librispeech-train-clean-100.csv --sampler sorted --batch-size 64"
    " --frame-shift 0.04 --points 8 -qq"
).split()

WIDTH, HEIGHT, TOP, BOTTOM = 880, 300, 58, 248
EPOCH, TOTALS = (64, 520), (640, 850)  # left and right edge of the two panels
STYLE = """
  .paper { fill: #ffffff } text { font: 13px sans-serif; fill: #24292f }
  .title { font-weight: bold }
  .muted { fill: #57606a } .grid { stroke: #d0d7de } .axis { stroke: #57606a }
  .iteration { fill: #8c959f } .point { fill: #0550ae }
  .interval { stroke: #0550ae; stroke-width: 8; opacity: 0.35 }
  .measured { stroke: #bc4c00; stroke-width: 3 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #e6edf3 } .muted { fill: #9198a1 }
    .grid { stroke: #30363d }
    .axis { stroke: #9198a1 } .iteration { fill: #6e7781 } .point { fill: #79c0ff }
    .interval { stroke: #79c0ff } .measured { stroke: #ffa657 }
  }
"""


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Example:
    """The results of the README's commands: points, measurements, totals."""

    def __init__(self, program, folder):
        run = lambda *command: subprocess.run(
            command, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        points = f"{folder}/points.json"
        run(program, "select", *SELECT, "-o", points)
        profiles, self.measured, self.epochs = [], {}, {}
        for machine in MACHINES:
            for name, what in ((machine, points), (f"{machine}-epoch", "all")):
                table = run("examples/measured_at.sh", what, LOGS / f"{machine}.csv")
                Path(folder, f"{name}.csv").write_text(table, encoding="utf-8")
            profiles += ["--profile", f"{machine}={folder}/{machine}.csv"]
            self.measured[machine] = rows_of(f"{folder}/{machine}.csv")
            self.epochs[machine] = rows_of(f"{folder}/{machine}-epoch.csv")
        projection = json.loads(run(program, "project", points, *profiles, "-qq", "--json"))
        self.totals = {c["name"]: c["metrics"]["runtime_s"] for c in projection["configurations"]}

    def seconds(self, machine):
        return sum(float(row["runtime_s"]) for row in self.epochs[machine])


def scale(low, high, left, right):
    return lambda value: left + (value - low) / (high - low) * (right - left)


def text(x, y, words, classes="", anchor="start"):
    return (
        f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def line(classes, x1, y1, x2, y2):
    return f'<line class="{classes}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def epoch_panel(example):
    """Every iteration of the first machine's epoch by its length, and those that were measured."""
    rows = example.epochs[MACHINES[0]]
    times = [1000 * float(row["runtime_s"]) for row in rows]
    lengths = [int(row["src_len"]) for row in rows]
    across = scale(0, max(lengths), *EPOCH)
    down = scale(0, max(times), BOTTOM, TOP)
    measured = {row["src_len"] for row in example.measured[MACHINES[0]]}
    out = [text(EPOCH[0], 30, f"{len(rows)} iterations, {len(measured)} measured", "title")]
    for tick in range(0, int(max(times)) + 1, 100):
        out.append(
            line("axis" if tick == 0 else "grid", EPOCH[0], down(tick), EPOCH[1], down(tick))
        )
        out.append(text(EPOCH[0] - 8, down(tick) + 4, f"{tick}", "muted", "end"))
    for tick in range(0, max(lengths) + 1, 100):
        out.append(text(across(tick), BOTTOM + 18, f"{tick}", "muted", "middle"))
    out.append(text(EPOCH[0], TOP - 10, f"time of an iteration on {MACHINES[0]}, ms", "muted"))
    out.append(text(EPOCH[1], HEIGHT - 10, "padded length of the batch, frames", "muted", "end"))
    places = [(across(length), down(time)) for length, time in zip(lengths, times)]
    out += [f'<circle class="iteration" cx="{x:.1f}" cy="{y:.1f}" r="1.4"/>' for x, y in places]
    for row, (x, y) in zip(rows, places):
        if row["src_len"] in measured:
            measured.remove(row["src_len"])  # the first of its length
            out.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
    return out


def totals_panel(example):
    """Each machine's projected total with its interval, and its measured total."""
    lows, highs = zip(*((t["low"], t["high"]) for t in example.totals.values()))
    step = 10
    low, high = step * (min(lows) // step), step * (max(highs) // step + 1)
    across = scale(low, high, *TOTALS)
    out = [text(TOTALS[0] - 70, 30, "time of the epoch, s", "title")]
    for tick in range(int(low), int(high) + 1, step):
        out.append(line("grid", across(tick), TOP, across(tick), BOTTOM))
        out.append(text(across(tick), BOTTOM + 18, f"{tick}", "muted", "middle"))
    for i, machine in enumerate(MACHINES):
        y, total = TOP + 50 + 80 * i, example.totals[machine]
        seconds = example.seconds(machine)
        out.append(text(TOTALS[0] - 12, y + 4, machine, anchor="end"))
        out.append(line("interval", across(total["low"]), y, across(total["high"]), y))
        out.append(f'<circle class="point" cx="{across(total["value"]):.1f}" cy="{y}" r="5"/>')
        out.append(line("measured", across(seconds), y - 14, across(seconds), y + 14))
        words = f"projected {total['value']:.1f}, measured {seconds:.1f}"
        out.append(text(across((low + high) / 2), y - 22, words, "muted", "middle"))
    return out


def svg(example):
    measured = sum(len(rows) for rows in example.measured.values()) // len(MACHINES)
    title = (
        f"An epoch of {len(example.epochs[MACHINES[0]])} iterations, {measured} of them measured"
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="title">'
    )
    legend = "dot projected, band 95 %, line measured"
    out = [head, f'<title id="title">{escape(title)}</title>', f"<style>{STYLE}</style>"]
    out.append(f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>')
    out += [*epoch_panel(example), *totals_panel(example)]
    out.append(text(TOTALS[1], HEIGHT - 10, legend, "muted", "end"))
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
    )
    parser.add_argument("--check", action="store_true", help="compare: 1 if the picture differs")
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"cannot run '{options.program}': build it or use --program")
    with tempfile.TemporaryDirectory() as folder:
        now = svg(Example(options.program.resolve(), folder))
    if not options.check:
        IMAGE.write_text(now, encoding="utf-8")
        return 0
    if IMAGE.exists() and IMAGE.read_text(encoding="utf-8") == now:
        return 0
    print("docs/images/overview.svg is stale: tools/make-overview.py writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
