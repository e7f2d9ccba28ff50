"""The number of tokens in a batch without padding, if its tensors reveal it.

Source tokens are counted by the source's mask, or by the last entry of `cu_seqlens` if samples are
packed. Target tokens are counted by a mask or by labels that the loss does not ignore. The labels
of a language model are not counted, because an ignored prompt is not padding. If samples have
several sequences, each needs a mask beside it.
"""

from ..shapes import IDS, OTHERS, PACKED, name_in, named_tensors, sequences_in, tensors_in

IGNORED = -100  # torch.nn.functional.cross_entropy's ignore_index
MASK = "attention_mask"


def tokens_in(batch, sides):
    """Tokens without padding, or None if they cannot be determined.

    `sides`: the places of the tensors that lengths are taken from, source before target.
    """
    if OTHERS in sides:
        return tokens_of_sequences(tensors_in(batch))
    tensors = named_tensors(batch)
    if [name_in(where) for where in sides] == ["labels"]:
        return counted(tensors.get("labels"))
    source = packed(tensors) or masked(tensors.get(MASK))
    if source is None or len(sides) == 1:
        return source
    target = masked(tensors.get(f"decoder_{MASK}"))
    if target is None:
        target = counted(tensors.get("labels"))
    return None if target is None else source + target


def tokens_of_sequences(tensors):
    """Tokens of all sequences, each by the mask in the same place."""
    shapes = {where: tensor.shape for where, tensor in tensors.items()}
    masks = [MASK.join(where.rsplit(IDS, 1)) for where in sequences_in(shapes)]
    tokens = [masked(tensors.get(where)) for where in masks]
    return None if None in tokens else sum(tokens)


def packed(tensors):
    """The end of the last sample; 0 or None if samples are not packed."""
    for name, tensor in tensors.items():
        if name.startswith(PACKED) and tensor.dim() == 1 and len(tensor):
            return int(tensor[-1])
    return None


def masked(mask):
    """The number of places that a mask of (samples, places) selects; None for other masks."""
    return int((mask != 0).sum()) if mask is not None and mask.dim() == 2 else None


def counted(labels):
    """The number of labels that the loss does not ignore.

    None if it ignores none, because padding is then counted as well.
    """
    if labels is None or labels.dim() != 2:
        return None
    looked_at = int((labels != IGNORED).sum())
    return looked_at if looked_at < labels.numel() or len(labels) == 1 else None
