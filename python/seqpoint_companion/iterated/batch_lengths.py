"""The columns of a batch: by the job's function, else by the shape of its arrays."""

import collections.abc
import functools

from ..asking import attribute, text_of
from ..saying import give_up
from ..shapes import MEANT, items_of, name_in, shapes_in, stated_shape

COLUMNS = ("src_len", "tgt_len", "batch_size")
GIVE_LENGTHS = "say how long a batch is: seqpoint.iterate(batches, lambda batch: ...)"
FORMS = "a number, (src_len, tgt_len), (src_len, tgt_len, batch_size), or a dict of these"
DEEPEST = 4  # containers within containers


def columns_of(lengths, pad):
    """(function that returns the columns of a batch, what it counts in words)."""
    if lengths is not None:
        return functools.partial(by_function, lengths), attribute(lengths, "__name__", "lengths")
    if pad is not None:
        return functools.partial(without_padding, pad), f"what is not {text_of(pad)}"
    return by_shape, "axis 1 of the first array"


def by_function(lengths, batch):
    found = lengths(batch)
    if not isinstance(found, collections.abc.Mapping):
        values = found if isinstance(found, (list, tuple)) else (found,)
        found = dict(zip(COLUMNS, values)) if len(values) <= len(COLUMNS) else {}
    columns = {name: int(value) for name, value in found.items() if value is not None}
    if "src_len" not in columns:
        give_up(f"lengths(batch) returned {text_of(found)}, not {FORMS}", GIVE_LENGTHS)
    samples = next((shape[0] for shape in shapes_in(batch).values() if shape), None)
    return columns if samples is None else {"batch_size": samples, **columns}


def by_shape(batch):
    _, shape = first_array(batch)
    return {"src_len": shape[1], "batch_size": shape[0]}


def without_padding(pad, batch):
    """The longest sample, and all tokens: of a batch that is padded to one size, for example."""
    import numpy

    array = numpy.asarray(first_array(batch)[0])
    counts = (array != pad).reshape(*array.shape[:2], -1).any(axis=2).sum(axis=1)
    return {"src_len": int(counts.max()), "batch_size": len(counts), "tokens": int(counts.sum())}


def first_array(batch):
    """(array, shape): the first of several axes, by its name if it has one that is known."""
    found = [(name_in(where), array) for where, array in arrays_in(batch, "batch", 0)]
    named = [array for name, array in found if name in MEANT["src_len"]]
    for array in (*named, *(array for _, array in found)):
        return array, stated_shape(array)
    return give_up(f"no array with two axes in a batch: {type(batch).__name__}", GIVE_LENGTHS)


def arrays_in(value, where, depth):
    """(place, array) of the arrays with at least two axes: samples, then lengths."""
    if len(stated_shape(value)) > 1:
        yield where, value
    elif depth < DEEPEST:
        for inside, item in items_of(value, where):
            yield from arrays_in(item, inside, depth + 1)
