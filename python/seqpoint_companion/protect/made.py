"""New files of a job, which are removed once it has ended, so that the next one begins like it."""

import os

from . import own

TEMPORARY = ("/tmp/", "/var/tmp/")


class Made:
    """Lists what the job makes in scratch/made, each path ended by a zero byte.

    Caches are not listed: they serve the next job, too. They are in a hidden folder, a temporary
    one, or one that a variable such as HF_HOME names.
    """

    def __init__(self, scratch, folder):
        self.list = f"{scratch}/made"
        self.folder = f"{folder}/"  # of the job; it may itself be in such a folder
        self._listed = set()
        self._folders = set()  # made by this process: what is in them goes with them
        self._caches = None

    def __contains__(self, real):
        return real in self._folders

    def add(self, real):
        if real not in self._listed and not self._is_in_made(real) and not self.is_cache(real):
            self._listed.add(real)
            with own.open(self.list, "ab", buffering=0) as file:
                file.write(os.fsencode(real) + b"\0")
        if own.is_folder(real):
            self._folders.add(real)

    def _is_in_made(self, real):
        while self._folders and real != "/":
            real = os.path.dirname(real)
            if real in self._folders:
                return True
        return False

    def is_cache(self, real):
        if real.startswith(self.folder):
            return "/." in real[len(self.folder) - 1 :]
        self._caches = self._caches or (*TEMPORARY, *named_caches(os.environ))
        return "/." in real or real.startswith(self._caches)


def named_caches(environment):
    """The folders that HF_HOME, TRITON_CACHE_DIR, TMPDIR and their like name."""
    named = {name: value for name, value in environment.items() if value.startswith("/")}
    return [
        os.path.realpath(value) + "/"
        for name, value in named.items()
        if name != "HOME" and (name.endswith("_HOME") or "CACHE" in name or name == "TMPDIR")
    ]
