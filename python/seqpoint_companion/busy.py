"""The device's busy time in an iteration, to see whether the device or its host is the limit."""

from . import device


class BusyTime:
    """Seconds in which the device ran a kernel or a copy, by torch.profiler's device activities."""

    def __init__(self):
        self.seconds, self.profiled = 0.0, False  # whether they are known
        self._profiler = None

    def begin(self):
        """Profiles the next batch; does nothing without a device or while another profiler runs."""
        if not device.uses_device() or device.is_profiled():
            return
        from torch.profiler import ProfilerActivity, profile

        self._profiler = profile(activities=[ProfilerActivity.CUDA])
        self._profiler.__enter__()

    def end(self):
        if self._profiler is None:
            return
        profiler, self._profiler = self._profiler, None
        profiler.__exit__(None, None, None)
        self.seconds += covered(intervals_in(profiler.profiler.kineto_results.events()))
        self.profiled = True


def intervals_in(events):
    """[(begin, end)] in seconds of each activity on the device."""
    from torch.profiler import DeviceType

    return [interval_of(event) for event in events if event.device_type() != DeviceType.CPU]


def interval_of(event):
    """(begin, end) of a kineto event, in seconds. Events have ns since torch 2.4, us before."""
    if hasattr(event, "start_ns"):
        begin, length, unit = event.start_ns(), event.duration_ns(), 1e-9
    else:
        begin, length, unit = event.start_us(), event.duration_us(), 1e-6
    return begin * unit, (begin + length) * unit


def covered(intervals):
    """Length of the union of the intervals, in their unit."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        total += max(end - max(begin, reached), 0.0)
        reached = max(reached, end)
    return total
