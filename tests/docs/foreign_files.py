#!/usr/bin/env python3
"""Files that are not read: the error names each format, and its hint gives the lengths.

  tests/docs/foreign_files.py SEQPOINT

A format is recognised by its first bytes. Files are made here, by hand or by the library that
people make them with. Commands of hints are run if the library that they import (numpy) is
installed.
"""
import importlib.util
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

LENGTHS = [3, 1, 2]


def numpy_array(path):
    import numpy

    numpy.save(path, numpy.array(LENGTHS))


def archive(path):
    with tarfile.open(path, "w") as shard:
        shard.addfile(tarfile.TarInfo("a.txt"))


def bytes_of(data):
    return lambda path: path.write_bytes(data)


# name, expected message, library that makes the file, function
FILES = [
    ("a.npy", "is a NumPy array", "numpy", numpy_array),
    ("a.parquet", "is a Parquet file", None, bytes_of(b"PAR1" + bytes(40))),
    ("file.arrow", "is an Arrow file", None, bytes_of(b"ARROW1\0\0" + bytes(40))),
    ("stream.arrow", "is an Arrow file", None, bytes_of(b"\xff\xff\xff\xff\x40\1\0\0" + bytes(40))),
    ("a.tar", "is an archive", None, archive),
    ("a.wav", "is sound", None, bytes_of(b"RIFF" + bytes(40))),
    ("a.flac", "is sound", None, bytes_of(b"fLaC" + bytes(40))),
    ("a.pkl", "is a binary file", None, bytes_of(b"\x80\x04\x95" + bytes(40))),
    ("le.txt", "is UTF-16", None, bytes_of("3\n1\n2\n".encode("utf-16"))),
    ("be.csv", "is UTF-16", None, bytes_of("length\n3\n1\n2\n".encode("utf-16-be"))),
    ("mac.csv", "ends its lines with CR alone", None, bytes_of(b"length\r3\r1\r2\r")),
]


def run_hint(seqpoint, hint, folder):
    """The lengths that the command of a hint prints; None if its library is not installed."""
    command = re.search(r": ((?:python3 -c|iconv|tr) .*)", hint)
    if not command:
        return None
    line = command.group(1)
    library = re.search(r"import (\w+)", line)
    if library and importlib.util.find_spec(library.group(1)) is None:
        return None
    subprocess.run(
        ["bash", "-c", line.replace("python3", sys.executable, 1)], cwd=folder, check=True
    )
    written = "lengths.txt" if "lengths.txt" in line else line.rpartition(">")[2]
    done = subprocess.run(
        [seqpoint, "scan", "-q", "--lengths-only", written],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return [int(row) for row in done.stdout.split()[1:]]


def main():
    seqpoint, faults, tried = Path(sys.argv[1]).resolve(), [], 0
    for name, said, library, make in FILES:
        if library and importlib.util.find_spec(library) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / name)
            for command in (("scan", "--lengths-only"), ("inspect",)):
                done = subprocess.run(
                    [seqpoint, *command, name],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != 3 or said not in done.stderr or "hint:" not in done.stderr:
                    faults.append(f"{command[0]} {name}: {done.returncode}: {done.stderr}")
            lengths = run_hint(seqpoint, done.stderr, folder)
            tried += lengths is not None
            if lengths not in (None, LENGTHS):
                faults.append(f"{name}: the hint's command gives {lengths}")
    print(*faults, sep="\n")
    print(f"{len(FILES)} files, {tried} commands of hints run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
