#!/usr/bin/env python3
"""Files that are not read: each is named by its first bytes, and what the hint says to type gives the lengths.

  tests/docs/foreign_files.py SEQPOINT

Files are made here, by hand or by the library that people make them with. Commands of hints are run where the library
that they import is installed (numpy, torch).
"""
import importlib.util
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SAMPLES = [[1, 2, 3], [4], [5, 6]]
LENGTHS = [3, 1, 2]


def npz(path):
    import numpy
    with open(path, "wb") as file:
        numpy.savez(file, lengths=numpy.array(LENGTHS))


def torch_file(path, new=True):
    import torch
    torch.save([torch.tensor(sample) for sample in SAMPLES], path, _use_new_zipfile_serialization=new)


def zipped(path, *names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x")


def crc32c(data):
    table = [0] * 256
    for n in range(256):
        c = n
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
        table[n] = c
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def tfrecord(path):
    size = struct.pack("<Q", 5)
    crc = crc32c(size)
    path.write_bytes(size + struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF) + b"\n\x03\n\x01\n" + b"crc.")


def bytes_of(data):
    return lambda path: path.write_bytes(data)


# name, what is said of it, library that makes it, how
FILES = [
    ("a.npz", "is a NumPy archive", "numpy", npz),
    ("a.pt", "is what torch.save wrote", "torch", torch_file),
    ("old.pt", "is what torch.save wrote", "torch", lambda path: torch_file(path, False)),
    *((f"p{n}.pkl", "is a pickle", "pickle", lambda path, n=n: path.write_bytes(pickle.dumps(SAMPLES, n))) for n in range(2, 6)),
    ("a.tfrecord", "is a TFRecord", None, tfrecord),
    ("a.h5", "is an HDF5 file", None, bytes_of(b"\x89HDF\r\n\x1a\n" + bytes(40))),
    ("data.mdb", "is an LMDB database", None, bytes_of(bytes(16) + struct.pack("<I", 0xBEEFC0DE) + bytes(40))),
    ("a.xlsx", "is a spreadsheet", None, lambda path: zipped(path, "[Content_Types].xml", "xl/workbook.xml")),
    ("a.zip", "is a zip archive", None, lambda path: zipped(path, "train.jsonl")),
    ("a.xz", "is compressed by xz", None, bytes_of(b"\xfd7zXZ\0" + bytes(40))),
    ("le.txt", "is UTF-16", None, bytes_of("3\n1\n2\n".encode("utf-16"))),
    ("be.csv", "is UTF-16", None, bytes_of("length\n3\n1\n2\n".encode("utf-16-be"))),
    ("mac.csv", "ends its lines with CR alone", None, bytes_of(b"length\r3\r1\r2\r")),
    ("a.bz2", "is compressed by bzip2", None, bytes_of(b"BZh91AY&SY" + bytes(40))),
]


def run_hint(seqpoint, hint, folder):
    """The lengths that the command of a hint makes readable; nothing where its library is not there."""
    command = re.search(r": ((?:python3 -c|iconv|tr) .*)", hint)
    if not command:
        return None
    line = command.group(1)
    library = re.search(r"import (\w+)", line)
    if library and importlib.util.find_spec(library.group(1)) is None:
        return None
    subprocess.run(["bash", "-c", line.replace("python3", sys.executable, 1)], cwd=folder, check=True)
    written = "lengths.npy" if "lengths.npy" in line else line.rpartition(">")[2]
    done = subprocess.run([seqpoint, "scan", "-q", "--lengths-only", written], cwd=folder, check=True, capture_output=True, text=True)
    return [int(row) for row in done.stdout.split()[1:]]


def main():
    seqpoint, faults, tried = Path(sys.argv[1]).resolve(), [], 0
    for name, said, library, make in FILES:
        if library and importlib.util.find_spec(library) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / name)
            for command in (("scan", "--lengths-only"), ("inspect",)):
                done = subprocess.run([seqpoint, *command, name], cwd=folder, capture_output=True, text=True, check=False)
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
