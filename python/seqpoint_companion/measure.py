"""`measure`: makes the job run the batches of a plan, then ends it."""

from . import launch, options


def main(arguments):
    parser = options.parser_of("measure", __doc__)
    options.add_peak_memory(parser)
    options.add_no_phases(parser)
    options.add_traces(parser)
    parser.add_argument("plan", metavar="PLAN", help="plan.json")
    chosen, job = options.parse(parser, arguments)
    if chosen.traces and chosen.peak_memory:
        parser.error("--traces and --peak-memory both need torch.profiler: leave one of them out")
    return launch.launch(chosen, job)
