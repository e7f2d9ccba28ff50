#!/usr/bin/env python3
"""How much do the best bucket boundaries save over those that Lhotse and NeMo estimate?

    python3 tools/evaluation/buckets.py --program build/release/seqpoint --lhotse FOLDER
        -o buckets.csv

FOLDER contains Lhotse's source, of which only estimate_duration_buckets is run. It needs NumPy.
Lhotse's sampler passes it the first 10,000 cuts of a data set (num_cuts_for_bins_estimate), NeMo's
estimate_duration_bins.py passes all of them. In text corpora a token counts as 10 ms.

Each corpus is padded twice: every sample up to the boundary of its bucket, and the batches that
Lhotse's sampler makes with these buckets up to their longest sample.
"""
import argparse
import ast
import bisect
import collections
import csv
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))
from bucket_boundaries import best_boundaries

DATA = ROOT / "examples" / "data"
BUCKETS = (4, 8, 16, 32)
ESTIMATORS = ("best", "Lhotse", "NeMo")
FIRST = 10000  # num_cuts_for_bins_estimate
FIELDS = (
    "corpus",
    "buckets",
    "estimator",
    "bounds",
    "tokens",
    "to_bounds",
    "batches",
    "in_batches",
)


def corpora():
    """Name, durations, and the seconds that Lhotse puts into a batch."""
    with open(DATA / "librispeech-train-clean-100.csv", encoding="ascii") as file:
        yield "LibriSpeech-100h, frames", [
            int(row["samples"]) / 16000 for row in csv.DictReader(file)
        ], 200
    with open(DATA / "multi30k-train.en.len", encoding="ascii") as file:
        yield "Multi30k English, words", [int(line) / 100 for line in file], 20
    with gzip.open(DATA / "iwslt15-train.en-vi.tsv.gz", "rt", encoding="ascii") as file:
        yield "IWSLT'15 English, pieces", [
            int(row["src_tokens"]) / 100 for row in csv.DictReader(file, delimiter="\t")
        ], 40


def estimator_of(lhotse):
    """Lhotse's own function, without what else its package imports."""
    import numpy

    source = (lhotse / "lhotse" / "dataset" / "sampling" / "dynamic_bucketing.py").read_text(
        encoding="utf-8"
    )
    function = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "estimate_duration_buckets"
    )
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    names = {"np": numpy}
    exec(compile(ast.Module([function], []), "dynamic_bucketing.py", "exec"), names)

    class Seconds:
        @staticmethod
        def measure_length(seconds):
            return seconds

    return lambda seconds, buckets: [
        float(b) for b in names["estimate_duration_buckets"](seconds, buckets, Seconds)
    ]


def frames_of(seconds):
    """Of 16 kHz audio, 10 ms each, as `scan` counts them."""
    return int(round(seconds * 16000)) // 160


class Corpus:
    def __init__(self, program, name, seconds, budget, folder):
        self.program, self.name, self.seconds, self.budget = program, name, seconds, budget
        self.manifest = Path(folder) / "manifest.csv"
        self.manifest.write_text(
            "duration\n" + "".join(f"{s!r}\n" for s in seconds), encoding="ascii"
        )

    def run(self, bins):
        done = subprocess.run(
            [
                self.program,
                "scan",
                "--summary",
                self.manifest,
                "--sampler",
                f"lhotse-bucketing:shuffle,max-duration={self.budget},duration-bins={bins}",
                "--seed",
                "1",
                "--json",
                "-q",
            ],
            stdout=subprocess.PIPE,
            check=True,
        )
        return json.loads(done.stdout)

    def best(self, buckets):
        """Each boundary as the longest duration within it, without the last one."""
        longest = {}
        for seconds in self.seconds:
            longest[frames_of(seconds)] = max(seconds, longest.get(frames_of(seconds), 0))
        counts = collections.Counter(map(frames_of, self.seconds))
        boundaries, tokens = best_boundaries(counts, buckets)
        return [longest[frames] for frames in boundaries[:-1]], tokens

    def tokens_to(self, bins):
        """With every sample padded to the longest of its bucket, which is found in Lhotse's way."""
        frames = [[] for _ in range(len(bins) + 1)]
        for seconds in self.seconds:
            frames[bisect.bisect_left(bins, seconds)].append(frames_of(seconds))
        return sum(max(of) * len(of) for of in frames if of)

    def row(self, buckets, estimator, bins):
        run = self.run(",".join(repr(b) for b in bins))["run"]
        return {
            "corpus": self.name,
            "buckets": buckets,
            "estimator": estimator,
            "bounds": len(bins) + 1,
            "tokens": run["tokens"],
            "to_bounds": self.tokens_to(bins),
            "batches": run["iterations"],
            "in_batches": run["padded_tokens"],
        }


def rows_of(corpus, estimate):
    for buckets in BUCKETS:
        bins, tokens = corpus.best(buckets)
        best = corpus.row(buckets, "best", bins)
        assert best["to_bounds"] == tokens, (best, tokens)
        yield best
        yield corpus.row(buckets, "Lhotse", estimate(corpus.seconds[:FIRST], buckets))
        yield corpus.row(buckets, "NeMo", estimate(corpus.seconds, buckets))


def table(path):
    """(corpus, buckets) -> estimator -> extra padding up to bounds, and in batches."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            extra = [int(row[key]) / int(row["tokens"]) - 1 for key in ("to_bounds", "in_batches")]
            found.setdefault((row["corpus"], int(row["buckets"])), {})[row["estimator"]] = extra
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE"
    )
    parser.add_argument("--lhotse", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("-o", dest="out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    estimate = estimator_of(options.lhotse)
    with open(options.out, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, FIELDS, lineterminator="\n")
        out.writeheader()
        for name, seconds, budget in corpora():
            with tempfile.TemporaryDirectory() as folder:
                out.writerows(
                    rows_of(Corpus(options.program, name, seconds, budget, folder), estimate)
                )


if __name__ == "__main__":
    main()
