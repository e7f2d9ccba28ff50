#!/usr/bin/env python3
"""Enum names are written only once, in a table of Words (core/enum_names.hpp):

  tests/house/words.py SOURCE_DIR
"""
import re
import sys
from pathlib import Path

TABLE = re.compile(r"Word<([\w:]+)>, \d+>\s+k\w+\{\s*\{(.*?)\}\};", re.S)
ENTRY = re.compile(r'\{\s*"([\w-]+)",\s*([\w:]+::\w+)')
# Words that only look like an entry of a table, by file.
OTHERS = {"src/core/lengths/lengths.cpp": {"seconds", "samples", "frames"}}  # names of columns


def check(root):
    sources = [
        path
        for folder in ("include/seqpoint", "src")
        for path in sorted((root / folder).rglob("*.?pp"))
    ]
    texts = {path.relative_to(root).as_posix(): path.read_text() for path in sources}
    words = [
        (word, value.split("::")[-2] + "::" + value.split("::")[-1])
        for text in texts.values()
        for _, table in TABLE.findall(text)
        for word, value in ENTRY.findall(table)
    ]
    wrong = [
        f"{where}: '{word}' and {value} have a table: {line.strip()}"
        for where, text in texts.items()
        for line in TABLE.sub("", text).splitlines()
        for word, value in words
        if f'"{word}"' in line and value in line and word not in OTHERS.get(where, ())
    ]
    return wrong or ([] if words else ["no table of words found"])


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve())
    print("\n".join(found))
    sys.exit(1 if found else 0)
