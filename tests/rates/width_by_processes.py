#!/usr/bin/env python3
"""How the half-width of an interval falls with the number of processes.

    width_by_processes.py PROGRAM

Twelve points of a recorded epoch (LibriSpeech-100h). Each process measures one iteration of every
point; all its times are longer or shorter by a normal deviate of 1, 2 or 4 %. Prints the median
half-width of 40 draws by the number of processes, and how many intervals contain the epoch of one
more process.
"""
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EPOCH = os.path.join(ROOT, "examples", "data", "ds2-librispeech100", "skylakex.csv")
PROCESSES, DRAWS, POINTS = (1, 2, 3, 6, 12), 40, 12


def selected(program, folder):
    path = os.path.join(folder, "points.json")
    subprocess.run(
        [program, "select", EPOCH, "--points", str(POINTS), "-qq", "-o", path], check=True
    )
    with open(path, encoding="utf-8") as file:
        return path, json.load(file)["points"]


def times_by_length():
    times = {}
    with open(EPOCH, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            times.setdefault(int(row["src_len"]), []).append(float(row["runtime_s"]))
    return times


def measured(path, points, times, levels, draw):
    """Writes a process for each level: one iteration of every point."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("point,src_len,session,runtime_s\n")
        for process, level in enumerate(levels):
            for point in points:
                seconds = draw.choice(times[point["src_len"]]) * math.exp(level)
                file.write(f"{point['id']},{point['src_len']},p{process},{seconds:.9f}\n")


def main():
    program = os.path.abspath(sys.argv[1])
    times = times_by_length()
    epoch = sum(map(sum, times.values()))
    print("| processes differ by | " + " | ".join(f"{n} processes" for n in PROCESSES) + " |")
    print("|---|" + "---:|" * len(PROCESSES))
    with tempfile.TemporaryDirectory() as folder:
        points_path, points = selected(program, folder)
        for spread in (0.01, 0.02, 0.04):
            cells = []
            for number in PROCESSES:
                halves, covered = [], 0
                for seed in range(DRAWS):
                    draw = random.Random(1000 * number + seed)
                    levels = [draw.gauss(0, spread) for _ in range(number)]
                    path = os.path.join(folder, "v1.csv")
                    measured(path, points, times, levels, draw)
                    done = subprocess.run(
                        [program, "project", points_path, path, "--json", "-qq"],
                        stdout=subprocess.PIPE,
                        check=True,
                    )
                    total = json.loads(done.stdout)["configurations"][0]["metrics"]["runtime_s"]
                    halves.append((total["high"] - total["low"]) / 2 / total["value"])
                    truth = epoch * math.exp(draw.gauss(0, spread))
                    covered += total["low"] <= truth <= total["high"]
                cells.append(f"± {100 * statistics.median(halves):.1f} %, {covered} of {DRAWS}")
            print(f"| {100 * spread:.0f} % | " + " | ".join(cells) + " |", flush=True)


main()
