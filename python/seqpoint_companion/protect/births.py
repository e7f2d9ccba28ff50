"""When files were born, which Python does not tell: by the C library's statx()."""

import ctypes
import os

HERE, NO_FOLLOW = -100, 0x100  # AT_FDCWD, AT_SYMLINK_NOFOLLOW
BIRTH = 0x800  # STATX_BTIME
SIZE, SECONDS, NANOSECONDS = 256, 80, 88  # of the answer, and where it has the birth time
statx = getattr(ctypes.CDLL(None), "statx", None)


def birth_of(path):
    """Nanoseconds since 1970; 0 if the file system does not know."""
    if statx is None:
        return 0
    found = ctypes.create_string_buffer(SIZE)
    name = ctypes.c_char_p(os.fsencode(path))
    if statx(HERE, name, NO_FOLLOW, BIRTH, found) != 0 or not number(found, 0, 4) & BIRTH:
        return 0
    return number(found, SECONDS, 8) * 10**9 + number(found, NANOSECONDS, 4)


def number(found, at, size):
    return int.from_bytes(found[at : at + size], "little")
