"""Page faults of a job on a CPU: memory that its allocator takes from the system once more.

glibc's malloc returns the end of its heap to the system when it is free. In whole epochs that were
examined, the heap stayed large after some dozens of batches. A plan is shorter: its long batches
may wait for memory that they would have had in an epoch.
"""

import mmap
import os
import platform
import resource
import time

from . import device

PROBE_BYTES = 2**24  # 4096 pages: some milliseconds
# glibc: memory comes from the heap, whatever its size, and stays in the process.
SETTINGS = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "4294967296"}
ADVICE = " ".join(f"{name}={value}" for name, value in SETTINGS.items())


class PageFaults:
    """Counts page faults: begin() and end() for each batch, add() for a measured one."""

    def __init__(self):
        self.number, self.seconds = 0, 0.0
        self._before = self._of_batch = 0

    def begin(self):
        self._before = so_far()

    def end(self):
        self._of_batch = so_far() - self._before

    def add(self, seconds):
        """Adds the page faults of the last batch, which took so long."""
        self.number += self._of_batch
        self.seconds += seconds

    def share(self):
        """Their share of the time; 0 without glibc and on a GPU, where tensors lie elsewhere."""
        if not self.number or device.uses_device() or platform.libc_ver()[0] != "glibc":
            return 0.0
        return self.number * seconds_of_one() / self.seconds


def is_advice_followed():
    """Whether the job runs with the advised settings."""
    return all(name in os.environ for name in SETTINGS)


def so_far():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def seconds_of_one():
    """The time of a page fault on this machine, by memory that was never used."""
    with mmap.mmap(-1, PROBE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        before, began = so_far(), time.perf_counter()
        for at in range(0, PROBE_BYTES, mmap.PAGESIZE):
            memory[at] = 1
        return (time.perf_counter() - began) / max(so_far() - before, 1)
