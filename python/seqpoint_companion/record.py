"""`record`: times every iteration of the unchanged job."""

from . import launch, options


def main(arguments):
    parser = options.parser_of("record", __doc__)
    options.add_peak_memory(parser)
    options.add_no_phases(parser)
    return launch.launch(*options.parse(parser, arguments))
