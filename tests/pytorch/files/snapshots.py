"""All of a folder that a job could change."""

import os
import stat


def snapshot(folder):
    """{path: all that could change} of what is in a folder; of folders the mode only."""
    found = {}
    for at, folders, names in os.walk(folder):
        for path in (os.path.join(at, name) for name in (*folders, *names)):
            state = os.lstat(path)
            times = state.st_ino, state.st_nlink, state.st_mtime_ns, state.st_ctime_ns
            if stat.S_ISDIR(state.st_mode):
                found[path] = state.st_mode, state.st_ino
            elif stat.S_ISLNK(state.st_mode):
                found[path] = state.st_mode, times, os.readlink(path)
            else:
                with open(path, "rb") as file:
                    found[path] = state.st_mode, times, file.read()
    return found
