"""The verb `eta`: a run's batches and the log of those that have run -> the time left."""

import argparse
import json
import sys

from ..faults import BadInput, finish
from .log_command import add_pattern, read_log, tell
from .printed_numbers import SECOND, duration
from .run_order import SAME_RUN, RunOrder
from .skipped_progress import UsualSteps, is_longer, note_of
from .time_left import STRETCHES, Span, Spans, Timed

FEW_TIMES = 10  # fewer than that separate no change of speed from noise

EPILOG = """ORDER is the batch list of the whole run, as `seqpoint scan` writes it. LOG is the job's
own (-: standard input). For the groups of PATTERN see `log --help`.

example:
  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 -o run.csv
  python3 -m seqpoint_companion eta run.csv train.log 'step:(?<step1>\\d+) .*time:(?<time>\\S+)'"""


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python3 -m seqpoint_companion eta",
        description="The time left of a running job, by the lengths of its remaining batches.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("order", metavar="ORDER")
    parser.add_argument("log", metavar="LOG")
    add_pattern(parser)
    parser.add_argument(
        "--skip", type=int, default=0, metavar="N", help="ignore the log's first N times"
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    return parser


class Reading:
    """Places the steps of a log in the run."""

    def __init__(self, order, steps, skip):
        self.order, self.steps, self.skip, self.notes = order, steps, skip, []
        self.per_epoch = steps.per if steps.unit == "epoch" else 1
        if steps.numbers.stated is not None:
            self._require_total(steps.numbers.stated, steps.unit)

    def _require_total(self, stated, unit):
        """BadInput if the log's own total is not the run's."""
        total = self.order.total(unit)
        if total is None:
            return
        epochs = (self.order.total("epoch") or 1) if stated.of_epoch else 1
        if total in (stated.steps * epochs, (stated.steps + stated.may_be_last) * epochs):
            return
        raise BadInput(
            f"{self.steps.name}:{stated.line}: says that there are {stated.steps} {unit}s in "
            f"{'an epoch' if stated.of_epoch else 'all'}, and {self.order.path} has {total}",
            "give the run that is logged, all epochs of it; a pattern without the group 'of' "
            "compares nothing",
        )

    def progress(self):
        """(the spans with times, ascending; iterations up to the last logged one)"""
        usual = UsualSteps(self.steps) if self.steps.is_clock else None
        spans, jumps, done = Spans(), [], 0
        for number, step in enumerate(self.steps):
            span = self._span_of(step)
            if usual and is_longer(step.last + 1 - step.first, usual.count):
                jumps.append((step, span))
            else:
                while spans and spans[-1].end > span.begin:  # the job began again there
                    spans.pop()
                if number >= self.skip:
                    spans.append(span)
            done = span.end
        if jumps:
            spans = self._with_executed(spans, jumps)
        self._require_times(spans)
        return spans, done

    def _span_of(self, step):
        if self.steps.unit == "epoch":
            begin, end = self.order.rows_of_epochs(step.first, step.last, self.per_epoch)
        else:
            begin, end = self.order.rows(self.steps.unit, step.first, step.last)
            self._require_same_shape(step, begin, end)
        times = step.last + 1 - step.first
        if self.steps.is_whole_epochs:
            times = self.per_epoch
        return Span(begin, end, times * step.ns / SECOND)

    def _require_same_shape(self, step, begin, end):
        """BadInput for a length that is not the run's. Each of several ranks has its own."""
        numbers = self.order.numbers
        if not step.is_one or end != begin + 1 or "ranks" in self.order.columns:
            return
        said = {"src_len": step.seqlen, "tokens": step.tokens}
        for name, number in said.items():
            if number >= 0 and name in numbers and numbers[name][begin] != number:
                raise BadInput(
                    f"{self.steps.name}:{step.line}: iteration {step.last} has {name} {number}, "
                    f"but {self.order.path} has {numbers[name][begin]}",
                    SAME_RUN,
                )

    def _with_executed(self, spans, jumps):
        """The spans and the jumps that took at least half of the time that the spans predict."""
        executed, timed = [], Timed(self.order, spans)
        for step, span in jumps:
            if spans and span.seconds < timed.least_seconds(span) / 2:
                self.notes.append(note_of(step, span.seconds, self.steps.name))
            else:
                executed.append(span)
        return Spans(sorted([*spans, *executed]))

    def _require_times(self, spans):
        if len(spans) < 2:
            raise BadInput(
                f"{self.steps.name}: has {len(spans)} times of steps", "two at the least"
            )
        if not any(span.seconds > 0 for span in spans):
            raise BadInput(f"{self.steps.name}: has no time above 0", "use a finer clock")


class Answer:
    """The time left, from a run's order, the spans with times, and the iterations that are done."""

    def __init__(self, order, spans, done):
        self.order, self.spans, self.done = order, spans, done
        self.start = Timed(order, self.spans).slow_beginning()
        steady = Timed(order, self.spans[self.start :])
        self.left = steady.estimate(self.done, order.count)
        self.timed = sum(span.end - span.begin for span in self.spans)
        self.seconds = sum(span.seconds for span in self.spans)
        before = order.functions(0, self.done)[1]
        self.work = before / (order.functions(0, order.count)[1] or 1.0)
        self.last = self._last_stretch(steady)

    @staticmethod
    def _last_stretch(timed):
        """(the last fifth, its time, what the others predict); None: too few, or with gaps."""
        number = len(timed.spans) // STRETCHES
        last = timed.spans[-number:]
        if number < FEW_TIMES or any(a.end != b.begin for a, b in zip(last, last[1:])):
            return None
        predicted = timed.estimate(last[0].begin, last[-1].end, 0.99, until=-number)
        return last, sum(span.seconds for span in last), predicted

    def notes(self, name):
        if self.start:
            seconds = sum(span.seconds for span in self.spans[: self.start])
            yield (
                f"{name}: the first {self.start} times, {seconds:.4g} s in all, are the start of "
                "the process; they are left out of the estimate"
            )
        if self.left.low is None:
            yield f"{name}: too few times for an interval"
        if self.is_off():
            last, seconds, predicted = self.last
            change = seconds / predicted.seconds - 1
            yield (
                f"warning: {name}: the last {len(last)} times are {100 * abs(change):.2g} % "
                f"{'longer' if change > 0 else 'shorter'} than the others predict: the machine's "
                "speed may have changed"
            )

    def is_off(self):
        """Whether the last fifth is outside the interval that the others give; None: no such."""
        if self.last is None or self.last[2].low is None:
            return None
        _, seconds, predicted = self.last
        return not predicted.low <= seconds <= predicted.high

    def text(self):
        timed = f"{self.timed} of them timed, " if self.timed < self.done else ""
        done = (
            f"done  {self.done} of {self.order.count} batches, {100 * self.work:.3g} % of the "
            f"work, {timed}in {duration(self.seconds)}"
        )
        if self.done == self.order.count:
            return f"{done}\nleft  nothing"
        return f"{done}\nleft  {duration(self.left.seconds)} ({self._interval()})"

    def _interval(self):
        if self.left.low is None:
            return "no interval"
        return f"{duration(self.left.low)} to {duration(self.left.high)}, 95 % confidence"

    def json(self):
        seconds, low, high = self.left
        return {
            "iterations": {
                "done": self.done,
                "timed": self.timed,
                "left": self.order.count - self.done,
            },
            "work_done": self.work,
            "seconds_done": self.seconds,
            "seconds_left": {"value": seconds, "low": low, "high": high},
        }


def run(arguments):
    asked = make_parser().parse_args(arguments)
    order = RunOrder(asked.order)
    if asked.log == "-":
        steps = read_log(sys.stdin.buffer, "-", asked)
    else:
        with open(asked.log, "rb") as file:
            steps = read_log(file, asked.log, asked)
    reading = Reading(order, steps, asked.skip)
    answer = Answer(order, *reading.progress())
    tell([*steps.notes, *reading.notes, *answer.notes(steps.name)])
    print(json.dumps(answer.json(), indent=1) if asked.json else answer.text())


def main(arguments):
    return finish(run, arguments)
