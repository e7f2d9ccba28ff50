"""`order`: writes the batches of one epoch, as the job's own loader makes them.

Then ends the job.
"""

from . import launch, options


def main(arguments):
    parser = options.parser_of("order", __doc__)
    parser.add_argument(
        "--lengths", action="store_true", help="read the batches, and write their lengths, too"
    )
    parser.add_argument(
        "--batches", type=options.positive, metavar="N", help="no more than these [the epoch]"
    )
    return launch.launch(*options.parse(parser, arguments))
