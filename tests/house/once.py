#!/usr/bin/env python3
"""Rules about things that are written once, and in one place:

  tests/house/once.py SOURCE_DIR

- No two lists of columns in src/io/views name the same ones: the page, CSV and JSON are made of one
  table.
- Charts place their marks through Plot and RowPanel (src/io/views/html): none makes scales or
  circles of its own.
- Lists of batches are assigned to ranks in one place: in src/core/batching only `distribute`,
  `micro_batch_builder` and code that passes on another sampler's micro-batches make a MicroBatch,
  and only groups.hpp has a name for rows.
- Comments name their subject: none begins with "Of" in the folders listed below.
"""
import re
import sys
from pathlib import Path

MOST_SHARED = 0.75  # share of the shorter list's columns
MICRO_BATCHES = {"distribute.cpp", "micro_batch_builder.hpp", "megatron_gpt.cpp"}
NAMED_SUBJECTS = (
    "src/io/views",
    "src/core/report",
    "src/io/manifests",
    "src/core/batching",
    "include/seqpoint",
)


def sources(root, folder):
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted((root / folder).rglob("*.?pp"))
    }


def column_lists(text):
    """Lists of at least six key names in braces; three braces begin a header for people."""
    found = re.findall(r'(?<!\{\{)\{\s*((?:"[a-z_]+",\s*){5,}"[a-z_]+")\s*\}', text)
    return [frozenset(re.findall(r'"([a-z_]+)"', names)) for names in found]


def repeated_columns(views):
    lists = [(where, names) for where, text in views.items() for names in column_lists(text)]
    return [
        f"{a}: has the columns {', '.join(sorted(one & other))} of {b}, too"
        for i, (a, one) in enumerate(lists)
        for b, other in lists[i + 1 :]
        if len(one & other) > MOST_SHARED * min(len(one), len(other))
    ]


def drawn_by_hand(charts):
    return [
        f"{where}: {what.strip()}"
        for where, text in charts.items()
        for what in re.findall(r'.*(?:\bScale [a-z]+\(|"circle").*', text)
    ]


def second_builders(batching):
    made = re.compile(r"sink_?\(\{.*|using \w+ = std::vector<(?:std::vector<)?std::uint32_t>>?;")
    return [
        f"{where}: {what}"
        for where, text in batching.items()
        if where.rsplit("/", 1)[1] not in MICRO_BATCHES | {"groups.hpp"}
        for what in made.findall(text)
    ]


def comments_without_subject(text):
    before = ""
    for line in text.splitlines():
        goes_on = line.lstrip().startswith("//") and before.lstrip().startswith("//")
        if re.search(r"//[/<]* Of ", line) and not goes_on:
            yield line.strip()
        before = line


def subjects(root):
    return [
        f"{where}: {line}"
        for folder in NAMED_SUBJECTS
        for where, text in sources(root, folder).items()
        for line in comments_without_subject(text)
    ]


def check(root):
    views, batching = sources(root, "src/io/views"), sources(root, "src/core/batching")
    charts = {where: text for where, text in views.items() if "/charts/" in where}
    if not views or not batching:
        return ["no sources found"]
    return (
        repeated_columns(views) + drawn_by_hand(charts) + second_builders(batching) + subjects(root)
    )


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve())
    print("\n".join(found))
    sys.exit(1 if found else 0)
