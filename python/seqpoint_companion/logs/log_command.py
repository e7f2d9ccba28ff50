"""The verb `log`: lines of a job's log -> the times of its batches, as a CSV."""

import argparse
import csv
import io
import sys

from .. import documents
from ..faults import BadInput, BadUsage, finish
from .line_pattern import LinePattern
from .log_lines import LogLines
from .log_steps import SECOND, LogSteps
from .skipped_progress import without_skipped

EPILOG = """groups of PATTERN, a regular expression of Python that is searched in each line:
  step or iteration        number of the step, or of the batch; step0, step1: the first number
  time, time_ms, time_us   duration of a step
  clock, clock_ms, ...     or when the line was written
  of                       number of steps in all
  epoch                    if steps restart in each epoch
  seqlen, tokens           length or tokens of the step

example:
  python3 -m seqpoint_companion log 'step:(?<step1>\\d+) .*time:(?<time>\\S+)' <train.log >times.csv

{document} has patterns for the logs of many programs."""


def add_pattern(parser):
    parser.add_argument("pattern", metavar="PATTERN", help="describes the lines")
    parser.add_argument(
        "--per", type=int, metavar="N", help="a time is the mean of N steps (1: of one)"
    )
    parser.add_argument(
        "--sum", action="store_true", help="with --per N: a time is that of N steps together"
    )


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python3 -m seqpoint_companion log",
        description="Reads a job's log from standard input, and writes the times of its batches "
        "as a CSV for `seqpoint project` and `seqpoint inspect`.",
        epilog=EPILOG.replace("{document}", documents.path_of("examples/log-patterns.txt")),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_pattern(parser)
    return parser


def read_log(file, name, asked):
    """The timed steps of an open log."""
    if asked.per is not None and asked.per < 1:
        raise BadUsage("--per: a time is of one step or more", "--per 1 for one step")
    if asked.sum and asked.per is None:
        raise BadUsage("--sum: of how many steps is a time?", "--per N --sum for N steps together")
    pattern = LinePattern(asked.pattern)
    return LogSteps(LogLines(file, name, pattern), asked.per, asked.sum)


def tell(notes):
    for note in notes:
        print(f"seqpoint: {note}", file=sys.stderr)


class TimesTable:
    """times.csv: the batches that were timed one by one; if there are none, the others."""

    def __init__(self, steps):
        self.steps, self.notes = steps, []
        self.of_one = self.of_several = 0
        fields = steps.lines.pattern.fields
        lengths = [name for name in ("seqlen", "tokens") if name in fields]
        total = steps.numbers.run_iterations()
        names = ["src_len" if name == "seqlen" else name for name in lengths]
        self.single, self.ranges = io.StringIO(newline=""), io.StringIO(newline="")
        single, ranges = (csv.writer(f, lineterminator="\n") for f in (self.single, self.ranges))
        single.writerow(["iteration", "runtime_s", *names, *["run_iterations"][: len(total)]])
        ranges.writerow(["first_iteration", "last_iteration", "runtime_s"])
        for step in without_skipped(steps, self.notes):
            if step.is_one:
                numbers = [getattr(step, name) for name in lengths]
                numbers = ["" if number < 0 else number for number in numbers]
                single.writerow([step.last, step.ns / SECOND, *numbers, *total])
                self.of_one += 1
            else:
                ranges.writerow([step.first, step.last, step.ns / SECOND])
                self.of_several += 1

    def text(self):
        return (self.single if self.of_one else self.ranges).getvalue()

    def notes_of_table(self):
        yield from self.steps.notes
        yield from self.notes
        name, stated = self.steps.name, self.steps.numbers.stated
        if self.of_several:
            kept = "they are left out" if self.of_one else "they identify no batch"
            yield (
                f"{name}: {self.of_several} times are of several batches, or too coarse for "
                f"one: {kept}; the verb eta takes the log as it is"
            )
        if self.steps.unit == "step":
            yield (
                f"{name} counts steps of the optimiser: with gradient accumulation they are no "
                "batches"
            )
        if stated and not self.steps.numbers.run_iterations():
            yield (
                f"{name}:{stated.line}: says that there are {stated.steps} steps in "
                f"{'an epoch' if stated.of_epoch else 'all'}: compare that with the run"
            )


def run(arguments):
    asked = make_parser().parse_args(arguments)
    steps = read_log(sys.stdin.buffer, "-", asked)
    if steps.unit == "epoch":
        raise BadUsage(
            "lines are epochs: they identify no batch",
            "python3 -m seqpoint_companion eta ORDER LOG PATTERN takes them",
        )
    table = TimesTable(steps)
    tell(table.notes_of_table())
    if not table.of_one and not table.of_several:
        raise BadInput(f"{steps.name}: has no time of a step", "a clock needs two lines")
    sys.stdout.write(table.text())


def main(arguments):
    return finish(run, arguments)
