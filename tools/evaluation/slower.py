"""Runs a script of PyTorch whose batches all take a known share longer:

    slower.py SHARE SCRIPT [ARGUMENTS...]

After each optimiser step it computes for that share of the processor time since the last one. So
the builds of a comparison differ by what is known, whatever the machine does.
"""

import os
import runpy
import sys
import time

from torch.optim.optimizer import register_optimizer_step_post_hook

share = float(sys.argv[1])
last_s = None


def slow_down(*_):
    global last_s
    now_s = time.thread_time()
    if last_s is not None:
        until_s = now_s + share * (now_s - last_s)
        while time.thread_time() < until_s:
            sum(range(100))
    last_s = time.thread_time()


register_optimizer_step_post_hook(slow_down)
sys.argv = sys.argv[2:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))  # as if the script were started by itself
runpy.run_path(sys.argv[0], run_name="__main__")
