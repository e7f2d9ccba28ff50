"""The tensors of a batch, however nested, and the names of their axes."""

import collections.abc
import functools
import operator
import re
import sys

from .asking import answer, has, is_a, text_of

SIGNATURE = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens")
# Names of tensors that reveal their side of pairs; without pairs, the source is alone.
MEANT = {
    "src_len": ("input_ids", "attention_mask"),
    "tgt_len": ("sequences", "decoder_input_ids", "labels"),
}
OTHERS = "other sequences"  # in place of a tensor: all of a sample's sequences but the first
IDS = "input_ids"  # a name ends with it where a sample has several sequences
PACKED = "cu_seq"  # begins the name of the ends of samples in one row
MOST_ITEMS, DEEPEST = 8, 4  # of a container to look into; longer ones are samples


def shapes_in(batch):
    """{tensor: its shape}. A list is an axis of its own, before those of its items.

    So is a list of samples that are mappings. A row of packed samples is an axis of size 1. What an
    object does not tell is left out.
    """
    return answer(_shapes_in, batch, unknown={})


def _shapes_in(batch):
    shapes = {}
    add_shapes(shapes, batch, "batch", 0)
    rows, packed, sequences = kinds_in(shapes)
    if rows:
        shapes = rows_of_packed(shapes, rows, packed)
        sequences = sequences_in(shapes)
    return with_others(shapes, sequences) if len(sequences) > 1 else shapes


def add_shapes(shapes, value, where, depth):
    """Adds the shapes of the tensors in `value`, which is at the place `where` of the batch."""
    if is_tensor(value):
        shape = answer(shape_of, value, unknown=())
        if shape:
            shapes[where] = shape
        return
    value = answer(by_key, value) or value
    shape = answer(own_shape, value, unknown=())
    if shape:
        shapes[where] = shape
    if depth < DEEPEST:
        for inside, item in items_of(value, where)[:MOST_ITEMS]:
            add_shapes(shapes, item, inside, depth + 1)


def is_tensor(value):
    torch = sys.modules.get("torch")
    return torch is not None and is_a(value, torch.Tensor)


def is_packed(value):
    torch = sys.modules.get("torch")
    return torch is not None and is_a(value, torch.nn.utils.rnn.PackedSequence)


def shape_of(tensor):
    """The shape of a tensor; of a nested one that of its padded samples."""
    if not tensor.is_nested:
        return tuple(tensor.shape)
    samples = [sample.shape for sample in tensor.unbind()]
    return len(samples), *longest_of(samples)


def is_list(value):
    """Whether it is a list or tuple; one that only calls itself so is not opened."""
    return issubclass(type(value), (list, tuple))


def items_in(value):
    """The items of a list or tuple, past what its own class may do when it is iterated."""
    kind = list if issubclass(type(value), list) else tuple
    return [*kind.__iter__(value)]


def is_mapping(value):
    return is_a(value, collections.abc.Mapping)


def by_key(value):
    """{key: [of each sample]} of samples that are mappings, with sequences of their own, which are
    not yet batched; else None."""
    samples = items_in(value) if is_list(value) else []
    if not samples or not all(map(is_mapping, samples)):
        return None
    alike = len({frozenset(sample) for sample in samples}) == 1
    if not alike or any(getattr(item, "ndim", 0) > 1 for item in samples[0].values()):
        return None
    return {key: [sample[key] for sample in samples] for key in samples[0]}


@functools.lru_cache(maxsize=64)
def kinds_of(places, numbers):
    """(places that may be rows, whether samples are packed, sequences), by numbers of axes."""
    axes = list(zip(places, numbers))
    ends = [where for where, _ in axes if name_in(where).startswith(PACKED)]
    rows = [where for where, number in axes if number == 1 and where not in ends]
    sequences = [where for where, number in axes if number == 2 and is_sequence(name_in(where))]
    rows = rows if ends else [where for where in rows if name_in(where).endswith(IDS)]
    return rows, bool(ends), sequences


