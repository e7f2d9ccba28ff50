"""The batches of a framework's own sampler over given lengths, without its job: `order --sampler`.

What is imported here is for users' functions.
"""

from .sampled_rows import batch_of_tokens, in_turn

__all__ = ["batch_of_tokens", "in_turn"]
