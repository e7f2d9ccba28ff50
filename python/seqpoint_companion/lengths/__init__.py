"""`python3 -m seqpoint_companion lengths`: the length of every sample of a training data set.

A data set is read by the Python library that wrote it, in the user's own environment. The result is
a CSV for `seqpoint scan` and `seqpoint select`. A library is imported when a source needs it, so
importing this package imports none. To read it, begin with lengths_command, sources (its table
names the module of each kind of source) and sample_length.
"""