def is_sequence(name):
    return name.endswith(IDS) and not name.startswith("decoder_")


def kinds_in(shapes):
    return kinds_of(tuple(shapes), tuple(map(len, shapes.values())))


def rows_of_packed(shapes, rows, packed):
    """The shapes, in which a sequence of packed samples has an axis of one row in front."""
    longest = max(shapes[where][0] for where in rows)
    rows = [
        row for row in rows if not packed or is_sequence(name_in(row)) or shapes[row][0] == longest
    ]
    return {**shapes, **{where: (1, *shapes[where]) for where in rows}}


def with_others(shapes, sequences):
    """The shapes, and that of all of a sample's sequences but the first, side by side."""
    samples = shapes[sequences[0]][0]
    return {**shapes, OTHERS: (samples, sum(shapes[where][1] for where in sequences[1:]))}


def sequences_in(shapes):
    """The tensors of a sample's sequences: a preference and a triplet have several."""
    return kinds_in(shapes)[2]


def tensors_in(value, where="batch", depth=0):
    """{place: tensor} of a batch's content."""
    if is_tensor(value):
        return {where: value}
    tensors = {}
    if depth < DEEPEST:
        for inside, item in items_of(value, where)[:MOST_ITEMS]:
            tensors.update(tensors_in(item, inside, depth + 1))
    return tensors


def named_tensors(value):
    """{name: tensor} of a batch's content; the first one if several have the same name."""
    tensors = reversed(tensors_in(value).items())
    return {name_in(where): tensor for where, tensor in tensors}


def own_shape(value):
    """The shape of a packed sequence, a list, or any other object that has one."""
    if is_packed(value):
        return int(value.batch_sizes[0]), len(value.batch_sizes)
    if is_mapping(value):
        return ()
    if is_list(value):
        items = items_in(value)
        return len(items), *longest_of([shape_of_item(item) for item in items])
    return stated_shape(value)


def shape_of_item(item):
    """The shape of an item of a list: of a tensor, or of a sequence of numbers."""
    numbers = items_in(item) if is_list(item) else []
    if numbers and is_a(numbers[0], (int, float)):
        return (len(numbers),)
    return stated_shape(item)


def stated_shape(value):
    """The shape that an array states; () if it states none, or one that is not of numbers."""
    return answer(lambda: tuple(map(operator.index, value.shape)), unknown=())


def longest_of(shapes):
    """The largest size of each axis, if all have the same number of axes."""
    alike = len({len(shape) for shape in shapes}) == 1
    return tuple(map(max, zip(*shapes))) if alike else ()


def items_of(value, where):
    """[(place, item)] of a container.

    Packed sequences and arrays of other libraries are not opened.
    """
    if is_packed(value):
        return []
    if is_mapping(value):
        pairs = answer(lambda: list(value.items()), unknown=[])
        return [(f"{where}[{text_of(key)}]", item) for key, item in pairs]
    if is_list(value):
        return [(f"{where}[{n}]", item) for n, item in enumerate(items_in(value))]
    if has(value, "__dict__") and not stated_shape(value):
        return [(f"{where}.{name}", item) for name, item in answer(vars, value, unknown={}).items()]
    return []


def sizes_in(batch):
    """{tensor and axis, as "batch['input_ids'] axis 1": size}."""
    return {
        f"{where} axis {axis}": size
        for where, shape in shapes_in(batch).items()
        for axis, size in enumerate(shape)
    }


@functools.lru_cache(maxsize=1024)
def name_in(axis):
    """From "batch['input_ids'] axis 1": input_ids, with or without the axis."""
    return re.search(r"(\w+)\W*( axis \d+)?$", axis).group(1)


def padded_tokens(columns):
    """The size of a batch with these columns, padding included."""
    lengths = columns.get("src_len", columns.get("tokens", 0)) + columns.get("tgt_len", 0)
    return lengths * columns.get("batch_size", 1)
