"""New files of a job, which are removed once it has ended, so that the next one begins like it."""

import os

from .. import caller
from . import own

TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")


class Made:
    """Lists what the job makes in scratch/made: PATH:DEVICE:INODE, each ended by a zero byte.

    A file is removed only if it is still that one, a folder only once it is empty: nothing else
    that stands at a listed path later is the job's. A process on another machine lists nothing.
    Caches are not listed: they serve the next job, too. They are in a hidden folder, a temporary
    one, or one that a variable such as HF_HOME names.
    """

    def __init__(self, scratch, folder):
        self.list = f"{scratch}/made"
        self.folder = f"{folder}/"  # of the job; it may itself be in such a folder
        self._listed = set()
        self._folders = set()  # made by this process
        self._caches = None

    def __contains__(self, real):
        return real in self._folders

    def add(self, real):
        state = own.state_of(real)
        if state is None:
            return
        if own.S_ISDIR(state.st_mode):
            self._folders.add(real)
        entry = f"{real}:{state.st_dev}:{state.st_ino}"
        if entry not in self._listed and not is_elsewhere() and not self.is_cache(real):
            self._listed.add(entry)
            with own.open(self.list, "ab", buffering=0) as file:
                file.write(b"\0" + os.fsencode(entry) + b"\0")

    def is_cache(self, real):
        if real.startswith(self.folder):
            return "/." in real[len(self.folder) - 1 :]
        self._caches = self._caches or (*TEMPORARY, *named_caches(os.environ))
        return "/." in real or real.startswith(self._caches)


def is_elsewhere():
    """Whether the run that would remove files is not above this process."""
    return bool(os.environ.get(caller.NAME)) and not caller.below_caller


def named_caches(environment):
    """The folders that HF_HOME, TRITON_CACHE_DIR, TMPDIR and their like name."""
    named = {name: value for name, value in environment.items() if value.startswith("/")}
    return [
        os.path.realpath(value) + "/"
        for name, value in named.items()
        if name != "HOME" and (name.endswith("_HOME") or "CACHE" in name or name == "TMPDIR")
    ]
