"""The number of tokens in a batch without padding, if its tensors reveal it.

Source tokens are counted by the source's mask, or by the last entry of `cu_seqlens` if samples are
packed. Target tokens are counted by a mask or by labels that the loss does not ignore. The labels
of a language model are not counted, because an ignored prompt is not padding.
"""

from ..shapes import named_tensors

IGNORED = -100  # torch.nn.functional.cross_entropy's ignore_index


def tokens_in(batch, has_target):
    """Tokens of source and target, or None if one of them cannot be determined."""
    tensors = named_tensors(batch)
    source = packed(tensors) or masked(tensors.get("attention_mask"))
    if source is None or not has_target:
        return source
    target = masked(tensors.get("decoder_attention_mask"))
    if target is None:
        target = counted(tensors.get("labels"))
    return None if target is None else source + target


def packed(tensors):
    """The end of the last sample; 0 or None if samples are not packed."""
    for name, tensor in tensors.items():
        if name.startswith("cu_seq") and tensor.dim() == 1 and len(tensor):
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
