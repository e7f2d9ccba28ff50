"""Exit statuses, the same as those of the program `seqpoint`."""

FAILED = 1  # the job ended before there was a result
UNUSABLE = 2  # the command line cannot be run, or the job not be observed
WRONG_INPUT = 3  # a plan, or a job that is not the plan's; a source that cannot be read
NOT_WRITTEN = 4  # a full disk, a folder without write permission
INTERRUPTED = 130
CLOSED_PIPE = 141
