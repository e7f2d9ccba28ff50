"""`order`: writes the batches of one epoch, as the job's own loader makes them.

Then ends the job. With --sampler, the batches that a framework's sampler makes from lengths: no
job.
"""

from . import launch, options


def main(arguments):
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if any(word.split("=")[0] == "--sampler" for word in own):
        from .samplers import sampler_command

        return sampler_command.main(arguments)
    return order_of_job(arguments)


def order_of_job(arguments):
    parser = options.parser_of("order", __doc__)
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
