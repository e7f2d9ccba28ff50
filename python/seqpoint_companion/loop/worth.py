"""Whether points are useful: a short run, or one of a single shape, needs none.

`seqpoint run` decides by itself what is cheaper, so it is advised nothing.
"""

import os

FEW = 200  # iterations: points with repeats and warm-up take about as many
ANY = 20  # iterations that suffice if all are alike


def advice(number, tokens):
    """A line for the user, or "". `tokens`: padded tokens of each iteration; [] if unknown."""
    if os.environ.get("SEQPOINT_HOOK"):
        return ""
    if number < FEW:
        return f"{number} iterations are few to choose from: let `record` time them all"
    shapes = set(tokens[:-1])  # an epoch's last batch is smaller
    if len(shapes) == 1:
        return (
            f"all {number} iterations have one shape, of {shapes.pop()} tokens with padding: time "
            f"any {ANY}, and multiply"
        )
    return ""
