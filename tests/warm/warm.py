"""Jobs that need not import PyTorch, which takes them two seconds:

    warm.python(SCRIPT)

is a program that runs this script, by `python3 -W ignore SCRIPT ...`, in forks of a process that
has imported PyTorch, and waits for them until this one ends. Whatever else it is asked for gets a
start of its own.

What differs from a real start: PyTorch is there before the hook is; the parent is another process;
OMP_NUM_THREADS, PYTHONHASHSEED and what else Python reads at its start are those of the test.
"""

import atexit
import hashlib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
_folder = None  # of the sockets


def python(script):
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="warm")
        os.environ["WARM_FOLDER"] = _folder.name
    path = os.path.join(_folder.name, hashlib.sha256(script.encode()).hexdigest()[:16])
    if not os.path.exists(f"{path}.is-coming"):
        _start(script, path)
    return os.path.join(HERE, "python3")


def _start(script, path):
    own = {"PYTHONPATH": HERE, "WARM_SOCKET": path, "OMP_NUM_THREADS": "1"}
    open(f"{path}.is-coming", "w").close()
    waiting = subprocess.Popen(
        [sys.executable, "-W", "ignore", script],
        env={**os.environ, **own},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    atexit.register(_end, waiting)


def _end(waiting):
    waiting.stdin.close()
    waiting.wait()
