"""`python3 -m seqpoint_companion lengths`: the length of every sample of a training data set.

A data set is read by the Python library that wrote it, in the user's own environment. The result is
a CSV for `seqpoint scan` and `seqpoint select`. A library is imported when a source needs it, so
importing this package imports none. The modules, in reading order:

    command          the command line; from sources to the CSV
    faults           errors with their place, a way out and an exit status
    options          the user's options, checked
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
    columns          which column or key contains the lengths
    measure          the length of one sample
        tokens           tokenizers
        chats            conversations, and the media in them
        units            seconds, samples, frames
    processes        the same lengths by several processes
    checks           numbers that are probably not lengths, or in another unit
    outputs          a file that is written whole or not; progress on a terminal
"""
