"""Traces of torch.profiler: each point once more after the plan, in a file of its own.

No time of these executions is in a row, because the profiler slows them.
"""

import os

from . import device
from .protect import own


class Traces:
    """Writes STEM.sp3.json.gz into the folder for each execution, from begin() to end().

    Without a folder it does nothing.
    """

    def __init__(self, folder=None, stem=""):
        self._folder, self._stem, self._profiler = folder, stem, None

    def begin(self):
        """Profiles the next batch, unless the job's own profiler runs."""
        if self._folder is None or device.is_profiled():
            return
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CPU]
        if device.uses_device():
            activities.append(ProfilerActivity.CUDA)
        self._profiler = profile(activities=activities)
        self._profiler.__enter__()

    def end(self, point):
        profiler = self.leave()
        if profiler is None:
            return
        os.makedirs(self._folder, exist_ok=True)
        path = os.path.join(self._folder, f"{self._stem}.{point}.json.gz")
        unfinished = os.path.join(self._folder, f"unfinished-{self._stem}.{point}.json.gz")
        profiler.export_chrome_trace(unfinished)  # compressed, by the end of its name
        own.replace(unfinished, path)

    def leave(self):
        """Ends the profile without a trace. Returns the profiler, if there was one."""
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.__exit__(None, None, None)
        return profiler
