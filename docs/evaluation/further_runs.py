#!/usr/bin/env python3
"""How far off totals of two runs are from points that were chosen for both: python3 docs/evaluation/further_runs.py PROGRAM [POINTS]

Shuffled batches and batches sorted by length of the same samples, in both orders. Costs are made: smooth ones, tiles of other widths than the
model knows too, and a cliff behind some length. Each point is measured once, without any disturbance: the errors are of representation alone.
Beside it: points of the first run alone, projected onto the other (`project --onto`).
"""
import csv
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from epochs import DATA

CASES = (("librispeech-train-clean-100.csv", 16), ("opennmt-sample.en.len", 16), ("opennmt-sample.en.len", 64))


def costs(longest):
    """{kind: [cost of (length, batch size)]}"""
    smooth = [lambda s, b, c=c, q=q: c * b * longest + b * s * (1 + q * s / longest) for c in (0, 0.01, 0.08) for q in (0, 0.3, 1, 3)]
    smooth += [lambda s, b, p=p: b * s**p for p in (0.7, 1.5, 2.5)]
    tiles = [lambda s, b, t=t, q=q: b * t * math.ceil(s / t) * (1 + q * s / longest) for t in (8, 16, 24, 32, 48, 64, 96, 100, 128, 160) for q in (0, 1)]
    cliff = [lambda s, b, at=at, f=f: b * s * (f if s > at / 20 * longest else 1) for at in range(4, 20) for f in (1.3, 1.6)]
    return {"smooth": smooth, "tiles": tiles, "cliff": cliff}


def rms(errors):
    return 100 * math.sqrt(sum(e * e for e in errors) / len(errors))


class Measured:
    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), folder

    def run(self, *command):
        return subprocess.run([self.program, *map(str, command)], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def scan(self, manifest, batch_size, sampler):
        trace = f"{manifest}-{batch_size}-{sampler}.csv"
        self.run("scan", DATA / manifest, "--sampler", sampler, "--batch-size", batch_size, "-q", "-o", trace)
        with open(self.folder / trace, newline="", encoding="utf-8") as rows:
            return trace, Counter((int(row["src_len"]), int(row["batch_size"])) for row in csv.DictReader(rows))

    def select(self, trace, points, *also):
        self.run("select", trace, *also, "--points", points, "-q", "-o", "points.json")
        return json.loads((self.folder / "points.json").read_text())

    def onto(self, points, trace, cost):
        rows = "".join(f"{p['id']},{cost(p['src_len'], p['batch_size']):.17g}\n" for p in points["points"])
        (self.folder / "v1.csv").write_text("point,runtime_s\n" + rows)
        made = json.loads(self.run("project", "points.json", "--profile", "v1=v1.csv", "--onto", trace, "--json", "-q"))
        return made["configurations"][0]["metrics"]["runtime_s"]["value"]


def main():
    program, points = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "8"
    print(f"RMS error in percent, {points} points; smooth, tiles, cliff")
    with tempfile.TemporaryDirectory() as folder:
        measured = Measured(program, Path(folder))
        for manifest, batch_size in CASES:
            runs = [measured.scan(manifest, batch_size, sampler) for sampler in ("pytorch", "sorted")]
            made = costs(max(s for _, run in runs for s, _ in run))
            for (trace, run), (other, further) in (runs, runs[::-1]):
                both = measured.select(trace, points, "--also", other)
                weights = [{p["id"]: p["weight"] for p in both["points"]}, both["further_runs"][0]["weights"]]
                for name, histogram, weight in ((trace, run, weights[0]), (other, further, weights[1])):
                    def error(cost):
                        truth = sum(n * cost(*x) for x, n in histogram.items())
                        return sum(weight[p["id"]] * cost(p["src_len"], p["batch_size"]) for p in both["points"]) / truth - 1
                    print(f"{trace} and {other}: {name}: " + ", ".join(f"{rms([error(c) for c in of_kind]):.2f}" for of_kind in made.values()))
                alone = measured.select(trace, points)
                found = [[measured.onto(alone, other, c) / sum(n * c(*x) for x, n in further.items()) - 1 for c in of_kind] for of_kind in made.values()]
                print(f"{trace} alone: {other}: " + ", ".join(f"{rms(errors):.2f}" for errors in found))


if __name__ == "__main__":
    main()
