"""The batches of a sampler over given lengths, without a job: `order --sampler`.

What is imported here is for users' functions.
"""

from .sampled_rows import batch_of_tokens

__all__ = ["batch_of_tokens"]
