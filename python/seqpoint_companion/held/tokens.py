"""How many tokens of a batch are no padding, where its tensors reveal it.

A mask of the source counts it, or the last of `cu_seqlens` where samples are packed; a mask or
labels (but those that the loss ignores) count the target. The labels of a language model are no
count: a prompt that is ignored is no padding.
"""

from ..shapes import named_tensors

IGNORED = -100  # torch.nn.functional.cross_entropy's ignore_index


def tokens_in(batch, has_target):
    """Tokens of source and target, or None where one of them cannot be known."""
    tensors = named_tensors(batch)
    source = packed(tensors) or masked(tensors.get("attention_mask"))
    if source is None or not has_target:
        return source
    target = masked(tensors.get("decoder_attention_mask"))
    if target is None:
        target = counted(tensors.get("labels"))
    return None if target is None else source + target


def packed(tensors):
    """The end of the last sample; 0 or None: samples are not packed."""
    for name, tensor in tensors.items():
        if name.startswith("cu_seq") and tensor.dim() == 1 and len(tensor):
            return int(tensor[-1])
    return None


def masked(mask):
    """What a mask of samples and places lets through; others, as of heads, count nothing."""
    return int((mask != 0).sum()) if mask is not None and mask.dim() == 2 else None


def counted(labels):
    """How many labels count in the loss; None if none is ignored: padding then counts, too."""
    if labels is None or labels.dim() != 2:
        return None
    looked_at = int((labels != IGNORED).sum())
    return looked_at if looked_at < labels.numel() or len(labels) == 1 else None
