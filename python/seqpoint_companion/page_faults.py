"""Page faults of a job on a CPU: memory that its allocator takes from the system once more.

glibc's malloc returns the end of its heap to the system when it is free. After some dozens of
batches small allocations usually keep the heap as large as the largest batch needs, but a plan is
shorter. Its long batches then wait for memory that they would have had in an epoch.
"""

import mmap
import time

try:
    import resource
except ImportError:  # Windows
    resource = None

from . import device

PROBE_BYTES = 2**24  # 4096 pages: some milliseconds
ADVICE = "MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=4294967296"


class PageFaults:
    """Counts those of measured batches. None are counted on a GPU, where tensors lie elsewhere."""

    def __init__(self):
        self.number, self.seconds = 0, 0.0
        self._before = 0

    def begin(self):
        self._before = so_far()

    def add(self, seconds):
        """A measured batch has ended that took so long."""
        self.number += so_far() - self._before
        self.seconds += seconds

    def share(self):
        """Their share of the time of all measured batches."""
        if not self.number or device.uses_device():
            return 0.0
        return self.number * seconds_of_one() / self.seconds


def so_far():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt if resource else 0


def seconds_of_one():
    """The time of a page fault on this machine, by memory that was never used."""
    with mmap.mmap(-1, PROBE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        before, began = so_far(), time.perf_counter()
        for at in range(0, PROBE_BYTES, mmap.PAGESIZE):
            memory[at] = 1
        return (time.perf_counter() - began) / max(so_far() - before, 1)
