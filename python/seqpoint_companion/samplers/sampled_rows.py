"""What a sampler yields, as rows of the data set and, for packed sequences, their lengths."""

import collections.abc
import itertools

from ..faults import BadUsage

BY_HAND = "yield lists of row numbers from the function"
NUMBERS = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens")  # columns besides the rows
MOST, AT_LEAST = 100, 1000  # an epoch of more than 100 times the rows, 1000 or more, does not end


def batches_of(sampler, options, lengths):
    """The batches of a pass, each a dictionary of columns; `rows` is a list."""
    items = iter(sampler)
    first = next(items, None)
    if first is None:
        raise BadUsage("the sampler yields nothing", "give it more samples, or a smaller batch")
    items = itertools.chain([first], items)
    if is_row(first):
        items = chunks(items, options)
    elif options.batch_size is not None or options.drop_last:
        raise BadUsage(
            "--batch-size, --drop-last: the sampler makes batches itself", "leave them out"
        )
    found, rows = [], 0
    for item in itertools.islice(items, options.batches):
        found.append(columns_of(item, lengths))
        rows += len(found[-1]["rows"])
        if options.batches is None and rows > MOST * max(len(lengths), AT_LEAST):
            raise BadUsage(f"the sampler does not end: {rows} rows so far", "add --batches N")
    return found


def is_row(item):
    return hasattr(item, "__index__") and not getattr(item, "shape", ())


def chunks(rows, options):
    """Batches of the rows of a sampler of single rows, as a DataLoader makes them."""
    if options.batch_size is None:
        raise BadUsage("the sampler yields single rows", "add --batch-size N")
    batch = list(itertools.islice(rows, options.batch_size))
    while batch and not (options.drop_last and len(batch) < options.batch_size):
        yield batch
        batch = list(itertools.islice(rows, options.batch_size))


def columns_of(item, lengths):
    if isinstance(item, collections.abc.Mapping):
        return named_columns(item, lengths)
    items = listed(item)
    if items and not any(map(is_row, items)):
        return packed(items, lengths)
    return {"rows": numbered(items, lengths)}


def listed(item):
    if isinstance(item, (str, bytes)) or not hasattr(item, "__iter__"):
        raise BadUsage(f"the sampler yields {short(item)}: no rows", BY_HAND)
    return list(item)


def numbered(items, lengths):
    rows = []
    for item in items:
        if not is_row(item):
            raise BadUsage(f"a batch has {short(item)} in it, which is no row number", BY_HAND)
        row = item.__index__()
        if not 0 <= row < len(lengths):
            raise BadUsage(f"the sampler yields row {row} of {len(lengths)}, from 0", BY_HAND)
        rows.append(row)
    return rows


def packed(sequences, lengths):
    """A batch of sequences, each of several rows one after another, padded to the longest."""
    rows = [numbered(listed(sequence), lengths) for sequence in sequences]
    longest = max(sum(lengths[row] for row in sequence) for sequence in rows)
    everything = list(itertools.chain(*rows))
    return {"rows": everything, "src_len": longest, "batch_size": len(rows)}


def named_columns(item, lengths):
    """A batch with its padded lengths: {"rows": [...], "src_len": 512, "batch_size": 8}."""
    unknown = [key for key in item if key not in ("rows", *NUMBERS)]
    if "rows" not in item or unknown:
        raise BadUsage(
            f"the sampler yields a dictionary of {', '.join(map(str, item))}",
            f"its keys are rows and, of padded or packed batches, {', '.join(NUMBERS)}",
        )
    numbers = {key: item[key].__index__() for key in NUMBERS if key in item}
    return {"rows": numbered(listed(item["rows"]), lengths), **numbers}


def batch_of_tokens(sequences, padded_to):
    """A batch of packed sequences whose tokens are numbers of rows; below 0 they are padding.

    For users' functions. A row that was cut is in every sequence that contains a piece of it; a row
    that continues in the next sequence is named once.
    """
    rows, tokens, squares = [], 0, 0
    for row, piece in itertools.chain(*(itertools.groupby(map(int, rows)) for rows in sequences)):
        length = len(list(piece))
        if row < 0:
            continue
        if rows[-1:] != [row]:
            rows.append(row)
        tokens += length
        squares += length**2
    sizes = {"src_len": padded_to, "batch_size": len(sequences)}
    return {"rows": rows, **sizes, "tokens": tokens, "sq_tokens": squares}


def short(item):
    text = repr(item)
    return text if len(text) <= 60 else f"{text[:57]}..."
