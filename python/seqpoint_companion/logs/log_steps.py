"""From the lines of a log to the times of steps: restarts, ranks, how many steps a time covers."""

from typing import NamedTuple

from ..lengths.faults import BadInput, BadUsage
from .step_numbers import StepNumbers

SECOND = 10**9  # ns


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
    """A line, compared with its rank's step before."""

    done: int  # steps of the run that are done after the line
    attempt: int  # how often the rank's steps began again
    is_first: bool  # of its rank and attempt
    begin_ns: int  # the last clock of the step before
    distance: int  # steps since the step before; 0: of a first line


class Rank:
    """The last step of a rank."""

    def __init__(self):
        self.place = Place(0, 0, True, 0, 0)
        self.step = 0  # as written
        self.ns = 0  # the clock of its last line


class Attempts:
    """The places of the lines of all ranks."""

    def __init__(self, numbers):
        self.numbers, self.is_clock = numbers, numbers.pattern.is_clock
        self.ranks, self.first_done = {}, 0
        self.restarts, self.restart = 0, ""
        self.between_ns = 0

    def take(self, line):
        """None for a further line of a clock's step. BadInput for a restart from the first step."""
        done = self.numbers.done(line)
        self.first_done = self.first_done or done
        is_new = line.rank not in self.ranks
        rank = self.ranks.setdefault(line.rank, Rank())
        last = rank.place
        if not is_new and done == last.done:
            return self._again(line, rank)
        if not is_new and (done < last.done or (last.done == 0 and last.attempt)):
            self._require_restart(line, done, rank)
        is_first = is_new or done < last.done
        if not is_first:
            place = Place(done, last.attempt, False, rank.ns, done - last.done)
        else:
            place = Place(done, 0 if is_new else self._begin_again(line, rank), True, 0, 0)
        rank.place, rank.step, rank.ns = place, line.step, line.ns
        return place

    def _again(self, line, rank):
        """A clock's time between two lines of one step, as of an evaluation, is of no step."""
        if not self.is_clock:
            return rank.place
        self.between_ns += max(line.ns - rank.ns, 0)
        rank.ns = line.ns
        return None

    def _require_restart(self, line, done, rank):
        """A clock that begins at 0 steps may be that of a job that goes on from a checkpoint."""
        if done == 0 and self.is_clock:
            return
        if done <= self.first_done <= max(rank.place.distance, 1):
            raise BadInput(
                f"{self.numbers.name}:{line.line}: step {line.step} follows {rank.step}, as of "
                "several epochs, ranks or runs",
                "add a group 'epoch' or 'rank' to the pattern, or give the log of one run",
            )

    def _begin_again(self, line, rank):
        if rank.place.attempt == self.restarts:
            self.restarts += 1
            self.restart = self.restart or (
                f"{self.numbers.name}:{line.line}: step {line.step} follows {rank.step}: the job "
                "began again"
            )
        return rank.place.attempt + 1

    def notes(self):
        if self.between_ns:
            yield (
                f"{self.numbers.name}: {self.between_ns / SECOND:.4g} s between lines of one step "
                "are in no step's time; check what ran then"
            )
        if self.restarts:
            times = f", {self.restarts} times in all" if self.restarts > 1 else ""
            yield f"{self.restart}{times}; what ran twice is there twice"


class Intervals:
    """What the distances of lines show about the steps that a time covers."""

    def __init__(self, per):
        self.per, self.count, self.nearer, self.largest = per, 0, 0, 0
        self.latest = []

    def take(self, place):
        if place.is_first:
            return
        self.count += 1
        self.nearer += place.distance < (self.per or 0)
        self.latest = self.latest[-2:] + [place.distance]
        if self.count >= 3:
            self.largest = max(self.largest, min(self.latest))

    def longest(self):
        """The steps from line to line, where they are most; 0: not known. Lost lines make single
        distances longer, so the smallest of three consecutive ones counts."""
        return self.largest if self.count >= 3 else min(self.latest, default=0)


def require_per_of_epochs(first, per, name):
    if per is None:
        raise BadInput(
            f"{name}:{first.line}: lines are epochs: is a time of a whole one, or the mean of its "
            "steps?",
            "say --per 1 for a whole epoch, --per N for the mean of its N steps",
        )


def require_per(intervals, line, done, per, name):
    """BadInput if --per is needed and missing, or contradicts the lines. `done`: steps after the
    first line, `line`. A time may be of its step or a mean: a line does not show which."""
    where, interval = f"{name}:{line.line}", intervals.longest()
    if per is None and interval > 1:
        raise BadInput(
            f"{where}: lines come every {interval} steps: is a time of one step, or the mean of "
            f"{interval}?",
            f"say --per {interval} for a mean of {interval}, --per 1 for one step",
        )
    if per is None and interval == 0 and done > 1:
        raise BadInput(
            f"{where}: a single line does not say how many steps its time is of",
            "say --per N for a mean of N steps, --per 1 for one step",
        )
    if per is None or 2 * intervals.nearer < intervals.count:
        return
    if done < per and interval < 2:
        raise BadInput(
            f"{where}: the step is {done}, where a mean of {per} steps (--per {per}) cannot end "
            f"before step {per}",
            "say --per N for lines that are the mean of N steps; of lines that are epochs call the "
            "group 'epoch'",
        )
    if 2 * intervals.nearer > intervals.count:
        raise BadInput(
            f"{where}: lines come every {interval} steps, and --per {per} says that each is a mean "
            "of more",
            f"say --per {interval}",
        )


