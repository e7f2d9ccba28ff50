"""Private copies of old files, and what the job no longer sees."""

import os
import time

from .. import report
from . import own
from .new_files import Made
from .places import Places


class Copies(Places):
    def __init__(self, scratch, began_in):
        super().__init__(scratch)
        self.began = own.stat(f"{scratch}/inventory").st_mtime_ns
        self.made = Made(scratch, began_in)
        self._inventory = None

    # --- what is old --------------------------------------------------------------------------

    def is_old(self, real):
        """Whether what is at a real path was there before the job began.

        An earlier time of change is proof. A later one is none: a link, a mode and, of a folder,
        what is made in it change it, too.
        """
        state = own.state_of(real)
        if state is None or not real.startswith("/") or self.is_other(real):
            return False
        if state.st_ctime_ns < self.began or real in self.inventory()[1]:
            return True
        return own.S_ISDIR(state.st_mode) and not self.is_listed(real) and real not in self.made

    def is_protected(self, real):
        """Whether what the job does to a real path may not happen in its place."""
        return self.place(real) != real or self.is_old(real)

    def inventory(self):
        """(the folder that it lists, or "", the old paths in it)."""
        if self._inventory is None:
            with own.open(f"{self.scratch}/inventory", "rb") as file:
                folder, *paths = os.fsdecode(file.read()).split("\0")
            self._inventory = folder, set(paths)
        return self._inventory

    def is_listed(self, real):
        """Whether the inventory would list an old path."""
        folder, below = self.inventory()[0], ""
        if folder and real.startswith(f"{folder}/"):
            below = real[len(folder) :]
        return bool(below) and "/." not in below and "/__pycache__" not in below

    # --- places to write ----------------------------------------------------------------------

    def to_write(self, real, content=True, exclusive=False):
        """The place of a file that is opened for writing. `content`: it keeps what it has."""
        place = self.place(real)
        if not own.exists(place):
            return self.to_make(real)
        if exclusive or place != real or not own.is_file(real) or not self.is_old(real):
            return place
        return self.copy(real, content)

    def to_make(self, real):
        """The place of something new, where the job sees nothing."""
        if not real:
            return real
        if own.exists(real) or not self.is_in_place(own.parent(real)):
            self._prepare(own.parent(real))
            self.changed()
            return self.files + real
        self.note_made(real)
        return real

    def note_made(self, real):
        """Lists a new file, link or folder, once the function that makes it has succeeded."""
        if not self.is_other(real):
            own.running.made = real

    def to_replace(self, real):
        """The place of what is moved to a real path."""
        place = self.place(real)
        if not own.exists(place):
            return self.to_make(real)
        if place != real or not self.is_old(real):
            return place
        self._prepare(own.parent(real))
        self.keep(real)
        return self.files + real

    def to_change(self, real):
        """The place of a file, link or folder that gets another mode, time or owner."""
        place = self.place(real)
        if place != real or not self.is_old(real):
            return place
        if not own.is_folder(real):
            return self.copy(real)
        self._prepare(real)
        self.keep(real)
        return self.files + real

    # --- the scratch folder -------------------------------------------------------------------

    def copy(self, real, content=True):
        """Makes the private copy of an old file or link, and returns its place."""
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
            os.close(own.open_descriptor(gone, os.O_WRONLY | os.O_CREAT, 0o600))
        except (FileExistsError, NotADirectoryError):  # a folder above is hidden already
            pass
        self.keep(real)

    def keep(self, real):
        self.changed()
        report.tell("kept", path=real)

    def changed(self):
        """Other processes have to look anew."""
        os.close(own.open_descriptor(self.stamp, os.O_WRONLY | os.O_CREAT, 0o600))
        now = time.time_ns()
        own.utime(self.stamp, ns=(now, now))


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
