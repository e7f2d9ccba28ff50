#!/usr/bin/env python3
"""What disturbed processes do to a projection and its interval:

    outliers.py PROGRAM... [--runs N]

Makes up an epoch and the times of processes at a plan's batches: levels of processes differ by 2 %
(lognormal), batches by 1 %, and disturbed processes take a factor more. Prints, for each program
(to compare versions) and case, the error of the projected epoch against the level 1, and how many
95 % intervals contain the epoch of another undisturbed process. Takes about 0.5 s of CPU time for a
run of a case.
"""

import argparse
import csv
import json
import math
import os
import random
import subprocess
import tempfile

BATCHES, POINTS, LEVEL, NOISE = 400, 8, 0.02, 0.01
SIMULATED = "5 % of processes 1.2 to 3 times"
CASES = {  # factors of the processes
    "none disturbed": [1, 1, 1],
    "one of four 20 times": [1, 1, 1, 20],
    "one of four 1.3 times": [1, 1, 1, 1.3],
    "two of five 1.2 and 3 times": [1, 1, 1, 1.2, 3],
    "two of five 20 times": [1, 1, 1, 20, 20],
    SIMULATED: None,
}


def seconds(length):
    return 0.02 + 0.001 * length


def table(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class Epoch:
    """The epoch, and its points and plan by one program."""

    def __init__(self, program):
        self.program, draw = program, random.Random("epoch")
        lengths = [20 + 7 * int(60 * draw.random() ** 2) for _ in range(BATCHES)]
        self.seconds = sum(map(seconds, lengths))
        table(
            "order.csv",
            [
                {"iteration": i, "src_len": length, "batch_size": 4, "tokens": 3 * length}
                | {"rows": " ".join(str(4 * i + row) for row in range(4))}
                for i, length in enumerate(lengths)
            ],
        )
        self.call("select", "order.csv", "--points", str(POINTS), "-o", "points.json")
        self.call("plan", "points.json", "--processes", "5", "-o", "plan")
        with open("plan/plan.json", encoding="utf-8") as file:
            self.plan = json.load(file)

    def call(self, *words):
        subprocess.run([self.program, *words], check=True, capture_output=True)

    def project(self, factors, draw):
        """The projected seconds and the interval."""
        names = []
        for process, factor in enumerate(factors):
            level = factor * math.exp(draw.gauss(0, LEVEL))
            names.append(f"new-{process}.csv")
            table(names[-1], self.measurements(process, level, draw))
        words = [f"--profile=new={name}" for name in names]
        self.call("project", "points.json", "--metric", "runtime_s", *words, "-o", "new.json")
        with open("new.json", encoding="utf-8") as file:
            time = json.load(file)["configurations"][0]["metrics"]["runtime_s"]
        return time["value"], time["low"], time["high"]

    def measurements(self, process, level, draw):
        return [
            {"point": step["id"], "repeat": step["repeat"], "iteration": step["iteration"]}
            | {"warmup": 0, "selection": self.plan["selection"], "src_len": step["src_len"]}
            | {"batch_size": 4, "host": "here", "session": f"p{process}"}
            | {"runtime_s": level * seconds(step["src_len"]) * math.exp(draw.gauss(0, NOISE))}
            for step in self.plan["steps"]
            if step["process"] == process and not step["warmup"]
        ]


def row(epoch, case, runs):
    errors, covered, width = [], 0, 0
    for run in range(runs):
        draw = random.Random(f"{case} {run}")
        factors = CASES[case] or [
            draw.uniform(1.2, 3) if draw.random() < 0.05 else 1 for _ in range(3)
        ]
        truth = epoch.seconds * math.exp(draw.gauss(0, LEVEL))
        value, low, high = epoch.project(factors, draw)
        errors.append(value / epoch.seconds - 1)
        covered += low <= truth <= high
        width += (high - low) / 2 / epoch.seconds / runs
    rms = math.sqrt(sum(error**2 for error in errors) / runs)
    cells = [f"{100 * rms:.1f} %", f"{100 * max(map(abs, errors)):.1f} %"]
    return [*cells, f"{100 * covered / runs:.0f} %", f"± {100 * width:.0f} %"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="+")
    parser.add_argument("--runs", type=int, default=200)
    given = parser.parse_args()
    print("| case | program | RMS error | largest | covers | half-width |")
    print("| :--- | :--- | ---: | ---: | ---: | ---: |")
    for program in map(os.path.abspath, given.program):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            epoch = Epoch(program)
            for case in CASES:
                runs = given.runs if case == SIMULATED else max(given.runs // 10, 1)
                cells = [case, version.stdout.split()[-1], *row(epoch, case, runs)]
                print("|", " | ".join(cells), "|", flush=True)
            os.chdir("/")


if __name__ == "__main__":
    main()
