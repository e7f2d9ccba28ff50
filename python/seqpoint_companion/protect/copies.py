"""Private copies of what is somebody's, and what the job no longer sees."""

import os
import time

from .. import report
from . import births, own
from .ours import Ours
from .places import Places


class Copies(Places):
    def __init__(self, scratch, began_in):
        super().__init__(scratch)
        self.began = own.stat(f"{scratch}/inventory").st_mtime_ns
        self.ours = Ours(scratch, began_in, self.began)
        self._inventory = None

    # --- whose it is --------------------------------------------------------------------------

    def is_somebodys(self, real):
        """Whether what is at a real path is not the job's, and stays as it is."""
        if not real.startswith("/") or self.is_left_alone(real) or not own.exists(real):
            return False
        return real not in self.ours

    def has_somebodys(self, real):
        """Whether it is somebody's, or, in a folder, anything below it."""
        return any(self.is_somebodys(path) for path in own.tree(real))

    def is_old(self, real):
        """Whether it was there before the job began, so that the job should not change it."""
        return self.is_somebodys(real) and births.birth_of(real) < self.began

    def is_listed(self, real):
        """Whether `seqpoint run` itself finds a change of an old file."""
        if self._inventory is None:
            with own.open(f"{self.scratch}/inventory", "rb") as file:
                self._inventory = os.fsdecode(file.read())
        folder, below = self._inventory, ""
        if folder and real.startswith(f"{folder}/"):
            below = real[len(folder) :]
        return bool(below) and "/." not in below and "/__pycache__" not in below

    # --- places to write ----------------------------------------------------------------------

    def to_write(self, real, content=True, exclusive=False):
        """The place of a file that is opened for writing. `content`: it keeps what it has."""
        place = self.place(real)
        if not own.exists(place):
            return self.to_make(real)
        if exclusive or place != real or not own.is_file(real) or not self.is_somebodys(real):
            return place
        return self.copy(real, content)

    def to_make(self, real):
        """The place of something new, where the job sees nothing."""
        if real and (own.exists(real) or not self.is_in_place(own.parent(real))):
            return self.to_hold(real)
        return real

    def to_hold(self, real):
        """The private place of what the job is to see at a real path."""
        self._prepare(own.parent(real))
        self.keep(real)
        return self.files + real

    def to_change(self, real):
        """The place of a file, link or folder that gets another mode, time or owner."""
        place = self.place(real)
        if place != real or not self.is_somebodys(real):
            return place
        return self.to_change_in(real) if own.is_folder(real) else self.copy(real)

    def to_change_in(self, folder):
        """The private place of a folder of which the job sees the rest as it is."""
        self._prepare(folder)
        self.keep(folder)
        return self.files + folder

    # --- the scratch folder -------------------------------------------------------------------

    def copy(self, real, content=True):
        """Makes the private copy of a file or link, and returns its place."""
        self._prepare(own.parent(real))
        unready = f"{self.scratch}/unready-{os.urandom(8).hex()}"
        copy_file(real, unready, content)
        publish(unready, self.files + real)
        self.keep(real)
        return self.files + real

    def _prepare(self, folder):
        """Makes the private folder for what is private in a folder that the job sees."""
        private = self.files + folder
        if own.exists(private) or self.hides(folder) or not own.is_folder(folder):
            return
        if folder == "/":
            own.makedirs(private, exist_ok=True)
            return
        self._prepare(own.parent(folder))
        import shutil

        own.makedirs(private, exist_ok=True)
        shutil.copystat(folder, private)
        own.chmod(private, own.stat(private).st_mode | 0o700)

    def hide(self, real):
        """The job no longer sees what is at a real path, or below it."""
        import shutil

        gone = self.gone + real
        if own.is_folder(gone):
            shutil.rmtree(gone)
        try:
            own.makedirs(own.parent(gone), exist_ok=True)
            own.touch(gone)
        except (FileExistsError, NotADirectoryError):  # a folder above is hidden already
            pass
        self.keep(real)

    def keep(self, real):
        """Tells what stays as it is, but for empty files, such as locks, which lose nothing."""
        self.changed()
        if self.is_somebodys(real) and not is_empty(real):
            report.tell("kept", path=real)

    def changed(self):
        """Other processes have to look anew."""
        own.touch(self.stamp)
        now = time.time_ns()
        own.utime(self.stamp, ns=(now, now))


def is_empty(real):
    return own.is_file(real) and own.state_of(real).st_size == 0


def copy_file(source, target, content):
    import shutil

    if content or not own.is_file(source):
        shutil.copy2(source, target, follow_symlinks=False)
        return
    os.close(own.open_descriptor(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    shutil.copymode(source, target)


def publish(unready, place):
    """Gives a complete copy its name, unless another process has been faster."""
    try:
        own.link(unready, place, follow_symlinks=False)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        own.rename(unready, place)
        return
    own.remove(unready)
