"""`record`: times every iteration of the job, which runs as it is."""

from . import launch, options


def main(arguments):
    parser = options.parser_of("record", __doc__)
    options.add_peak_memory(parser)
    return launch.launch(*options.parse(parser, arguments))
