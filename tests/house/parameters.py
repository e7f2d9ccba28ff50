#!/usr/bin/env python3
"""The core knows parameters, the command line has options:

  tests/house/parameters.py SOURCE_DIR PROGRAM

- No text of the core names an option. It names parameters, in backquotes, by the library's own
  names.
- Errors of the core name the parameter that is wrong: they are ParameterErrors.
- Each parameter in a text of the core is an option of the same name, with dashes, or a key of
  --sampler.
"""
import re
import subprocess
import sys
from pathlib import Path

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"^\s*//.*|\s//\s.*$", re.M)


def core(root):
    found = sorted((root / "src/core").rglob("*.?pp"))
    return found + [
        path
        for path in sorted((root / "include/seqpoint").rglob("*.hpp"))
        if "io" not in path.relative_to(root / "include/seqpoint").parts
    ]


def texts(path):
    return LITERAL.findall(COMMENT.sub("", path.read_text()))


def check(root, options):
    """`options`: the program's options and the keys of samplers, with dashes."""
    wrong, sources = [], core(root)
    for path in sources:
        where = path.relative_to(root)
        for text in texts(path):
            if re.search(r"--[a-z{]", text):
                wrong.append(f"{where}: names an option: {text}")
            for parameter in re.findall(r"`([a-z][a-z0-9_-]*)`", text):
                if "--" + parameter.replace("_", "-") not in options:
                    wrong.append(f"{where}: no parameter has the name {parameter}: {text}")
        if re.search(r"throw UsageError", path.read_text()):
            wrong.append(f"{where}: throws UsageError, which names no parameter")
    return wrong or ([] if sources else ["no sources found"])


def options_of(program):
    def said(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    commands = re.findall(r"^  ([a-z]+) ", said("--help").split("Measure and predict:")[1], re.M)
    rows = [
        row
        for command in commands
        for row in re.findall(r"^  (-\S+)", said(command, "--help-all"), re.M)
    ]
    keys = re.findall(r"^    ([a-z-]+)(?:=[A-Z]+)?  ", said("list", "samplers"), re.M)
    return {name for row in rows for name in row.split(",")} | {"--" + key for key in keys}


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve(), options_of(sys.argv[2]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