class LogSteps:
    """The timed steps of a log, by iterating. `notes`: how it was read, complete after that."""

    def __init__(self, lines, per):
        self.lines, self.numbers = lines, StepNumbers(lines)
        self.name, self.unit = lines.name, lines.pattern.unit
        self.said_per, self.per, self.is_clock = per, per or 1, lines.pattern.is_clock
        self.whole_seconds = self.is_clock and self.numbers.survey.whole_seconds
        self.is_whole_epochs = self.unit == "epoch" and not self.is_clock
        self.ranks = len(lines.ranks)
        if per is not None and self.is_clock and self.unit != "epoch":
            raise BadUsage(
                "--per: times of a clock are of the steps between two lines", "leave it out"
            )
        if self.is_whole_epochs:
            require_per_of_epochs(self.numbers.survey.first, per, self.name)

    def _require_per(self, intervals):
        first = self.numbers.survey.first
        if not self.is_clock and not self.is_whole_epochs:
            require_per(intervals, first, self.numbers.done(first), self.said_per, self.name)

    def __iter__(self):
        """BadInput, at the end too: nothing that is made of the steps is to be written before."""
        self.repeated = self.missing = self.count = self.set_back = 0
        self.first_missing = self.first_set_back = None
        attempts, intervals = Attempts(self.numbers), Intervals(self.said_per)
        waiting = {}  # (attempt, done) -> [slowest step, its ranks], in the order of first lines
        for line, place in self._places(attempts, intervals):
            step = self._step_of(line, place)
            if not step:
                continue
            key = (place.attempt, place.done)
            if key in waiting:
                self._join(waiting[key], step, line.rank)
                continue
            if self.ranks == 1:
                yield from self._finished(waiting)
                waiting.clear()
            waiting[key] = [step, {line.rank}]
        self._require_per(intervals)
        yield from self._finished(waiting)
        self.notes = [
            *self.lines.notes,
            *self.numbers.notes,
            *attempts.notes(),
            *self._notes_of_clock(),
            *self._notes_of_steps(),
        ]

    def _places(self, attempts, intervals):
        """(line, its place). A first line comes with the next one, whose distance is also its."""
        first = {}  # rank -> its first lines, of one step
        for line in self.lines:
            place = attempts.take(line)
            if not place:
                continue
            intervals.take(place)
            held = first.pop(line.rank, [])
            if place.is_first and held and held[0][1] == place:
                first[line.rank] = held + [(line, place)]
                continue
            for before, place_before in held:
                yield before, place_before._replace(distance=place.distance)
            if place.is_first:
                first[line.rank] = [(line, place)]
            else:
                yield line, place
        for held in first.values():
            yield from held

    def _notes_of_clock(self):
        if self.is_clock:
            seconds = " of whole seconds" if self.whole_seconds else ""
            yield (
                f"{self.name}: times are differences of a clock{seconds}: they contain validation "
                "and checkpoints"
            )
        if self.ranks > 1:
            yield f"{self.name}: lines of {self.ranks} ranks: the slowest rank counts"

    def _step_of(self, line, place):
        count = self._count_of(place)
        if count == 0:
            return None
        ns = (line.ns - place.begin_ns) // count if self.is_clock else line.ns
        if ns < 0:
            self.set_back += 1
            self.first_set_back = self.first_set_back or line.line
            return None
        is_one = count == 1 and not self.whole_seconds and self.unit != "epoch"
        last = place.done - 1
        return LogStep(last + 1 - count, last, ns, line.line, line.tokens, line.seqlen, is_one)

    def _count_of(self, place):
        """The steps that a line's time covers; 0: the first line of a clock."""
        if self.is_clock:
            return 0 if place.is_first else place.distance
        if self.is_whole_epochs:
            return 1
        return min(self.per, place.done, place.distance or self.per)

    def _join(self, known, step, rank):
        """The slowest line of a step says its time and its length."""
        if rank in known[1]:
            self.repeated += 1
        known[1].add(rank)
        if step.ns > known[0].ns:
            known[0] = step._replace(line=known[0].line)

    def _finished(self, waiting):
        for step, ranks in waiting.values():
            if len(ranks) < self.ranks:
                self.missing += 1
                self.first_missing = self.first_missing or step
                self.last_missing = step
            self.count += 1
            self.last = step
            yield step

    def _notes_of_steps(self):
        if self.missing and self.last_missing is self.last:
            self.missing -= 1  # other ranks may still be writing it
        if self.missing:
            yield (
                f"{self.name}:{self.first_missing.line}: step {self.first_missing.last}: "
                f"{self.missing} of {self.count} steps lack some of the {self.ranks} ranks, and "
                "may be too short; look for a rank that ended early"
            )
        if self.repeated:
            yield (
                f"{self.name}: {self.repeated} more lines of a step that already has one; give a "
                "group 'rank', or one job's log: the slowest counts"
            )
        if self.set_back:
            yield (
                f"{self.name}:{self.first_set_back}: the clock goes back or jumps, {self.set_back} "
                "steps left out; let the group 'clock' match the date, too"
            )
