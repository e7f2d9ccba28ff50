#!/usr/bin/env python3
"""The rules by which a file has one obvious place:

  tests/house/storeys.py SOURCE_DIR

- No folder of src contains more than 25 sources, not counting their headers. Folders in which every
  file is a row of a table are exempt.
- At most 12 headers are public.
- No two sources share a name, unless they are counterparts in sibling folders.
- A folder has one namespace, its path below seqpoint; src/core and include/seqpoint are seqpoint
  itself.
- Includes name their file from the root; a stage of the core includes none of a later stage.
- What reads bytes, text and data sets sees no selection, and what reads profiles no projection, not
  even through the includes of others: a change there does not recompile it.
- A line has at most 120 columns, except for text that is output byte for byte.
- Sources that src/README.md and CONTRIBUTING.md name exist.
- No type is defined twice in one namespace, because the linker would take either of the two.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

MOST_SOURCES, MOST_COLUMNS, MOST_PUBLIC = 25, 120, 3
TABLES = {"formats", "frameworks", "methods"}
SOURCES = (".cpp", ".hpp")
STAGES = (
    "rng",
    "lengths",
    "batching",
    "trace",
    "forecast",
    "select",
    "profile",
    "project",
    "findings",
    "evaluate",
    "report",
    "measuring",
)


# The first stage that a folder's sources must not see.
UNSEEN_FROM = {
    "io/stream": "select",
    "io/text": "select",
    "io/json": "select",
    "io/manifests": "select",
    "io/profiles": "project",
}


def sources(root, *folders):
    return sorted(
        path for folder in folders for path in (root / folder).rglob("*") if path.suffix in SOURCES
    )


def namespace_of(path, root):
    """("seqpoint", ...) as the file's folder requires; None if a file needs no namespace."""
    parts = path.relative_to(root).parts[:-1]
    if parts[:2] == ("include", "seqpoint") or parts[:2] == ("src", "core"):
        return ("seqpoint", *parts[2:])
    return ("seqpoint", *parts[1:])


def without_raw_strings(text):
    """The same lines; lines that are bytes of a style sheet or a script are empty."""
    return re.sub(
        r'R"(\w*|~*)\(.*?\)\1"', lambda found: "\n" * found.group().count("\n"), text, flags=re.S
    )


def wrong_namespaces(path, root):
    wanted = "::".join(namespace_of(path, root))
    found = re.findall(r"^namespace (seqpoint[\w:]*) \{", path.read_text(), re.M)
    return [
        f"{path.relative_to(root)}: namespace {name}, should be {wanted}"
        for name in found
        if name != wanted and not name.startswith(wanted + "::")
    ]


def later_stages(path, root):
    stage = (namespace_of(path, root) + ("",))[1]
    if stage not in STAGES:
        return []
    included = re.findall(r'#include "(?:core|seqpoint)/(\w+)/', path.read_text())
    return [
        f"{path.relative_to(root)}: of {stage}, includes {other}"
        for other in included
        if other in STAGES and STAGES.index(other) > STAGES.index(stage)
    ]


def seen_from(path, root, seen):
    """Adds the files of the program that `path` includes, directly or not, to `seen`."""
    for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
        for folder in ("src", "include"):
            included = root / folder / name
            if included not in seen and included.exists():
                seen.add(included)
                seen_from(included, root, seen)
    return seen


def unwanted_sights(root):
    for folder, first in UNSEEN_FROM.items():
        unseen = {root / "src/core" / stage for stage in STAGES[STAGES.index(first) :]}
        for path in sources(root, f"src/{folder}"):
            for other in sorted(seen_from(path, root, set())):
                if other.parent in unseen:
                    yield f"{path.relative_to(root)}: sees {other.relative_to(root)}"


def named_but_missing(root):
    for document, above in (("src/README.md", "src"), ("CONTRIBUTING.md", "")):
        if not (root / document).exists():
            continue
        for name in re.findall(
            r"`((?:src/|core/|io/|cli/)[\w/]+\.[ch]pp)`", (root / document).read_text()
        ):
            if (
                "NAME" not in name
                and not (root / above / name).exists()
                and not (root / "src" / name).exists()
            ):
                yield f"{document}: {name} is not there"


def check(root):
    wrong = list(named_but_missing(root)) + list(unwanted_sights(root))
    all_sources = sources(root, "src", "include/seqpoint")
    by_folder, by_name, types = defaultdict(list), defaultdict(list), defaultdict(list)
    for path in sources(root, "src"):
        if path.suffix == ".cpp":
            by_folder[path.parent].append(path)
        by_name[path.name].append(path)
    public = sources(root, "include/seqpoint") + [root / "cmake/version.hpp.in"]
    if len(public) > MOST_PUBLIC:
        wrong.append(f"include/seqpoint: {len(public)} public headers, more than {MOST_PUBLIC}")
    for folder, paths in by_folder.items():
        if len(paths) > MOST_SOURCES and folder.name not in TABLES:
            wrong.append(
                f"{folder.relative_to(root)}: {len(paths)} sources, more than {MOST_SOURCES}"
            )
    for name, paths in by_name.items():
        if (
            len(paths) > 1
            and len({path.parent.parent for path in paths}) > 1
            and len({(path.parent.name, path.parent.parent.parent) for path in paths}) > 1
        ):
            wrong.append(
                f"{name}: in {', '.join(str(path.parent.relative_to(root)) for path in paths)}"
            )
    for path in all_sources:
        wrong += wrong_namespaces(path, root) + later_stages(path, root)
        text, where = path.read_text(), path.relative_to(root)
        wrong += [f"{where}: {line}" for line in re.findall(r'#include "\.\.?/.*', text)]
        if path.suffix == ".cpp":  # for headers, the compiler reports it
            outside = re.sub(r"^namespace \{.*?^\}  // namespace$", "", text, flags=re.M | re.S)
            for name in re.findall(
                r"^(?:class|struct|enum class|enum) (\w+)[^;(]*\{", outside, re.M
            ):
                types[path.parent, name].append(where)
    wrong += [
        f"{name}: defined in {', '.join(map(str, paths))}"
        for (_, name), paths in types.items()
        if len(set(paths)) > 1
    ]
    for path in sources(root, "src", "include", "tests", "tools", "examples"):
        wrong += [
            f"{path.relative_to(root)}:{number}: {len(line)} columns"
            for number, line in enumerate(without_raw_strings(path.read_text()).split("\n"), 1)
            if len(line) > MOST_COLUMNS
        ]
    return wrong or ([] if all_sources else ["no sources found"])


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve())
    print("\n".join(found))
    sys.exit(1 if found else 0)
