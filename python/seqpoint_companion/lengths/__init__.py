"""`python3 -m seqpoint_companion lengths`: the length of every sample of a training data set.

What a Python library wrote is read by that library, in the user's own environment. The result is a
CSV for `seqpoint scan` and `seqpoint select`. A library is imported where a source needs it, so
importing this package imports none. The modules, in the order in which to read them:

    command          the command line; from sources to the CSV
    faults           errors with their place, a way out and an exit status
    options          what the user asked for, checked
    sources          which kind of source an argument is; the modules below read one kind each
        tables           Arrow, Parquet (pyarrow)
        hugging_face     data sets saved or cached by Hugging Face (datasets)
        text_files       JSON, JSON lines, CSV, plain text
        web_dataset      tar shards (webdataset)
        energon          Energon's folders of them (webdataset, yaml)
        mosaic           MDS shards (streaming)
        arrays           .npy (numpy)
        audio            headers of audio files (soundfile)
        objects          a data set of the job's own code
    columns          which column or key holds the lengths
    measure          the length of one sample
        tokens           tokenizers
        chats            conversations, and what in them is no text
        units            seconds, samples, frames
    processes        the same lengths by several processes
    checks           numbers that are probably no lengths, or in another unit
    outputs          a file that is whole or not there; progress on a terminal
"""
