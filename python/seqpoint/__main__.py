"""python3 -m seqpoint: the program, in place of this process."""

import os
import sys

import seqpoint


def main() -> None:
    path = seqpoint.program()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
