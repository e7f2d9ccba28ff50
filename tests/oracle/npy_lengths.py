"""Arrays as NumPy saves them, against `seqpoint scan --lengths-only`.

    python3 npy_lengths.py PATH/TO/seqpoint

Exit status 77 (skipped) where NumPy cannot be imported. Random cases, with a fixed seed: integers and floats of every width and
byte order, one column and two, C and Fortran order, versions 1 to 3.
"""

import random
import subprocess
import sys
import tempfile

try:
    import numpy
    from numpy.lib import format as npy
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SEQPOINT = sys.argv[1]
CASES = 120


def scanned(path):
    done = subprocess.run([SEQPOINT, "-q", "scan", path, "--lengths-only"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{path}: {done.stderr}")
    return [tuple(map(int, line.split(","))) for line in done.stdout.splitlines()[1:]]


def random_array(draw):
    dtype = numpy.dtype(draw.choice("<>") + draw.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]))
    most = 2**24 if dtype.kind == "f" else min(int(numpy.iinfo(dtype).max), 2**32 - 1)
    n = draw.choice([1, 2, 3, draw.randint(4, 300), draw.randint(4, 20000)])
    shape = (n,) if draw.random() < 0.5 else (n, 2)
    numbers = [draw.randint(0, most) for _ in range(n * len(shape))]
    return numpy.array(numbers, dtype=numpy.float64).astype(dtype).reshape(shape, order=draw.choice("CF"))


def main():
    draw = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/lengths.npy"
        for case in range(CASES):
            array = random_array(draw)
            version = draw.choice([(1, 0), (2, 0), (3, 0)])
            with open(path, "wb") as file:
                npy.write_array(file, array, version=version)
            expected = [tuple(int(x) for x in numpy.atleast_1d(row)) for row in numpy.load(path)]
            if scanned(path) != expected:
                raise SystemExit(f"case {case} differs: {array.dtype.str} {array.shape} version {version}")
    print(f"{CASES} arrays: same lengths")


main()
