"""Observes a loop around `seqpoint.iterate`, of a job with any library.

The files and events are those of a PyTorch job (hooked.py). The job names its loop, so that nothing
has to be found: not the loop, nor whether it trains.

    source          the job's batches, and how each is reached
    batch_lengths   the columns of a batch
    jobs            what order, record and measure do with the batches
"""
