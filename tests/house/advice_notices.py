#!/usr/bin/env python3
"""That advice.py notices what does not exist, and reads literals as compilers do."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import advice

KNOWN = ({"plan"}, {"order"}, {"--match"}, {"runtime_s"})
RIGHT = (
    "next: seqpoint plan points.json",
    "python3 -m seqpoint_companion order",
    "--match REGEX; nsys export --type sqlite",
    "no column runtime_s; a file that seqpoint wrote",
)
WRONG = {
    "seqpoint report points.json": "report",
    "python3 -m seqpoint_companion profile": "profile",
    "--matches REGEX": "--matches",
    "no column 'runtime_h'": "runtime_h",
}


def main():
    texts = [("x.cpp", text) for text in (*RIGHT, *WRONG)]
    found = [line.split()[1] for line in advice.wrong_advice(texts, *KNOWN)]
    assert found == list(WRONG.values()), found
    source = '// "a"\nf("--b"\n  " c", "\\"d");\n'
    assert list(advice.c_strings(source)) == ["--b c", '\\"d'], list(advice.c_strings(source))


main()
