"""Observes the training loader of an unchanged job.

Imported inside the job, once it has imported PyTorch.

    loaders      what is replaced in loaders
    base         which loop is held, and the output of its sampler
    loop         a loop over a loader
    training     backward passes and optimiser steps
    axes         which axes of a batch are its samples and lengths
    columns      the columns of a batch: rows and lengths, of all ranks
    frameworks   begin and end of iterations in Hugging Face's Trainer and in Lightning
    tokens       tokens of a batch without padding
    worth        whether a run is long and varied enough for points
    interruptions   other work inside an iteration
    second_pass  whether the second epoch is another one
    stretch      consecutive batches after a plan
    order, record, measure   the uses of the batches
"""
