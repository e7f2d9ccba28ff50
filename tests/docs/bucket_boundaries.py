"""examples/bucket_boundaries.py finds the fewest padded tokens, and boundaries that were recorded:

    bucket_boundaries.py PROGRAM SOURCE_DIR
"""

import itertools
import os
import subprocess
import sys

PROGRAM, SOURCE = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(SOURCE, "examples"))
from bucket_boundaries import best_boundaries

SAMPLES, BATCHES = ["--lengths-only"], "--sampler pytorch --seed 1 --batch-size 16".split()
# Of examples/data/opennmt-sample.en.len: options, K, boundaries and padded tokens.
RECORDED = (
    (SAMPLES, 1, "50", 500000),
    (SAMPLES, 3, "20 32 50", 294404),
    (SAMPLES, 8, "12 17 21 25 29 34 41 50", 247142),
    (BATCHES, 1, "50", 500000),
    (BATCHES, 3, "40 45 50", 448640),
    (BATCHES, 8, "34 37 40 42 44 46 48 50", 430384),
)


def found(options, most):
    manifest = os.path.join(SOURCE, "examples", "data", "opennmt-sample.en.len")
    table = subprocess.run(
        [PROGRAM, "scan", "-qq", manifest, *options], check=True, capture_output=True
    )
    script = os.path.join(SOURCE, "examples", "bucket_boundaries.py")
    printed = subprocess.run(
        [sys.executable, script, str(most)], input=table.stdout, check=True, capture_output=True
    )
    boundaries, total = printed.stdout.decode().splitlines()
    return boundaries, int(total.split()[0])


def fewest(counts, most):
    """Every choice of boundaries, one by one."""
    lengths = sorted(counts)
    choices = itertools.combinations(lengths[:-1], min(most, len(lengths)) - 1)
    totals = []
    for chosen in choices:
        bounds = [*chosen, lengths[-1]]
        totals.append(sum(n * min(b for b in bounds if b >= l) for l, n in counts.items()))
    return min(totals)


for options, most, boundaries, tokens in RECORDED:
    assert found(options, most) == (boundaries, tokens), (options, most, found(options, most))
counts = {1: 3, 2: 1, 5: 4, 6: 1, 9: 2, 14: 1}
for most in range(1, 8):
    assert best_boundaries(counts, most)[1] == fewest(counts, most), most
print(f"{len(RECORDED)} recorded choices, 7 against all choices")
