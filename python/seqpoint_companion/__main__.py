"""Runs an unchanged training job and observes the DataLoader that it trains from:

    order -o order.csv -- train.py ARGS            the batches of an epoch; nothing is trained
    order --lengths -o run.csv -- train.py ARGS    ... with their lengths: a batch list
    order --sampler MODULE:FUNCTION LENGTHS.csv    the batches of a sampler: no job
    record -o epoch.csv -- train.py ARGS           times of all batches: a timed batch list
    measure plan.json -o new.csv -- -m package     times of the points; then the job ends

or writes the lengths of a data set, read by the libraries that wrote it:

    lengths SOURCE... -o lengths.csv

or reads the log of a job, whose lines PATTERN describes:

    log PATTERN < train.log > times.csv            the times of its iterations
    eta ORDER LOG PATTERN                          the time that is left

The job is a script, or -m and a module. For several processes: torchrun -m seqpoint_companion ...
Each verb has its own --help; see also {document}.
"""

import pkgutil
import sys

from . import documents
from .statuses import INTERRUPTED, UNUSABLE

# {verb: the function of this package that runs it for arguments, and returns an exit status}
VERBS = {
    "order": "job_verbs:order",
    "record": "job_verbs:record",
    "measure": "job_verbs:measure",
    "lengths": "lengths.lengths_command:main",
    "log": "logs.log_command:main",
    "eta": "logs.eta_command:main",
}


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    verb = arguments[0] if arguments else "--help"
    if verb in ("-h", "--help"):
        print(f"usage: python3 -m seqpoint_companion {'|'.join(VERBS)} ...\n")
        print(__doc__.replace("{document}", documents.path_of("docs/companion.md")))
        return 0 if arguments else UNUSABLE
    if verb not in VERBS:
        print(
            f"seqpoint: error: {verb!r} is no verb of the companion\n"
            f"  hint: choose one of: {', '.join(VERBS)}",
            file=sys.stderr,
        )
        return UNUSABLE
    return pkgutil.resolve_name(f"seqpoint_companion.{VERBS[verb]}")(arguments[1:])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # before the job has begun
        sys.exit(INTERRUPTED)
