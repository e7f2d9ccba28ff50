"""Orders of data sets that give the same row another length at each reading: random crops.

The length of a batch then tells nothing of the batch that comes in another pass. So all batches
count as one shape, of the mean length, and points are measured with the lengths that come.
"""

import csv

from ..outputs import whole_csv

LENGTHS = ("src_len", "tgt_len")  # of a padded sample
AMOUNTS = ("tokens", "sq_tokens", "padded_tokens")  # of a batch, in proportion to its samples


def even_out(path):
    """Gives all batches of an order the mean lengths. Returns the range of the first one's."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    samples = [int(row.get("batch_size") or 1) for row in rows]
    seen = [int(row["src_len"]) for row in rows if row.get("src_len")] or [0]
    for column in rows[0].keys() & {*LENGTHS, *AMOUNTS}:
        if any(not row[column] for row in rows):
            continue
        values = [int(row[column]) for row in rows]
        for row, value in zip(rows, evened(values, samples, column in LENGTHS)):
            row[column] = value
    with whole_csv(path) as file:
        file.write(rows[0])
        for row in rows:
            file.write(row.values())
    return min(seen), max(seen)


def evened(values, samples, of_each):
    """The same mean length for each, or amounts in proportion to the samples."""
    if of_each:
        values = [value * number for value, number in zip(values, samples)]
    mean = sum(values) / sum(samples)
    return [round(mean * (1 if of_each else number)) for number in samples]
