"""Time that the companion itself takes while a batch is waited for: it is not the job's."""

import time


class OwnWork:
    """`with OWN_WORK:` around such work; parts may be nested."""

    def __init__(self):
        self.runtime_s = self.cpu_s = 0.0
        self._depth, self._begun = 0, None

    def __enter__(self):
        self._depth += 1
        if self._depth == 1:
            self._begun = time.perf_counter(), time.process_time()

    def __exit__(self, *_):
        self._depth -= 1
        if self._depth == 0:
            self.runtime_s += time.perf_counter() - self._begun[0]
            self.cpu_s += time.process_time() - self._begun[1]

    def return_time(self, seconds):
        """Time that the job takes for this batch, and that was counted as the companion's."""
        self.runtime_s -= seconds
        self.cpu_s -= seconds


OWN_WORK = OwnWork()


def job_clocks():
    """(seconds, CPU seconds) by clocks that stand still during the companion's work."""
    runtime_s, cpu_s = time.perf_counter(), time.process_time()
    return runtime_s - OWN_WORK.runtime_s, cpu_s - OWN_WORK.cpu_s
