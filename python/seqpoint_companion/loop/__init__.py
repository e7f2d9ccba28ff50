"""Observes the training loader of an unchanged job.

Imported inside the job, once it has imported PyTorch.

    loaders        what is replaced in loaders
    base           which loop is held, and the output of its sampler
    position       a loop over a loader; stateful: one that goes on from a state
    training       backward passes and optimiser steps
    axes           which axes of a batch are its samples and lengths
    batch_columns  the columns of a batch: rows and lengths, of all ranks
    token_counts   tokens of a batch without padding
    frameworks     begin and end of iterations in Hugging Face's Trainer and in Lightning
    surroundings   whether a pass is the job's epoch; early_end, expressions: by its source
    more_workers, sampled   a long epoch's batches by more processes, or a part of them
    redrawn        rows of other lengths at each reading
    draws          how much the epochs of a sampler differ
    other_work     other work inside an iteration
    stretch        consecutive batches after a plan
    order_loop, timed_loop, plan_loop   order, record and measure: the uses of the batches
"""
