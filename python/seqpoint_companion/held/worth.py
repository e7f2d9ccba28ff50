"""Whether points are useful: a short run, or one of a single shape, needs none."""

import statistics

FEW = 200  # iterations: points with repeats and warm-up take about as many
ANY = 20  # iterations that suffice if all are alike
ALIKE = 0.05  # share of the median, about the variation between processes
MOST = 0.95  # share of iterations: an epoch's last batch is smaller


def advice(number, tokens):
    """A line for the user, or "". `tokens`: padded tokens of each iteration; [] if unknown."""
    if number < FEW:
        rest = f", or time any {ANY} and multiply" if number > 2 * ANY else ""
        return f"{number} iterations are few to choose from: let `record` time them all{rest}"
    if tokens and nearly_one(tokens):
        return (
            f"nearly all {number} iterations have one shape, about {statistics.median(tokens):.0f} "
            f"tokens with padding: time any {ANY}, and multiply"
        )
    return ""


def nearly_one(tokens):
    middle = statistics.median(tokens)
    alike = sum(abs(of - middle) <= ALIKE * middle for of in tokens)
    return alike >= MOST * len(tokens)
