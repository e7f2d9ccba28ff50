"""The batches of a framework's own sampler over given lengths, without its job: `order --sampler`.

    lengths      the CSV with one length per row, and the data set that a sampler sees
    arguments    which argument a parameter of the sampler gets
    passes       epochs: set_epoch, the passes over a sampler, its random numbers
    sampled_rows     a sampler's output -> rows of the data set
    rank_processes   ranks, each in its own process
    sampler_command  the command line, and the file that is written
"""

from .sampled_rows import batch_of_tokens, in_turn

__all__ = ["batch_of_tokens", "in_turn"]
