#!/usr/bin/env python3
"""The first screen of README.md has the two commands that do all the work on a fresh machine:

    tests/house/readme.py SOURCE_DIR

Both are files that can be run, stand in a block of commands, and a comment says what each does.
README.md as a whole has at most 800 words.
"""

import os
import re
import sys
from pathlib import Path

COMMANDS = ("examples/quickstart.sh", "tests/run.sh")
FIRST_SCREEN = 25  # lines
MOST_WORDS = 800
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def faults(source):
    text = (source / "README.md").read_text(encoding="utf-8")
    screen = "".join(text.splitlines(keepends=True)[:FIRST_SCREEN])
    lines = [line for block in BLOCK.findall(screen) for line in block.splitlines()]
    for command in COMMANDS:
        if not any(re.match(rf"{re.escape(command)} +# \w", line) for line in lines):
            yield f"the first {FIRST_SCREEN} lines have no '{command}' with what it does"
        if not os.access(source / command, os.X_OK):
            yield f"{command} cannot be run"
    words = len(text.split())
    if words > MOST_WORDS:
        yield f"{words} words, not {MOST_WORDS}"


def main():
    found = list(faults(Path(sys.argv[1])))
    for fault in found:
        print(f"README.md: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
