"""From the lines of a log to the times of steps: restarts, how many steps a time covers."""

from array import array
from typing import NamedTuple

from ..faults import BadInput, BadUsage
from .line_clock import LineClock, Reading
from .printed_numbers import SECOND
from .step_numbers import StepNumbers


class LogStep(NamedTuple):
    """Steps of the run, or epochs where lines are these, that were timed together."""

    first: int
    last: int
    ns: int  # of one of them
    line: int
    tokens: int  # -1: missing
    seqlen: int
    is_one: bool  # the time is of one step alone


class Place(NamedTuple):
    """A line, compared with the step before."""

    done: int  # steps of the run that are done after the line
    is_first: bool  # of the log, or after the job began again
    begin_ns: int  # the last clock of the step before
    distance: int  # steps since the step before; 0: of a first line


class Attempts:
    """The places of the lines in the run, whose job may have begun again."""

    def __init__(self, numbers):
        self.numbers, self.is_clock = numbers, numbers.pattern.is_clock
        self.last = self.place = None  # line, its place
        self.first_done = 0
        self.restarts, self.restart = 0, ""
        self.repeated = self.between_ns = 0

    def take(self, line):
        """None for a further line of a step. BadInput for a restart from the first step."""
        done = self.numbers.done(line)
        self.first_done = self.first_done or done
        last, before = self.last, self.place
        self.last = line
        if not last:
            self.place = Place(done, True, 0, 0)
            return self.place
        if done == before.done:
            if self.is_clock:  # a time between two lines of one step, as of an evaluation
                self.between_ns += max(line.ns - last.ns, 0)
            self.repeated += not self.is_clock
            return None
        if done < before.done or (before.done == 0 and self.restarts):
            self._require_restart(line, done, last)
        if done < before.done:
            self._begin_again(line, last)
            self.place = Place(done, True, 0, 0)
        else:
            self.place = Place(done, False, last.ns, done - before.done)
        return self.place

    def _require_restart(self, line, done, last):
        """A clock that begins at 0 steps may be that of a job that goes on from a checkpoint."""
        if done == 0 and self.is_clock:
            return
        if done <= self.first_done <= max(self.place.distance, 1):
            raise BadInput(
                f"{self.numbers.name}:{line.line}: step {line.step} follows {last.step}, as of "
                "several epochs, ranks or runs",
                "add a group 'epoch' to the pattern, and what tells one rank from others; or give "
                "the log of one run",
            )

    def _begin_again(self, line, last):
        self.restarts += 1
        self.restart = self.restart or (
            f"{self.numbers.name}:{line.line}: step {line.step} follows {last.step}: the job began "
            "again"
        )

    def notes(self):
        if self.between_ns:
            yield (
                f"{self.numbers.name}: {self.between_ns / SECOND:.4g} s between lines of one step "
                "are in no step's time; check what ran then"
            )
        if self.repeated:
            yield (
                f"{self.numbers.name}: {self.repeated} more lines of a step that already has one: "
                "the slowest counts"
            )
        if self.restarts:
            times = f", {self.restarts} times in all" if self.restarts > 1 else ""
            yield f"{self.restart}{times}; what ran twice is there twice"


def longest_interval(distances):
    """The steps from line to line, where they are most; 0: not known. Lost lines make single
    distances longer, so the smallest of three consecutive ones counts."""
    if len(distances) < 3:
        return min(distances, default=0)
    return max(map(min, distances, distances[1:], distances[2:]))


def require_per(distances, done, per, where):
    """BadInput if --per is needed and missing, or contradicts the lines. `done`: steps after the
    first line. A time may be of its step or a mean: a line does not show which."""
    interval = longest_interval(distances)
    if per is None and interval > 1:
        raise BadInput(
            f"{where}: lines come every {interval} steps: is a time of one step, the mean of "
            f"{interval}, or that of all {interval} together?",
            f"say --per 1 for one step, --per {interval} for a mean of {interval}, "
            f"--per {interval} --sum for {interval} together",
        )
    if per is None and interval == 0 and done > 1:
        raise BadInput(
            f"{where}: a single line does not say how many steps its time is of",
            "say --per 1 for one step, --per N for a mean of N, --per N --sum for N together",
        )
    if per is None:
        return
    nearer = sum(distance < per for distance in distances)
    if 2 * nearer < len(distances):
        return
    if done < per and interval < 2:
        raise BadInput(
            f"{where}: the step is {done}, and {per} steps (--per {per}) cannot end before step "
            f"{per}",
            "say --per N for lines that are the mean of N steps; of lines that are epochs call the "
            "group 'epoch'",
        )
    if 2 * nearer > len(distances):
        raise BadInput(
            f"{where}: lines come every {interval} steps, and --per {per} says that each is of "
            "more",
            f"say --per {interval}",
        )


