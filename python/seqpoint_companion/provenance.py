"""Where, when and by which software a row was measured."""

import contextlib
import datetime
import functools
import os
import pathlib
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
        f"{' '.join([*versions(), *commit()])}".rstrip()
    )


def commit():
    """'commit=1f2e3d4a5b6c' of the repository that the working folder belongs to, if there is one.

    Files may differ from it.
    """
    with contextlib.suppress(OSError, UnicodeDecodeError):  # also where the job's folder has gone
        here = pathlib.Path.cwd()
        for folder in (here, *here.parents):
            if (folder / ".git").is_dir():
                found = _commit_in(folder / ".git")
                return [f"commit={found[:12]}"] if found else []
    return []


def _commit_in(git):
    """What HEAD names: a commit, or a branch, which has a file or a line of packed-refs."""
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    branch = head.removeprefix("ref: ")
    if branch == head:
        return head
    if (git / branch).is_file():
        return (git / branch).read_text(encoding="utf-8").strip()
    lines = (git / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in lines if line.endswith(f" {branch}")), "")


def versions():
    """'torch=2.15.0' of each library that may train, if the job has imported it."""
    for name in ("torch", *libraries.LIBRARIES):
        module = sys.modules.get(name)
        if module is not None:
            yield f"{name}={getattr(module, '__version__', 'unknown')}"
        if module is not None and name == "torch":
            yield f"cuda={module.version.cuda} hip={module.version.hip}"
