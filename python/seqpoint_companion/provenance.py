"""Where, when and by which software a row was measured."""

import contextlib
import datetime
import functools
import os
import platform
import sys
import time

from . import libraries


@functools.lru_cache(maxsize=1)
def _session_of(pid):
    return f"p{pid}-{os.urandom(4).hex()}"


def session():
    """'p4711-1f2e3d4c'; it differs for a forked process and for one on another machine."""
    return _session_of(os.getpid())


def load():
    """The machine's load average of the last minute; "" if the system has none."""
    with contextlib.suppress(OSError):
        return f"{os.getloadavg()[0]:.2f}"
    return ""


def recorded_by():
    """'date=2026-11-20T10:00:00+00:00 clock=perf_counter ...', for the first row of a file."""
    now = datetime.datetime.now(datetime.timezone.utc)
    clock = time.get_clock_info("perf_counter")
    return (
        f"date={now.isoformat(timespec='seconds')} clock=perf_counter "
        f"resolution_s={clock.resolution:g} python={platform.python_version()} "
        f"{' '.join(versions())}".rstrip()
    )


def versions():
    """'torch=2.15.0' of each library that may train, if the job has imported it."""
    for name in ("torch", *libraries.LIBRARIES):
        module = sys.modules.get(name)
        if module is not None:
            yield f"{name}={getattr(module, '__version__', 'unknown')}"
        if module is not None and name == "torch":
            yield f"cuda={module.version.cuda} hip={module.version.hip}"
