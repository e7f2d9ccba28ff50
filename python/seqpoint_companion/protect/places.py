"""Where the files of a job are: in their places, or, of those of others, as private copies.

A file, link or folder is the job's if the job has made it and it is as the job left it (ours.py).
All others are somebody's, and what the job does to one of them happens to a copy in the scratch
folder, which all processes of the job share:

    files/PATH   what the job sees at PATH, in place of what is there
    gone/PATH    a file: the job does not see what is at PATH, or below it
    stamp        exists once there is any of the first two, and is touched whenever they change
    ours, made   what the job has made (ours.py)
    inventory    the folder in which `seqpoint run` itself finds changes of old files, or nothing.
                 Its time is the beginning of the job

Nothing but these files is shared, so that a process sees at once what another one has done.
"""

import errno
import fcntl
import os

from . import own

NO_FILES = ("/dev/", "/proc/", "/sys/")
MEMORY = "/dev/shm/"  # which has files
MOST_LINKS = 40  # as in Linux
MOST_SEEN = 10_000  # places to remember


class Places:
    """The places of a job's paths. A real path is absolute, without links, as the job sees it."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.files, self.gone = f"{scratch}/files", f"{scratch}/gone"
        self.stamp = f"{scratch}/stamp"
        self.of_run = f"{os.path.dirname(scratch)}/"  # the run's own files
        self._seen, self._seen_at = {}, 0  # {(path, whether links are followed): place}

    def is_left_alone(self, path):
        """Whether a path is left alone."""
        if path.startswith(NO_FILES):
            return path.startswith(self.of_run) or not path.startswith(MEMORY)
        return path.startswith(self.of_run)

    def are_used(self):
        """Whether the job has changed any old file."""
        return own.access(self.stamp, os.F_OK)

    # --- names --------------------------------------------------------------------------------

    def whole(self, path, dir_fd=None):
        """The absolute path of a path, or of an open file, as the job sees it."""
        if isinstance(path, int):
            return self.outside(own.readlink(f"/proc/self/fd/{path}"))
        path = os.fsdecode(path)
        if path and not path.startswith("/"):
            folder = own.getcwd() if dir_fd is None else own.readlink(f"/proc/self/fd/{dir_fd}")
            path = f"{folder}/{path}"
        return self.outside(path)

    def outside(self, path):
        """The path that a private place stands for; of others, the path."""
        return path[len(self.files) :] if path.startswith(f"{self.files}/") else path

    def real(self, path, follow=True, dir_fd=None):
        """The real path. Unless `follow`, its last part may be a link."""
        return self._walk(self.whole(path, dir_fd), follow)[0]

    def _walk(self, whole, follow):
        """(the real path, whether a link on the way is a private one)."""
        if not whole.startswith("/") or whole.startswith(self.of_run):  # "", "pipe:[8]"
            return whole, False
        rest, at, links, private = whole.split("/")[::-1], "", 0, False
        place_of = self.place if self.are_used() else str
        descriptors = f"/proc/{os.getpid()}/fd"  # also of /dev/fd and /dev/stdout
        while rest:
            name = rest.pop()
            if name == "..":
                at = own.parent(at).rstrip("/")
            if name in ("", ".", ".."):
                continue
            here, at = at, f"{at}/{name}"
            if here == descriptors and may_write(name):
                return whole, False
            place = place_of(at)
            link = own.link_at(place) if rest or follow else ""
            if not link:
                continue
            private = private or place != at
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), whole)
            at = "" if link.startswith("/") else here
            rest += link.split("/")[::-1]
        if self.is_left_alone(whole) and not own.exists(at):  # such as a pipe
            return whole, False
        return at or "/", private

    # --- what the job sees --------------------------------------------------------------------

    def place(self, real):
        """The place of what the job sees at a real path; a missing one if it sees nothing."""
        if not real.startswith("/") or self.is_left_alone(real) or not self.are_used():
            return real
        private = self.files + real
        return private if own.exists(private) or self.hides(real) else real

    def hides(self, real):
        """Whether the job does not see what is at a real path."""
        try:
            return not own.S_ISDIR(own.lstat(self.gone + real).st_mode)
        except NotADirectoryError:  # a folder above is hidden
            return True
        except OSError:
            return False

    def to_read(self, path, follow=True, dir_fd=None):
        """The place to read a path from; None: the path itself."""
        whole = self.whole(path, dir_fd)
        now = own.stat(self.stamp).st_mtime_ns
        if now != self._seen_at or len(self._seen) > MOST_SEEN:
            self._seen, self._seen_at = {}, now
        seen = self._seen  # another thread may begin a new one
        if (whole, follow) not in seen:
            seen[whole, follow] = self._find(whole, follow)
        return seen[whole, follow]

    def _find(self, whole, follow):
        real, through_private = self._walk(whole, follow)
        place = self.place(real)
        return None if place == real and not through_private else place

    def is_in_place(self, real):
        """Whether what a folder gets is written into the folder itself."""
        if self.hides(real):
            return False
        return own.is_folder(real) or not own.exists(self.files + real)

    def entries(self, real):
        """{name: os.DirEntry} of a folder."""
        found, private = {}, self.files + real
        if not self.hides(real) and own.is_folder(real):
            found = {of.name: of for of in own.scandir(real)}
        if found and own.is_folder(self.gone + real):
            found = {name: of for name, of in found.items() if not self.hides(f"{real}/{name}")}
        if own.is_folder(private):
            found.update((of.name, of) for of in own.scandir(private))
        return found


def may_write(descriptor):
    """Whether this process has a file open for writing, by the name of its descriptor."""
    try:
        return bool(fcntl.fcntl(int(descriptor), fcntl.F_GETFL) & os.O_ACCMODE)
    except (OSError, ValueError):
        return False
