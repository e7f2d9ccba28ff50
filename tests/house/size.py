#!/usr/bin/env python3
"""The lines of code in src and include stay below a limit that is set by hand:

    tests/house/size.py SOURCE_DIR

The limit is three per cent above the size of version 2.0. A change that adds more removes
something, or its commit raises the limit and explains why the program has to be larger. Comments
and blank lines are printed but have no limit: a comment that explains is worth its line.
"""

import sys
from pathlib import Path

MAX_LINES = 40400
SOURCES = (".cpp", ".hpp", ".def")


def lines_of(root):
    """(code, comments, blank lines)"""
    files = (path for folder in ("src", "include") for path in (root / folder).rglob("*"))
    code = comments = blanks = 0
    for path in files:
        if path.suffix not in SOURCES:
            continue
        for line in map(str.strip, path.read_text().splitlines()):
            blanks += not line
            comments += line.startswith("//")
            code += bool(line) and not line.startswith("//")
    return code, comments, blanks


def main():
    code, comments, blanks = lines_of(Path(sys.argv[1]).resolve())
    print(
        f"{code} lines of code in src and include, at most {MAX_LINES}; {comments} of comments, "
        f"{blanks} blank"
    )
    sys.exit(0 if code <= MAX_LINES else 1)


main()
