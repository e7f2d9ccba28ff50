#!/usr/bin/env python3
"""The output of the golden cases obeys the rules of outputs:

    tests/house/outputs.py SOURCE_DIR

A message or hint is one sentence of at most 160 characters. It is a statement: no question, no
number like 2e-04. A warning names an action: in a hint, an option, a command, or after a
semicolon. A successful command prints at most five lines on standard error besides its warnings;
-v asks for more. Names that a message lists are not counted, nor a command to copy at its end.
"""

import re
import sys
from pathlib import Path

MAX_MESSAGE = 160
MAX_LINES = 5
SUGGESTION = "did you mean "
LIST = re.compile(r"(?:one of|lengths): [^,]+, .*")
COMMAND = re.compile(r": (?:awk|python3) .*")
MESSAGE = re.compile(r"seqpoint: (warning|error): (.*)")
HINT = " [hint]"  # stands behind a message with a hint, which is in the table of hints
ACTION = re.compile(r"`|--[a-z]|; [a-z]")
EXPONENT = re.compile(r"\d[eE]-\d")


def faults_of_text(text):
    """The faults of a message or a hint."""
    part = COMMAND.sub("", LIST.sub("", text))
    faults = []
    if len(part) > MAX_MESSAGE:
        faults.append(f"has {len(part)} characters, not {MAX_MESSAGE}")
    if SUGGESTION not in part and (part.rstrip().endswith("?") or "? " in part):
        faults.append("asks a question")
    return faults


def faults_of(kind, text, has_hint):
    """The faults of a message."""
    faults = faults_of_text(text)
    if kind != "error" and EXPONENT.search(text):
        faults.append("a number is written as 2e-04")
    if kind == "warning" and not has_hint and not ACTION.search(text):
        faults.append("a warning without an action")
    return faults


def standard_error(lines):
    """The numbers and texts of the lines that a case prints there."""
    begin = lines.index("--- stderr") + 1
    end = next(
        (i for i in range(begin, len(lines)) if lines[i].startswith("--- file ")), len(lines)
    )
    return list(enumerate(lines, 1))[begin:end]


def messages(lines):
    """(number, kind, text, whether it has a hint) of each message. Notes exist on standard error
    only."""
    errors = {number for number, _ in standard_error(lines)}
    for number, line in enumerate(lines, 1):
        found = MESSAGE.match(line.removesuffix(HINT))
        if found:
            yield number, found[1], found[2], line.endswith(HINT)
        elif number in errors:
            yield number, "note", line, False


def check_case(case):
    lines = case.read_text(encoding="utf-8", errors="replace").splitlines()
    where = "/".join(case.parts[-3:-1])
    commands = (case.parent / "cmd").read_text(encoding="utf-8", errors="replace")
    if re.search(r" -v\b|--verbose", commands):
        return []
    chosen = "| grep" in commands  # hints of some lines are missing
    found = [
        f"{where}:{number}: {fault}: {text}"
        for number, kind, text, has_hint in messages(lines)
        for fault in faults_of(kind, text, has_hint or chosen)
    ]
    several = (
        len(re.findall(r"\bseqpoint |\b(?:for|while)\b|\w+\(\)", re.sub(r"#.*", "", commands))) > 1
    )
    printed = sum(not MESSAGE.match(line) for _, line in standard_error(lines))
    if lines[0] == "exit 0" and not several and printed > MAX_LINES:
        found.append(f"{where}: {printed} lines on standard error, not {MAX_LINES}")
    return found


def check_hints(golden):
    """The faults of hints, and rows of the table whose case is gone."""
    found = []
    for row in (golden / "hints").read_text(encoding="utf-8", errors="replace").splitlines():
        case, hint = row.split("\t", 1)
        if not (golden / case / "cmd").exists():
            found.append(f"hints: there is no case {case}")
        found += [f"hints: {case}: {fault}: {hint}" for fault in faults_of_text(hint)]
    return found


def main():
    golden = Path(sys.argv[1]).resolve() / "tests" / "golden"
    cases = sorted(golden.glob("*/*/expected"))
    found = check_hints(golden) + [fault for case in cases for fault in check_case(case)]
    print("\n".join(found or [f"{len(cases)} cases obey the rules"]))
    sys.exit(1 if found else 0)


main()
