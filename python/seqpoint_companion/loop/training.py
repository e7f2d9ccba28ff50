"""Whether the job trains: backward passes, and steps of its optimisers, as PyTorch runs them."""

import torch

from ..live_objects import OPTIMISERS, optimisers
from ..phases import Engine


class Training:
    """Counts backward passes and optimiser steps since the last restart()."""

    def __init__(self, at_first_backward):
        self.at_first_backward = at_first_backward
        self.backwards = self.steps = 0
        self.step_is_due = False  # whether the job has an optimiser of torch.optim
        self._watch_backward_passes()
        self._watch_steps()

    def _watch_backward_passes(self):
        variable = torch.autograd.Variable
        variable._execution_engine = Engine(variable._execution_engine, self.note_backward)

    def _watch_steps(self):
        """PyTorch calls this empty method at each step, of every class of optimisers.

        Replacing the steps themselves would disturb schedulers, which replace them too.
        """
        kind, own = torch.optim.Optimizer, torch.optim.Optimizer._optimizer_step_code

        def noted(optimiser):
            self.steps += 1
            OPTIMISERS.note(optimiser)
            return own(optimiser)

        kind._optimizer_step_code = noted

    def note_backward(self):
        self.backwards += 1
        if self.backwards == 1:
            self.at_first_backward()

    def restart(self):
        self.backwards = self.steps = 0

    def trains(self):
        """Whether the job has trained since the restart: backward, and a step if one is due."""
        if self.backwards and not self.steps:
            self.step_is_due = self.step_is_due or bool(optimisers())
        return self.backwards > 0 and (self.steps > 0 or not self.step_is_due)

    def lack(self):
        """What a pass that did not train was without."""
        return "no optimiser step" if self.backwards else "no backward pass"
