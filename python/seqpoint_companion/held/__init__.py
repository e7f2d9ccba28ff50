"""A job that stays as it is, whose training loader is held. Imported inside the job, once it has
PyTorch.

    base         which loader trains, and what its sampler hands out
    axes         which axes of a batch are its samples and lengths
    columns      the columns of a batch: rows and lengths, of all ranks
    frameworks   where iterations begin and end in Hugging Face's Trainer and in Lightning
    tokens       tokens of a batch that are no padding
    worth        whether a run is long and varied enough for points
    interruptions   other work inside an iteration
    order, record, measure   what is done with the batches
"""
