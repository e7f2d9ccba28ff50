"""The peak of allocated bytes in an iteration."""

import gc
import itertools
import sys

from . import device


class PeakMemory:
    """From begin() to end(), by the GPU's allocator or by memory events of torch.profiler."""

    def __init__(self, on=True):
        self.on = on  # else nothing is measured, and peaks are 0
        self._profiler, self._before = None, 0

    def begin(self):
        if not self.on:
            return
        if device.uses_device():
            self._profiler = None
            sys.modules["torch"].cuda.reset_peak_memory_stats()
            return
        from torch.profiler import ProfilerActivity, profile

        self._before = bytes_of_tensors()
        self._profiler = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
        self._profiler.__enter__()

    def end(self):
        """The peak since begin(), in bytes."""
        if not self.on:
            return 0
        if self._profiler is None:
            return sys.modules["torch"].cuda.max_memory_allocated()
        self._profiler.__exit__(None, None, None)
        events = self._profiler.profiler.kineto_results.events()
        changes = [event.nbytes() for event in events if event.name() == "[memory]"]
        return self._before + max(itertools.accumulate(changes, initial=0))


def bytes_of_tensors():
    """Bytes of this process's tensors on the CPU; shared storage counts once."""
    import torch

    tensors = [tensor for tensor in gc.get_objects() if issubclass(type(tensor), torch.Tensor)]
    tensors = [tensor for tensor in tensors if tensor.device.type == "cpu"]
    tensors += [tensor.grad for tensor in tensors if tensor.is_leaf and tensor.grad is not None]
    storages = map(storage_of, tensors)
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def storage_of(tensor):
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
