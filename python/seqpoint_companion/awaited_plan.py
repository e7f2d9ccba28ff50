"""An order that goes on to measure: what it trains on before, and the plan that it waits for."""

import os
import time

from . import caller, ranks
from .saying import give_up, leave

LOOK_S = 0.02
PATIENCE_S = 600
PACED = 2  # batches that the job trains on after the first, which costs more than later ones


def to_measure(options):
    """The options of what measures in place of an order."""
    verb = {"verb": "measure", "output": options.goes_on, "exact": options.lengths}
    return type(options)(**{**vars(options), **verb})


def wait_for_plan(path):
    """Waits until the caller has written the plan. Leaves if there is nothing to measure."""
    begun_s = time.monotonic()
    while not os.path.exists(path) and not caller.is_gone():
        time.sleep(LOOK_S)
        if time.monotonic() - begun_s > PATIENCE_S:
            give_up(f"no plan came within {PATIENCE_S} s", "resume the run, which measures anew")
    is_empty = caller.is_gone() or os.path.getsize(path) == 0
    if any(ranks.of_all_processes(is_empty, "the plan")):
        leave(0, together=True)
