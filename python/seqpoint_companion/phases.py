"""Where the time of a batch goes: waiting for data, forward, backward, optimiser, the rest.

PyTorch shows when a backward pass and a step of an optimiser begin and end, without a change of the
script. The time between two such moments belongs to a phase by the later one: what precedes a
backward pass is forward, what precedes the end of a step is optimiser. So a closure that an
optimiser calls, with the forward and the backward pass in it, is told apart as well. A batch
without a backward pass is not: its time is that of the whole step.
"""

import sys
import time

from . import device

WAIT, FORWARD, BACKWARD, OPTIMIZER, OTHER = COLUMNS = (
    "wait_s",  # for the loader
    "forward_s",  # what precedes a backward pass: the copy to the device, the model, the loss
    "backward_s",
    "optimizer_s",
    "other_s",
)
STEP = "step_s"  # in place of all but the first, if no batch had a backward pass


class Clock:
    """Moments by the clock of the host, which computes."""

    def begin(self, now):
        return now

    def mark(self):
        return time.perf_counter()

    def seconds(self, earlier, later):
        return later - earlier


class DeviceClock:
    """Moments by events on the device, which runs later what the host issues now.

    Events are used again in the next batch, because making one takes longer than recording it.
    """

    def __init__(self):
        import torch

        self._cuda = torch.cuda
        self._events, self._used = [], 0

    def begin(self, _):
        self._used = 0
        return self.mark()

    def mark(self):
        if self._cuda.is_current_stream_capturing():
            return None  # an event in a graph has no time of its own
        if self._used == len(self._events):
            self._events.append(self._cuda.Event(enable_timing=True))
        event = self._events[self._used]
        self._used += 1
        event.record()
        return event

    def seconds(self, earlier, later):
        return earlier.elapsed_time(later) / 1000


class Phases:
    """The phases of the running batch, from begin() to end()."""

    def __init__(self, on=True):
        self.on = on
        self.told_apart = False  # whether any batch had a backward pass
        self._watches = False
        self._clock, self._marks = Clock(), None  # no marks: no batch is running
        self._depth = 0  # a backward pass may begin another one

    def watch(self):
        """Makes PyTorch's engine of backward passes call this object, once."""
        torch = sys.modules.get("torch")
        if torch is not None and self.on and not self._watches:
            self._watches = True
            variable = torch.autograd.Variable
            engine = variable._execution_engine
            variable._execution_engine = Engine(engine, self._backward_begins, self._backward_ends)

    def begin(self, now):
        """A batch begins; `now`: by time.perf_counter()."""
        if not self.on:
            return
        if device.uses_device() and type(self._clock) is Clock:
            self._clock = DeviceClock()
        self._depth = 0
        moment = self._clock.begin(now)
        self._marks = None if moment is None else [("", moment)]

    def mark(self, phase):
        """The time since the last moment belongs to this phase."""
        if self._marks is None:
            return
        moment = self._clock.mark()
        if moment is not None:
            self._marks.append((phase, moment))

    def _backward_begins(self):
        if self._depth == 0:
            self.mark(FORWARD)
        self._depth += 1

    def _backward_ends(self):
        self._depth -= 1
        if self._depth == 0:
            self.told_apart = True
            self.mark(BACKWARD)

    def end(self, wait_s, body_s):
        """{column: seconds} of the batch, whose sum is wait_s + body_s. Empty if switched off."""
        marks, self._marks = self._marks, None
        if marks is None:
            return {}
        found = dict.fromkeys(COLUMNS, 0.0)
        for (_, earlier), (phase, later) in zip(marks, marks[1:]):
            found[phase] += self._clock.seconds(earlier, later)
        rest_s = body_s - sum(found.values())
        found[OTHER] = max(found[OTHER] + rest_s, 0.0)  # clocks differ by a microsecond
        found[WAIT] = wait_s
        return found

    def leave(self):
        self._marks = None


def with_share_of_step(phases, seconds):
    """The phases of a batch whose time was changed by `seconds`, its share of an optimiser's step.

    An estimated step may be longer than the measured one: what is left is taken from the rest.
    """
    optimizer_s = max(phases[OPTIMIZER] + seconds, 0.0)
    rest_s = phases[OTHER] + phases[OPTIMIZER] + seconds - optimizer_s
    return {**phases, OPTIMIZER: optimizer_s, OTHER: max(rest_s, 0.0)}


def as_one_step(phases):
    """The same without what could not be told apart."""
    return {WAIT: phases[WAIT], STEP: sum(phases.values()) - phases[WAIT]}


class Engine:
    """PyTorch's engine of backward passes, which tells when one begins and ends.

    All of them go through one object: of tensors, of torch.autograd, of Megatron.
    """

    def __init__(self, own, begins, ends=lambda: None):
        self._own, self._begins, self._ends = own, begins, ends

    def run_backward(self, *arguments, **named):
        self._begins()
        try:
            return self._own.run_backward(*arguments, **named)
        finally:
            self._ends()

    def __getattr__(self, name):
        return getattr(self._own, name)
