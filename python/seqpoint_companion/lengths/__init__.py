"""`python3 -m seqpoint_companion lengths`: the length of every sample of a training data set.

A data set is read by the Python library that wrote it, in the user's own environment. The result is
a CSV for `seqpoint scan` and `seqpoint select`. A library is imported when a source needs it, so
importing this package imports none. The modules, in reading order:

    lengths_command  the command line; from sources to the CSV
    length_options   the user's options, checked
    sources          which kind of source an argument is; the modules below read one kind each
        tables           Arrow, Parquet (pyarrow)
        hugging_face     data sets saved or cached by Hugging Face (datasets)
        text_files       JSON, JSON lines, CSV, plain text
        web_dataset      tar shards (webdataset)
        arrays           .npy (numpy)
        audio            headers of audio files (soundfile)
        objects          a data set of the job's own code
    columns          which column or key contains the lengths
    sample_length    the length of one sample
        text_tokens      tokenizers
        chats            conversations, and the media in them
        units            seconds, samples, frames
    parallel         the same lengths by several processes
    checks           numbers that are probably not lengths, or in another unit
    length_file      the CSV; progress on a terminal
"""
