"""The batches of a framework's own sampler over given lengths, without its job: `order --sampler`.

    lengths      the CSV with a length a row, and the data set that a sampler is shown
    arguments    which argument a parameter of the sampler gets
    passes       epochs: set_epoch, the passes over a sampler, its random numbers
    batches      what a sampler hands out -> rows of the data set
    processes    ranks: each in a process of its own
    command      the command line, and the file that is written
"""

from .batches import batch_of_tokens, in_turn

__all__ = ["batch_of_tokens", "in_turn"]
