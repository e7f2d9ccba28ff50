"""How the numbers in the lines of a log count the steps of the run."""

import math
from typing import NamedTuple, Optional

from ..faults import BadInput


class Stated(NamedTuple):
    """The number of steps that the log's last line states."""

    steps: int
    may_be_last: bool  # steps are counted from 0, so it may be the number of the last
    of_epoch: bool  # number in an epoch, not in the run
    line: int


class Survey:
    """What all lines together show about their numbers."""

    def __init__(self, lines):
        self.any_last = False  # whether a line is of the last step
        self.interval = 0  # the smallest increase from a line to the next; 0: none increases
        self.divisor = self.divisor_of_next = 0  # of all steps; of all steps plus 1
        self.same_total = True
        self.least = self.first = self.last = None  # lines: of the least step, first, last
        self.epochs = {}  # number of an epoch -> [largest step, largest total]
        for line in lines:
            self._add(line)

    def _add(self, line):
        step = line.step
        if self.last is None:
            self.first = self.least = line
        elif step > self.last.step:
            distance = step - self.last.step
            self.interval = min(self.interval or distance, distance)
        if step < self.least.step:
            self.least = line
        self.any_last |= step == line.of
        self.divisor = math.gcd(self.divisor, step)
        self.divisor_of_next = math.gcd(self.divisor_of_next, step + 1)
        self.same_total &= line.of == self.first.of
        epoch = self.epochs.setdefault(line.epoch, [step, 0])
        epoch[0], epoch[1] = max(epoch[0], step), max(epoch[1], line.of)
        self.last = line

    def first_step(self):
        """Whether steps are counted from 0 or from 1; None: the numbers do not show it."""
        if self.least.step < 2:
            return self.least.step
        if self.any_last:
            return 1
        if self.interval >= 2 and self.divisor % self.interval == 0:
            return 1
        if self.interval >= 2 and self.divisor_of_next % self.interval == 0:
            return 0
        return None

    def first_epoch(self):
        least = min(self.epochs)
        return least if least < 2 else None


class StepNumbers:
    """Numbers the lines of `lines` (LogLines) through the run. BadInput for a contradiction."""

    def __init__(self, lines):
        self.name, self.pattern, self.notes = lines.name, lines.pattern, []
        self.survey = Survey(lines)
        self.unit = self.pattern.unit
        self.first = self._first_number("step", self.survey.first_step(), self.unit)
        if self.survey.least.step < self.first and not self.pattern.is_clock:
            raise BadInput(
                f"{self.name}:{self.survey.least.line}: the {self.unit} is 0, but {self.unit}s are "
                "counted from 1",
                f"call the group '{self.unit}0' if the first {self.unit} has the number 0",
            )
        self.begins = {}  # number of an epoch -> steps before it; empty: no epochs
        if "epoch" in self.pattern.fields:
            self._place_epochs()
        self.stated = self._stated()

    def done(self, line):
        """Number of the run's steps that are done after a line."""
        done = line.step + 1 - self.first
        return done + self.begins[line.epoch] if self.begins else done

    def _first_number(self, field, shown, unit):
        said = self.pattern.first[field]
        if said is not None:
            return said
        if shown is None:
            self.notes.append(
                f"{self.name}: whether {unit}s are counted from 0 or 1 is not shown: 1 is taken; "
                f"call the group '{unit}0' or '{unit}1'"
            )
            return 1
        self.notes.append(
            f"{self.name}: {unit}s are counted from {shown}, as their numbers show; a group "
            f"'{unit}{shown}' says it"
        )
        return shown

    def _place_epochs(self):
        first = self._first_number("epoch", self.survey.first_epoch(), "epoch")
        sizes = {
            epoch: max(total, step + 1 - self.first)
            for epoch, (step, total) in sorted(self.survey.epochs.items())
        }
        if min(sizes) < first:
            raise BadInput(
                f"{self.name}:{self.survey.first.line}: the epoch is 0, but the pattern counts "
                "epochs from 1",
                "call the group 'epoch0'",
            )
        begin, following = 0, first
        for epoch, size in sizes.items():  # one that the log lacks is taken to be like the next
            self.begins[epoch] = begin + (epoch - following) * size
            begin, following = self.begins[epoch] + size, epoch + 1
        if self.survey.first.of == 0 and len(sizes) > 1:
            self.notes.append(
                f"{self.name}: an epoch is taken to end with its last line: the first has "
                f"{next(iter(sizes.values()))} steps"
            )
        if len(set(sizes.values())) > 1:
            self.notes.append(f"{self.name}: epochs differ in how many steps they have")

    def run_iterations(self):
        """[the number of steps of the run]; empty if the log does not state exactly that."""
        stated = self.stated
        return [] if stated is None or stated.may_be_last or stated.of_epoch else [stated.steps]

    def _stated(self) -> Optional[Stated]:
        """None without a total, and if epochs differ in theirs."""
        last, same = self.survey.last, self.survey.same_total
        if last.of == 0 or (self.begins and not same):
            return None
        if not same:
            self.notes.append(
                f"{self.name}:{last.line}: says that there are {last.of} steps in all; lines "
                f"before say {self.survey.first.of}"
            )
        return Stated(last.of, self.first == 0, bool(self.begins), last.line)
