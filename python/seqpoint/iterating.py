"""The loop of a job with any library, observed by `seqpoint run`."""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable, Optional, TypeVar

T = TypeVar("T")


def iterate(
    batches: Iterable[T],
    lengths: Optional[Callable[[T], Any]] = None,
    *,
    pad: Any = None,
    sync: Optional[Callable[[], Any]] = None,
) -> Iterable[T]:
    """The batches of a training loop: for batch in seqpoint.iterate(batches, lengths): ...

    Returns `batches` itself, unless `seqpoint run` has started the job: then it makes the order,
    gives the loop the batches of a plan, and times its body.

    batches   anything that a loop can be over: a list, a generator, a tf.data.Dataset, a Keras
              PyDataset, a grain.MapDataset. Where each start of the job has another order, batches
              of the measured lengths are looked for
    lengths   lengths(batch) is src_len, (src_len, tgt_len), (src_len, tgt_len, batch_size) or a
              dict of these [axis 1 of the batch's first array]
    pad       the number that pads: src_len is then the longest sample without it
    sync      sync() waits until the step has ended, for libraries that run it in the background
              [of JAX, TensorFlow and PyTorch this is known]
    """
    instrument = sys.modules.get("seqpoint_companion.instrument")
    loaders = getattr(instrument, "active", None)
    if loaders is None:
        return batches
    held: Iterable[T] = loaders.iterate(batches, lengths, pad, sync)
    return held
