"""The job's GPU, if it uses one: waiting for it, naming ranges on it, its name and clocks.

PyTorch is used if the job has imported it. The companion does not import it for a job.
"""

import contextlib
import ctypes
import sys

from . import libraries

# Values of NVML's enumeration: the clock of the multiprocessors and that of the memory.
GRAPHICS_CLOCK, MEMORY_CLOCK = 1, 2


def is_there():
    """Whether PyTorch has a GPU."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_available()


def uses_device():
    """Whether PyTorch has used a GPU so far. The check does not create a context on it."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized()


def wait():
    """Waits until the GPU is idle: a line of Python already ends when its kernels are launched."""
    if uses_device():
        sys.modules["torch"].cuda.synchronize()


def wait_for_all():
    """Waits for PyTorch's work, and for that of other libraries."""
    wait()
    libraries.wait()


def waiting():
    """How to wait: for PyTorch if the job has imported it, else for other libraries."""
    return wait if "torch" in sys.modules else wait_for_all


def works_beside_host():
    """Whether the device works while the host does: not if a library computes on the CPU."""
    return uses_device() or libraries.name_of_device() != "cpu"


def name():
    if uses_device():
        return sys.modules["torch"].cuda.get_device_name()
    return libraries.name_of_device() or "cpu"


@contextlib.contextmanager
def named(text):
    """A range for torch.profiler and, on a GPU, for Nsight Systems (NVTX) or rocprof (roctx)."""
    import torch
    from torch.profiler import record_function

    with record_function(text):
        if not uses_device():
            yield
            return
        torch.cuda.nvtx.range_push(text)
        try:
            yield
        finally:
            torch.cuda.nvtx.range_pop()


def traced():
    """Whether anyone records ranges: a profiler runs, or may be attached to the GPU."""
    return uses_device() or is_profiled()


def is_profiled():
    """Whether a profiler of PyTorch runs."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.autograd._profiler_enabled()


def start_profilers():
    """Tells profilers of the GPU to begin, if they wait for that."""
    sys.modules["torch"].cuda.profiler.start()


def stop_profilers():
    sys.modules["torch"].cuda.profiler.stop()


class Clocks:
    """Clocks of the job's GPU in MHz; no columns if NVIDIA's libraries do not report them."""

    def __init__(self):
        self._nvml, self._handle = None, ctypes.c_void_p()
        try:
            if uses_device():
                self._find()
        except (OSError, AttributeError):
            self._nvml = None

    def _find(self):
        """Finds the GPU by its bus, because CUDA_VISIBLE_DEVICES may change the job's numbering."""
        nvml, cuda = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.CDLL("libcuda.so.1")
        bus = ctypes.create_string_buffer(32)
        failed = (
            cuda.cuDeviceGetPCIBusId(bus, len(bus), sys.modules["torch"].cuda.current_device())
            or nvml.nvmlInit_v2()
            or nvml.nvmlDeviceGetHandleByPciBusId_v2(bus, ctypes.byref(self._handle))
        )
        getattr(nvml, "nvmlDeviceGetClockInfo")  # an old library has none
        self._nvml = None if failed else nvml

    def _clock(self, kind):
        mhz = ctypes.c_uint()
        failed = self._nvml.nvmlDeviceGetClockInfo(self._handle, kind, ctypes.byref(mhz))
        return "" if failed else mhz.value

    def columns(self):
        if self._nvml is None:
            return {}
        return {
            "gpu_clock_mhz": self._clock(GRAPHICS_CLOCK),
            "gpu_memory_clock_mhz": self._clock(MEMORY_CLOCK),
        }
