"""Runs in a Python whose job is to come: it imports PyTorch, then forks for each start of it.

`python3 -W ignore SCRIPT` with this folder on PYTHONPATH comes here before SCRIPT. Each request at
the socket WARM_SOCKET is answered by a fork, which takes over the caller's arguments, environment,
folder, standard streams and process group, runs the caller's own sitecustomize, and leaves this
module: Python itself then runs SCRIPT, and ends the process as ever. The waiting process ends with
its standard input, which the test holds.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys


def serve(listener):
    """Returns in each fork, with the connection to its caller."""
    poll, jobs = select.poll(), {}  # {pidfd: (process, connection)}
    poll.register(0, select.POLLIN)
    poll.register(listener, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready == 0:
                os._exit(0)
            elif ready in jobs:
                poll.unregister(ready)
                answer(*jobs.pop(ready), poll)
                os.close(ready)
            elif ready == listener.fileno():
                connection = listener.accept()[0]
                process = os.fork()
                if process == 0:
                    close(jobs)
                    return connection
                ended = os.pidfd_open(process)
                jobs[ended] = process, connection
                poll.register(ended, select.POLLIN)
                poll.register(connection, 0)  # which tells that the caller is gone
            else:
                poll.unregister(ready)
                (process,) = [of for of, by in jobs.values() if by.fileno() == ready]
                os.kill(process, signal.SIGKILL)


def close(jobs):
    for ended, (_, connection) in jobs.items():
        os.close(ended)
        connection.close()


def answer(process, connection, poll):
    status = os.waitpid(process, 0)[1]
    with connection, contextlib.suppress(KeyError, OSError):
        poll.unregister(connection)  # unless the caller is gone
        connection.sendall(json.dumps(status).encode())


def take_over(connection):
    with connection, connection.makefile("rb") as file:
        streams = socket.recv_fds(connection, 1, 3)[1]
        request = json.loads(file.readline())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Fresh objects, as the collector has no knowledge any more of those that were there.
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)
    sys.stderr = sys.__stderr__ = open(
        2, "w", closefd=False, errors="backslashreplace", buffering=1
    )
    os.setpgid(0, request["group"])
    os.chdir(request["folder"])
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[:] = request["argv"]
    sys.orig_argv[-1:] = request["argv"]
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = list(filter(None, folders))


def run_sitecustomize_of_job():
    own = sys.modules.pop(__name__)
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError:
        sys.modules[__name__] = own


def wait_for_a_start():
    import numpy
    import torch

    gc.freeze()  # later collections leave out what is there, whose memory they would copy
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.environ["WARM_SOCKET"] + ".new")
        listener.listen(16)
        os.rename(os.environ["WARM_SOCKET"] + ".new", os.environ["WARM_SOCKET"])
        connection = serve(listener)
    # Each start draws its own numbers, as if each had imported these.
    numpy.random.seed()
    torch.seed()
    take_over(connection)
    run_sitecustomize_of_job()


if __name__ == "sitecustomize" and os.environ.get("WARM_SOCKET"):
    wait_for_a_start()
