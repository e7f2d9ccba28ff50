"""The tensors of a batch, however nested, and the names of their axes."""

import collections.abc
import re

import torch

SIGNATURE = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens")
# Names of tensors that reveal their side of pairs; without pairs, the source is alone.
MEANT = {
    "src_len": ("input_ids", "attention_mask"),
    "tgt_len": ("decoder_input_ids", "labels"),
}
MOST_ITEMS, DEEPEST = 8, 4  # of a container to look into; longer ones are samples


def shapes_in(value, where="batch", depth=0):
    """{tensor: its shape}. A list is an axis of its own, before those of its items."""
    if isinstance(value, torch.Tensor):
        return {where: value.shape} if value.shape else {}
    shape = own_shape(value)
    shapes = {where: shape} if shape else {}
    if depth < DEEPEST:
        for inside, item in items_of(value, where)[:MOST_ITEMS]:
            shapes.update(shapes_in(item, inside, depth + 1))
    return shapes


def named_tensors(value, where="batch", depth=0):
    """{name: tensor} of a batch's content; the first one if several have the same name."""
    if isinstance(value, torch.Tensor):
        return {name_in(where): value}
    tensors = {}
    if depth < DEEPEST:
        for inside, item in items_of(value, where)[:MOST_ITEMS]:
            tensors = {**named_tensors(item, inside, depth + 1), **tensors}
    return tensors


def own_shape(value):
    """The shape of a packed sequence, a list, or any other object that has one."""
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return int(value.batch_sizes[0]), len(value.batch_sizes)
    if isinstance(value, collections.abc.Mapping):
        return ()
    if isinstance(value, (list, tuple)):
        return len(value), *longest_of([getattr(item, "shape", ()) for item in value])
    return tuple(getattr(value, "shape", ()))


def longest_of(shapes):
    """The largest size of each axis, if all have the same number of axes."""
    alike = len({len(shape) for shape in shapes}) == 1
    return tuple(map(max, zip(*shapes))) if alike else ()


def items_of(value, where):
    """[(place, item)] of a container.

    Packed sequences and arrays of other libraries are not opened.
    """
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return []
    if isinstance(value, collections.abc.Mapping):
        return [(f"{where}[{key!r}]", item) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [(f"{where}[{n}]", item) for n, item in enumerate(value)]
    if hasattr(value, "__dict__") and not getattr(value, "shape", ()):
        return [(f"{where}.{name}", item) for name, item in vars(value).items()]
    return []


def sizes_in(batch):
    """{tensor and axis, as "batch['input_ids'] axis 1": size}."""
    return {
        f"{where} axis {axis}": size
        for where, shape in shapes_in(batch).items()
        for axis, size in enumerate(shape)
    }


def name_in(axis):
    """From "batch['input_ids'] axis 1": input_ids, with or without the axis."""
    return re.search(r"(\w+)\W*( axis \d+)?$", axis).group(1)


def padded_tokens(columns):
    """The size of a batch with these columns, padding included."""
    lengths = columns.get("src_len", columns.get("tokens", 0)) + columns.get("tgt_len", 0)
    return lengths * columns.get("batch_size", 1)
