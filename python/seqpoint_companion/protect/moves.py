"""Renaming where something is somebody's: private copies, and what the job no longer sees.

`copies`: a Copies; source and target are real paths.
"""

import errno
import os
import shutil

from . import own


def move(copies, source, target):
    """Renames a real path, as os.rename does."""
    if source == target:
        return
    require_possible(copies, source, target)
    here = copies.place(source)
    there = copies.to_hold(target)
    if own.is_folder(here):
        move_folder(copies, source, there)
    else:
        move_file(copies, source, there)
    leave(copies, source)
    copies.changed()


def move_folder(copies, source, there):
    own.makedirs(there, exist_ok=True)
    for name in copies.entries(source):
        child = f"{source}/{name}"
        if own.is_folder(copies.place(child)):
            move_folder(copies, child, f"{there}/{name}")
        else:
            move_file(copies, child, f"{there}/{name}")
    shutil.copystat(copies.place(source), there)


def move_file(copies, source, there):
    here = copies.place(source)
    if here == source and copies.is_somebodys(source):
        copy(here, there)
        return
    try:
        own.rename(here, there)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy(here, there)
        own.remove(here)


def copy(here, there):
    unready = f"{there}.{os.urandom(8).hex()}"
    shutil.copy2(here, unready, follow_symlinks=False)
    own.rename(unready, there)


def leave(copies, source):
    """The job no longer sees what was moved."""
    if own.is_folder(copies.files + source):
        shutil.rmtree(copies.files + source)
    if own.exists(source) and not (own.is_folder(source) and is_removed(copies, source)):
        copies.hide(source)


def is_removed(copies, folder):
    """Removes a folder of the job's and those in it, unless something stays there."""
    for at, _, _ in os.walk(folder, topdown=False):
        if copies.is_somebodys(at):
            return False
        try:
            own.rmdir(at)
        except OSError:
            return False
    return True


def require_possible(copies, source, target):
    """Raises what os.rename would."""
    here, there = copies.place(source), copies.place(target)
    if not own.exists(here):
        refuse(errno.ENOENT, source, target)
    if target.startswith(f"{source}/"):
        refuse(errno.EINVAL, source, target)
    if not own.is_folder(copies.place(own.parent(target))):
        refuse(errno.ENOENT, source, target)
    if not own.exists(there) or own.is_folder(here) is own.is_folder(there) is False:
        return
    if not own.is_folder(there):
        refuse(errno.ENOTDIR, source, target)
    if not own.is_folder(here):
        refuse(errno.EISDIR, source, target)
    if copies.entries(target):
        refuse(errno.ENOTEMPTY, source, target)


def refuse(number, source, target):
    raise OSError(number, os.strerror(number), source, None, target)
