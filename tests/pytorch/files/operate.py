"""Runs the operations, each in its folder below FOLDER, and prints what does not fit as JSON.

    operate.py FOLDER main|worker|spawned|ranks|look
"""

import codecs  # noqa: F401  the operations use these
import fileinput  # noqa: F401
import gzip  # noqa: F401
import io  # noqa: F401
import json
import logging.handlers  # noqa: F401
import mmap  # noqa: F401
import multiprocessing
import os
import pathlib  # noqa: F401
import pickle  # noqa: F401
import shutil  # noqa: F401
import signal  # noqa: F401
import sys
import tempfile  # noqa: F401
import time
import zipfile  # noqa: F401

from operations import OPERATIONS

ROOT = os.path.abspath(sys.argv[1])
NAMES = sorted(OPERATIONS)


def raises(kind, function, *arguments):
    try:
        function(*arguments)
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def folder_of(name):
    return os.path.join(ROOT, str(NAMES.index(name)))


def content(path):
    if os.path.isdir(path):
        return tuple(sorted(os.listdir(path)))
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def look(name):
    """What the job sees, if that is not what it has to see."""
    os.chdir(folder_of(name))
    wanted = OPERATIONS[name][1]
    return {path: content(path) for path in wanted if content(path) != wanted[path]}


def operate(name):
    os.chdir(folder_of(name))
    try:
        exec(OPERATIONS[name][0], globals())
    except Exception as error:
        return repr(error)
    return look(name)


def all_of(function):
    return {name: wrong for name in NAMES for wrong in [function(name)] if wrong}


def in_worker():
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Operations(Dataset):
        def __len__(self):
            return len(NAMES)

        def __getitem__(self, row):
            return operate(NAMES[row])

    loader = DataLoader(Operations(), num_workers=1, batch_size=None, collate_fn=lambda row: row)
    with torch.no_grad():  # no loop that trains
        return {name: wrong for name, wrong in zip(NAMES, loader) if wrong}


def in_spawned():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return {name: wrong for name, wrong in zip(NAMES, pool.map(operate, NAMES)) if wrong}


def in_ranks():
    """The first rank operates, and the second looks afterwards."""
    done = os.path.join(ROOT, "done")
    if os.environ["RANK"] == "0":
        wrong = all_of(operate)
        open(done, "x").close()
        return wrong
    while not os.path.exists(done):
        time.sleep(0.01)
    return all_of(look)


if __name__ == "__main__":
    work = {"worker": in_worker, "spawned": in_spawned, "ranks": in_ranks}
    what = sys.argv[2]
    found = work[what]() if what in work else all_of(look if what == "look" else operate)
    if what in ("worker", "spawned"):
        found.update(all_of(look))
    print(json.dumps(found))
