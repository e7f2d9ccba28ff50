#!/usr/bin/env python3
"""The catalogue of findings, its document and its examples:

  tests/house/findings.py SOURCE_DIR

- The ids in src/core/findings.hpp are those of the lists in docs/profiles.md, each once. A severe
  one is listed below a heading of errors.
- The files that its headings name, in src/core/findings or src/core, are those that have the rules.
- Each sentence of the catalogue occurs in the expected output of a test.
"""
import re
import sys
from pathlib import Path

KIND = re.compile(
    r'\b(k\w+)\{\s*"([a-z-]+)",\s*(kOdd|kDoubtful|kSevere|kRefused),\s*((?:"(?:[^"\\]|\\.)*"\s*)+),'
)
HEADING = re.compile(r"^// --- ([\w/., ]+\.cpp): ", re.M)


def catalogue(root):
    """Maps each id to its sentence, as a regular expression, and to whether it is severe."""
    kinds = {}
    for _, name, severity, literals in KIND.findall((root / "src/core/findings.hpp").read_text()):
        parts = re.split(r"\{.*?\}", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)))
        kinds[name] = re.compile(".+?".join(map(re.escape, parts))), severity in (
            "kSevere",
            "kRefused",
        )
    return kinds


def without_rule(root):
    """Kinds whose rule is not in the files that the heading above them names."""
    core = root / "src/core"
    _, *parts = HEADING.split((core / "findings.hpp").read_text())
    for files, rows in zip(parts[::2], parts[1::2]):
        for name, kind, _, _ in KIND.findall(rows):
            for file in files.split(", "):
                path = core / file if "/" in file else core / "findings" / file
                if not path.exists() or not re.search(rf"\b{name}\b", path.read_text()):
                    yield f"src/core/findings.hpp: {kind}: its rule is not in {file}"


def listed(document):
    """Heading and id of each finding in the part "What is checked"."""
    part = document[document.index("## What is checked") :]
    for heading, text in re.findall(r"^### (.*)\n((?:(?!###|\*\*).*\n)*)", part, re.M):
        for ids in re.findall(r"(?:(?<=: )|(?<=:\n  ))`[a-z-]+`(?:,\s+`[a-z-]+`)*$", text, re.M):
            for name in re.findall(r"[a-z-]+", ids):
                yield heading, name


def check(root):
    kinds, rows, wrong = catalogue(root), {}, list(without_rule(root))
    for heading, name in listed((root / "docs/profiles.md").read_text()):
        if name in rows or name not in kinds:
            wrong.append(
                f"docs/profiles.md: {name} "
                f"{'stands twice' if name in rows else 'is in no catalogue'}"
            )
        rows[name] = heading
    expected = [path.read_text() for path in root.glob("tests/golden/*/*/expected")]
    expected += [
        re.sub(r'"\n *"', "", path.read_text())
        for kind in ("unit", "property")
        for path in root.glob(f"tests/{kind}/*.cpp")
    ]
    for name, (sentence, severe) in kinds.items():
        if name not in rows:
            wrong.append(f"docs/profiles.md: {name} is not listed")
        elif severe and not rows[name].startswith("Errors"):
            wrong.append(f"docs/profiles.md: {name} is severe, and no error")
        if not any(sentence.search(text) for text in expected):
            wrong.append(f"{name}: no test expects its sentence")
    return wrong or ([] if kinds else ["no catalogue found"])


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve())
    print("\n".join(found))
    sys.exit(1 if found else 0)
