#!/usr/bin/env python3
"""The K bucket boundaries with the least padding:

    seqpoint scan train.jsonl --lengths-only -q | bucket_boundaries.py K
    seqpoint scan train.jsonl --batch-size 32 -q | bucket_boundaries.py K   # of padded batches

`torch.compile`, CUDA graphs (boundaries of batches): bounds = torch.tensor([...]); longest =
bounds[torch.bucketize(longest, bounds)]. tf.data: `bucket_by_sequence_length` with each boundary
plus 1, because its boundaries are exclusive, and `pad_to_bucket_boundary=True`. Lhotse and NeMo:
all but the last, times the seconds of a frame, as `duration_bins` or `bucket_duration_bins`.
"""
import collections
import csv
import sys


def best_boundaries(counts, most):
    """The boundaries and their padded tokens, by dynamic programming over the distinct lengths.

    counts: length -> sequences. Ties go to the smallest second-to-last boundary.
    """
    lengths = sorted(counts)
    before = [0]  # sequences of the first n lengths
    for length in lengths:
        before.append(before[-1] + counts[length])
    ends = range(1, len(lengths) + 1)
    best = [(0, ())] + [(float("inf"), ())] * len(lengths)
    for _ in range(min(most, len(lengths))):
        grown = best[:1]
        for end in ends:
            top = lengths[end - 1]
            totals = [best[n][0] + (before[end] - before[n]) * top for n in range(end)]
            start = min(range(end), key=totals.__getitem__)
            grown.append((totals[start], best[start][1] + (top,)))
        best = grown
    return best[-1][1], best[-1][0]


def main():
    counts = collections.Counter()
    for row in csv.DictReader(sys.stdin):
        counts[int(row["src_len"])] += int(row.get("batch_size", 1))
    boundaries, padded = best_boundaries(counts, int(sys.argv[1]))
    tokens = sum(length * sequences for length, sequences in counts.items())
    print(*boundaries)
    print(f"{padded} tokens, {100 * (padded / tokens - 1):.1f} % padding")


if __name__ == "__main__":
    main()
