"""The folder that takes a job's checkpoints, and the names by which the job sees them."""

import os
import shutil
import tempfile
import time

from .. import caller
from ..saying import say

CHECKPOINTS = (".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".distcp")
NO_FILES = ("/dev/", "/proc/")
FOLDER = "SEQPOINT_SCRATCH"  # of the run; all processes of the job inherit it
# The originals: what they remove is not the job's, so replacements in files.py need not look.
own_remove, own_rmdir, own_rmtree = os.remove, os.rmdir, shutil.rmtree


class Scratch:
    """Paths of the job, and their places in the folder: a file's place is below its whole path.

    A path is hidden if the job has removed it, and it was there before: only the job does not see
    it any more.
    """

    def __init__(self):
        self.began = time.time()
        self.is_own = not os.environ.get(FOLDER)  # else another program deletes it
        if self.is_own:
            os.environ[FOLDER] = tempfile.mkdtemp(prefix="seqpoint-")
        self.folder = os.path.join(os.path.abspath(os.environ[FOLDER]), self._name_of_job())
        self.hidden = set()
        self.folders, self.files = [], []  # that the job has made where they belong
        self.told = set()  # files that the job opened by itself
        self.checkpoints = self.kept = 0
        self.used = lambda: None  # called before the first file goes into the folder

    def _name_of_job(self):
        """The same in all processes of a job, and another one in each start of the job."""
        with open(os.environ.get("SEQPOINT_REPORT") or os.devnull, encoding="utf-8") as file:
            first = file.readline().split(",")
        return "job" + "".join(filter(str.isdigit, first[1])) if len(first) > 1 else "job"

    def place(self, path):
        """The path's place in the folder. A path in the folder is its own place."""
        path = os.path.abspath(path)
        if self.has(path):
            return path
        return self.folder + os.path.splitdrive(path)[1]

    def has(self, path):
        return os.path.abspath(path).startswith(self.folder + os.sep)

    def to_write(self, path):
        """The path's place, whose folder is made; the path itself once nobody waits for the job."""
        if caller.is_gone():
            return path
        self.used()
        place = self.place(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place

    def to_save(self, path):
        """The place of a checkpoint, which is counted. Other values than paths stay."""
        if isinstance(path, (str, os.PathLike)):
            self.checkpoints += not self.has(path)
        return self.to_log(path)

    def to_log(self, path):
        """The place of another file or folder. Other values than paths stay."""
        return self.to_write(path) if isinstance(path, (str, os.PathLike)) else path

    def to_read(self, path):
        """The place of what the job has written or removed; else the path itself."""
        if not isinstance(path, (str, os.PathLike)) or caller.is_gone():
            return path
        place = self.place(path)
        return place if os.path.lexists(place) or self.hides(path) else path

    def hide(self, path):
        """Hides the path from the job, if it is still there."""
        path = os.path.abspath(path)
        if not self.has(path) and os.path.lexists(path) and not caller.is_gone():
            self.used()
            self.kept += not self.hides(path)
            self.hidden.add(path)

    def hides(self, path):
        """Whether the job has removed the path or a folder above it."""
        if not self.hidden or caller.is_gone():
            return False
        path = os.path.abspath(path)
        return any(path == folder or path.startswith(folder + os.sep) for folder in self.hidden)

    def takes(self, path):
        """Whether the job finds the path in the folder, or would if it were written."""
        if caller.is_gone():
            return False
        place, folder = self.place(path), os.path.dirname(os.path.abspath(path))
        if os.path.lexists(place) or self.hides(path) or self.has(folder):
            return True
        return os.path.lexists(self.place(folder)) and not os.path.lexists(folder)

    def hides_in(self, folder):
        """Whether the job has removed something that is still in the folder."""
        above = os.path.abspath(folder) + os.sep
        return any(folder.startswith(above) for folder in self.hidden)

    def was_there(self, path):
        """Whether the path is older than this process, and in no hidden folder, as caches are."""
        path = os.path.abspath(path)
        below = path.replace(os.getcwd(), "", 1)  # the job itself may be in a hidden folder
        if self.has(path) or path.startswith(NO_FILES) or f"{os.sep}." in below:
            return False
        if caller.is_gone():
            return False
        try:
            return os.lstat(path).st_ctime < self.began
        except OSError:
            return False

    def keeps(self, path):
        """Whether the path is a checkpoint, or a link, that was there before."""
        return (is_checkpoint(path) or os.path.islink(path)) and self.was_there(path)

    def tell_of(self, path):
        """Reports a file that the job opens by itself, before it is changed."""
        path = os.path.abspath(path)
        if path not in self.told and os.path.isfile(path) and self.was_there(path):
            self.told.add(path)
            say(
                f"warning: the job itself writes into {path}; a script can leave that out if "
                "SEQPOINT_MODE is set",
                True,
            )

    def make_file(self, path):
        """Called before the job opens a file of its own for writing."""
        path = os.path.abspath(path)
        if os.path.dirname(path) in self.folders and not os.path.lexists(path):
            self.files.append(path)

    def move(self, source, target):
        """Called when the job has renamed a folder."""
        source, target = os.path.abspath(source), os.path.abspath(target)
        for paths in (self.folders, self.files):
            for n, path in enumerate(paths):
                if path == source or path.startswith(source + os.sep):
                    paths[n] = target + path[len(source) :]

    def _remove_own(self):
        """Removes the job's files beside checkpoints in folders that it made, and empty folders.

        So the job finds no folder of an earlier process where it makes one.
        """
        for path in self.files:
            if os.path.isdir(self.place(os.path.dirname(path))):
                removed(own_remove, path)
        for path in reversed(self.folders):
            removed(own_rmdir, path)

    def end(self):
        """Deletes the folder, unless another program does, and what is left of the job's own.

        Returns what was done, in parts of a sentence.
        """
        self._remove_own()
        if self.is_own:
            own_rmtree(os.path.dirname(self.folder), ignore_errors=True)
        saved = f"{counted(self.checkpoints, 'checkpoint')} went to scratch"
        kept = f"kept {counted(self.kept, 'older checkpoint')} that the job removed"
        return [saved] * bool(self.checkpoints) + [kept] * bool(self.kept)


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def is_checkpoint(path):
    return path.endswith(CHECKPOINTS)


def removed(remove, path):
    try:
        remove(path)
    except OSError:  # a folder that is not empty, or gone already
        pass
