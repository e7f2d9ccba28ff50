"""Ends runs at moments that a number determines, equal in every run of a test."""

import glob
import os
import signal
import time

WAYS = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP)
WITH_KEEPER, ONE_RANK, KEEPER, COMMAND = 2, 5, 6, 7  # the numbers of moments, modulo 8
KINDS = 8


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
    """Children of `run`: the keeper of a job. Those of a keeper: the job's command."""
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
    """Ends a run by a signal, also with its keeper; or its keeper, its job, or one rank of that.

    Waits for the end.
    """
    kind = moment % KINDS
    keepers = keepers_of(running.pid)
    victims = {
        WITH_KEEPER: [running.pid, *keepers],
        ONE_RANK: processes_of(folder)[-1:],
        KEEPER: keepers,
        COMMAND: [command for keeper in keepers for command in keepers_of(keeper)],
    }.get(kind, [running.pid])
    for pid in victims if running.poll() is None else []:
        send(pid, WAYS[kind] if kind < len(WAYS) else signal.SIGKILL)
    running.communicate(timeout=600)
    if kind != WITH_KEEPER:  # what that leaves ends with the next run in the folder
        wait_for(lambda: not processes_of(folder))
