"""Numbers that are probably not lengths, or in another unit than their column's name suggests.

Each of these is an error if it would be wrong by a factor; setting the unit resolves it.
"""

from ..faults import BadInput

ENOUGH = 8  # fewer numbers may look so by chance
MANY = 16  # as many equal lengths cause a warning
LONG = 500  # seconds. Recordings that are longer have fractions; a word takes 500 ms


def require_plausible(lengths, source, choice, options, unit):
    """Checks the numbers in a source. Lengths that were counted need no check."""
    if options.length_unit is not None or len(lengths.src) < ENOUGH:
        return
    if unit == "seconds" and not lengths.counts["audio"]:
        require_seconds(lengths.src, source, choice, options)
    if unit is None and lengths.counts["numbers"] == len(lengths.src):
        require_no_totals(lengths.src, source, choice)


def require_seconds(values, source, choice, options):
    """Milliseconds in a column named as seconds: all numbers are whole, and most are large."""
    a_second = 1.0 if options.seconds else 1.0 / options.frame_shift
    median = sorted(values)[len(values) // 2] / a_second
    if median < LONG or any(value % a_second for value in values):
        return
    raise BadInput(
        f"{source.path}: field '{choice.src}': may be milliseconds: half of the samples would "
        f"last {median / 60:.0f} min or more",
        "--length-unit ms, or --length-unit seconds if that is right",
    )


def require_no_totals(values, source, choice):
    """Running totals such as cu_seqlens: begin at 0, never fall, few neighbours are equal."""
    steps = list(zip(values, values[1:]))
    equal = sum(1 for before, after in steps if before == after)
    if values[0] != 0 or any(after < before for before, after in steps) or equal * 10 > len(steps):
        return
    field = f": field '{choice.src}'" if choice.src else ""
    raise BadInput(
        f"{source.path}{field}: begins at 0 and rises from row to row: they may be running totals",
        "write the differences of the rows; or --length-unit tokens if these are lengths",
    )


def doubts(lengths):
    """Warnings about all lengths together."""
    zeros = sum(1 for value in lengths.src if value == 0)
    if zeros:
        samples = "sample" if zeros == 1 else "samples"
        yield (
            f"{zeros} {samples} of {len(lengths.src)} with a length of 0, kept "
            "(scan --min-length 1 leaves them out)"
        )
    if len(lengths.src) >= MANY and min(lengths.src) == max(lengths.src):
        yield (
            f"all {len(lengths.src)} samples have the length {lengths.src[0]}: check that the "
            "column is the right one"
        )
