"""The verbs that run a job: order, record and measure."""

from . import launch, options


def order(arguments):
    """`order`: writes the batches of one epoch, as the job's own loader makes them.

    Then ends the job. With --sampler MODULE:FUNCTION, the batches of the sampler that the function
    makes of lengths: no job.
    """
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if any(word.split("=")[0] == "--sampler" for word in own):
        from .samplers import sampler_command

        return sampler_command.main(arguments)
    parser = options.parser_of("order", order.__doc__)
    parser.add_argument(
        "--lengths", action="store_true", help="also read the batches and write their lengths"
    )
    parser.add_argument(
        "--batches",
        type=options.positive,
        metavar="N",
        help="maximum number of batches [the epoch]",
    )
    parser.add_argument(
        "--epochs",
        type=options.positive,
        metavar="N",
        help="the job's first N epochs; it trains on the first batches of each [1]",
    )
    return launch.launch(*options.parse(parser, arguments))


def record(arguments):
    """`record`: times every iteration of the unchanged job."""
    parser = options.parser_of("record", record.__doc__)
    options.add_details(parser)
    return launch.launch(*options.parse(parser, arguments))


def measure(arguments):
    """`measure`: makes the job run the batches of a plan, then ends it."""
    parser = options.parser_of("measure", measure.__doc__)
    options.add_details(parser)
    parser.add_argument(
        "--traces",
        metavar="DIR",
        help="run each point once more under torch.profiler, and keep the traces here",
    )
    parser.add_argument("plan", metavar="PLAN", help="plan.json")
    chosen, job = options.parse(parser, arguments)
    if chosen.traces and chosen.peak_memory:
        parser.error("--traces and --peak-memory both need torch.profiler: leave one of them out")
    return launch.launch(chosen, job)