class LogSteps:
    """The timed steps of a log, by iterating. `notes`: how it was read, complete after that."""

    def __init__(self, lines, per, is_sum=False):
        self.lines, self.numbers = lines, StepNumbers(lines)
        self.name, self.unit = lines.name, lines.pattern.unit
        self.said_per, self.per, self.is_clock = per, per or 1, lines.pattern.is_clock
        self.is_sum, self.notes_of_dates = is_sum, []
        self.whole_seconds = self.is_clock and lines.whole_seconds
        self.is_whole_epochs = self.unit == "epoch" and not self.is_clock
        if is_sum and self.is_whole_epochs:
            raise BadUsage("--sum: lines are epochs", "--per 1 for the time of a whole epoch")
        if per is not None and self.is_clock and self.unit != "epoch":
            raise BadUsage(
                "--per: times of a clock are of the steps between two lines", "leave it out"
            )
        self.first_line = self.numbers.survey.first
        self.first_place = f"{self.name}:{self.first_line.line}"
        if self.is_whole_epochs and per is None:
            raise BadInput(
                f"{self.first_place}: lines are epochs: is a time of a whole one, or the mean of "
                "its steps?",
                "say --per 1 for a whole epoch, --per N for the mean of its N steps",
            )
        if not self.is_clock:
            self._compare_with_dates()

    def _compare_with_dates(self):
        """BadInput if the times contradict the dates in their lines. Times of several steps are
        sums if the dates show that, and nobody has said what they are."""
        clock = LineClock(self.lines, Attempts(self.numbers))
        interval = longest_interval(clock.steps)
        if self.said_per is None and interval > 1:
            if not clock.fits(Reading(interval, True).per_line):
                return
            self.said_per = self.per = interval
            self.is_sum = True
            self.notes_of_dates.append(
                f"{self.name}: a time is of {interval} steps together, as the clock in its lines "
                f"shows; --per {interval} --sum says it"
            )
        reading = Reading(self.per, self.is_sum, self.is_whole_epochs)
        clock.require(reading, self.first_place, interval)

    def __iter__(self):
        """BadInput, at the end too: nothing that is made of the steps is to be written before."""
        self.set_back, self.first_set_back = 0, None
        attempts, distances = Attempts(self.numbers), array("q")
        held = None  # a line and its place: a first one's distance is that of the next
        for line in self.lines:
            place = attempts.take(line)
            if not place:
                if not self.is_clock and line.ns > held[0].ns:
                    held = line._replace(line=held[0].line), held[1]
                continue
            if not place.is_first:
                distances.append(place.distance)
            if held:
                if held[1].is_first:
                    held = held[0], held[1]._replace(distance=place.distance)
                yield from self._steps_of(*held)
            held = line, place
        if not self.is_clock and not self.is_whole_epochs:
            done = self.numbers.done(self.first_line)
            require_per(distances, done, self.said_per, self.first_place)
        yield from self._steps_of(*held)
        self.notes = [
            *self.lines.notes,
            *self.numbers.notes,
            *attempts.notes(),
            *self.notes_of_dates,
            *self._notes_of_clock(),
        ]

    def _notes_of_clock(self):
        if self.is_clock:
            seconds = " of whole seconds" if self.whole_seconds else ""
            yield (
                f"{self.name}: times are differences of a clock{seconds}: they contain validation "
                "and checkpoints"
            )
        if self.set_back:
            yield (
                f"{self.name}:{self.first_set_back}: the clock goes back or jumps, {self.set_back} "
                "steps left out; let the group 'clock' match the date, too"
            )

    def _steps_of(self, line, place):
        """The steps that a line times, if it times any."""
        count = self._count_of(place)
        if count == 0:
            return
        ns = (line.ns - place.begin_ns) // count if self.is_clock else line.ns
        ns = ns // count if self.is_sum else ns
        if ns < 0:
            self.set_back += 1
            self.first_set_back = self.first_set_back or line.line
            return
        is_one = count == 1 and not self.whole_seconds and self.unit != "epoch"
        last = place.done - 1
        yield LogStep(last + 1 - count, last, ns, line.line, line.tokens, line.seqlen, is_one)

    def _count_of(self, place):
        """The steps that a line's time covers; 0: the first line of a clock."""
        if self.is_clock:
            return 0 if place.is_first else place.distance
        if self.is_whole_epochs:
            return 1
        return min(self.per, place.done, place.distance or self.per)
