"""A plan that comes while the job waits for it."""

import os
import time

from . import caller, ranks
from .saying import give_up, leave

LOOK_S = 0.02
PATIENCE_S = 600


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
