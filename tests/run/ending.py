"""Ends runs at moments that a number determines, equal in every run of a test."""

import glob
import os
import signal
import time

WAYS = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP)
WITH_KEEPER, ONE_RANK = 2, 5  # the numbers of moments, modulo 6


def processes_of(folder):
    """Processes with the folder's path in their environment: the jobs of a run in it."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if folder.encode() in file.read() and "python" in os.readlink(f"{path[:-8]}/exe"):
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return sorted(pid for pid in found if pid != os.getpid())


def keepers_of(pid):
    """Children of `run`: the keeper of a job."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def wait_for(ready, seconds=300):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise AssertionError("nothing came")
        time.sleep(0.01)


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end(running, folder, moment):
    """Ends a run by a signal, also with its keeper; or one rank of its job. Waits for the end."""
    kind = moment % 6
    victims = [running.pid, *(keepers_of(running.pid) if kind == WITH_KEEPER else [])]
    if kind == ONE_RANK:
        victims = processes_of(folder)[-1:]
    for pid in victims if running.poll() is None else []:
        send(pid, WAYS[kind] if kind < len(WAYS) else signal.SIGKILL)
    running.communicate(timeout=600)
    if kind != WITH_KEEPER:  # what that leaves ends with the next run in the folder
        wait_for(lambda: not processes_of(folder))
