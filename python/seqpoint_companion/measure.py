"""`measure`: makes the job run the batches of a plan, then ends it."""

from . import launch, options


def main(arguments):
    parser = options.parser_of("measure", __doc__)
    options.add_peak_memory(parser)
    options.add_no_phases(parser)
    parser.add_argument("plan", metavar="PLAN", help="plan.json")
    return launch.launch(*options.parse(parser, arguments))
