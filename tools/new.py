#!/usr/bin/env python3
"""Makes the files of a new reader, sampler or method, and its rows in tables.

    tools/new.py reader NAME     a format of manifests      NAME as on the command line: my-toolkit
    tools/new.py sampler NAME    an order of batches
    tools/new.py method NAME     a method that picks points

What it makes compiles, passes its own test, and does something simple: a reader takes a length from
each line, a sampler keeps the order of the file, a method takes the first iteration. Then it prints
what is left to write.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "tools" / "new"
READER_LEFT = """Left to do:
- Move its row in src/io/manifests/formats.def before every format that would also recognise it:
  fixed first bytes, then names of files, a fixed first line, keys of JSON, headers, the look of
  lines. The script puts it before those of JSON.
- Begin with a similar reader: a line a row fairseq_tsv.cpp, a key and a value espnet_tables.cpp, a
  table with a header csv_tables.cpp, lines of JSON jsonl.cpp (json_records.hpp),
  binary indexed_datasets.cpp. A table of usual column names, or records with one
  number, needs no reader: engine/columns.cpp has the names.
- Records with fields: the sink's file.requested_field() is --length-field.
- `recognises` reads the probe only. `read` passes rows to the RowSink, which handles columns, units
  and --skip-missing, and opens other files of the folder.
- A sample in tests/unit/table_of_readers_test.cpp; a golden case of good and of bad input in
  tests/golden/scan; a real file as tests/fuzz/corpus/NAME/seed; with the
  comparison, a row in tests/oracle/README.md."""
SAMPLER_LEFT = """Left to do:
- Options are OptionSpecs, under the framework's own names. If releases differ, `versions` lists
  them.
- Random numbers come from core/rng/rng.hpp; with them takes_seed is left out.
- `assumes` says what of the order the manifest does not show, `resuming` whether a run continues
  with it after a checkpoint, as observed in the framework's own code.
- Batches in lists: `MicroBatchBuilder` of distribute.hpp assigns them to ranks.
- The test compares orders of the framework itself, as in tests/vectors; their source is
  checked_against and a row in tests/oracle/README.md."""
METHOD_LEFT = """Left to do:
- `points` is kRequired if --points must be given. Choice::position is for picks_iterations.
- The weights add up to the iterations. To try a method without C++: evaluate --points mine.json.
- Tests of its properties: same seed same result, exact for the costs that it promises, an
  independent reference if there is one. tools/evaluation/make.py compares it with the others."""
ALWAYS_LEFT = """- clang-format -i of these files; the texts SUMMARY and SOURCE.
- CHANGELOG.md and, if users see it, docs/commands.md. The golden case
  general/lists-are-on-standard-output has all names: SEQPOINT_UPDATE_GOLDEN=1 tests/golden/run.sh
  PROGRAM tests/golden/general/lists-are-on-standard-output"""

# kind: (its source and its test, each with its template; its table, and the line before which its
# row goes; what is left)
KINDS = {
    "reader": (
        ("src/io/manifests/formats/SNAKE.cpp", "reader.cpp.in"),
        ("tests/unit/SNAKE_reader_test.cpp", "reader_test.cpp.in"),
        ("src/io/manifests/formats.def", "ROW(kNemo)"),
        READER_LEFT,
    ),
    "sampler": (
        ("src/core/batching/frameworks/SNAKE.cpp", "sampler.cpp.in"),
        ("tests/unit/SNAKE_orders_test.cpp", "sampler_test.cpp.in"),
        ("src/core/batching/samplers.def", "ROW(kRecorded)"),
        SAMPLER_LEFT,
    ),
    "method": (
        ("src/core/select/methods/SNAKE.cpp", "method.cpp.in"),
        ("tests/unit/SNAKE_method_test.cpp", "method_test.cpp.in"),
        ("src/core/select/methods.def", "#undef ROW"),
        METHOD_LEFT,
    ),
}


def filled(template, name):
    """The template with the name in each of its forms."""
    camel = "".join(part.capitalize() for part in name.split("-"))
    for form, text in (("KEBAB", name), ("SNAKE", name.replace("-", "_")), ("CAMEL", camel)):
        template = template.replace(form, text)
    return template


def make(root, kind, name):
    """Writes the files and the row. Returns the paths."""
    source, test, (table, before), _ = KINDS[kind]
    files = {
        root / filled(path, name): filled((TEMPLATES / template).read_text(), name)
        for path, template in (source, test)
    }
    for path in files:
        if path.exists():
            sys.exit(f"{path} is there already")
    for path, text in files.items():
        path.write_text(text)
    rows = (root / table).read_text()
    if before not in rows:
        sys.exit(f"{root / table}: has no line '{before}'")
    row = filled("ROW(kCAMEL)\n", name)
    (root / table).write_text(rows.replace(before, row + before, 1))
    made = [*files, root / table]
    if kind == "reader":
        seed = root / "tests/fuzz/corpus" / name / "seed"
        seed.parent.mkdir()
        seed.write_text(f"#{name}\n213\n97\n")
        made.append(seed)
    return made


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--root", type=Path, default=ROOT, help="the source folder")
    options = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", options.name):
        parser.error(f"'{options.name}' is not of the form my-toolkit")
    for path in make(options.root, options.kind, options.name):
        print(path.relative_to(options.root))
    print(KINDS[options.kind][-1])
    print(ALWAYS_LEFT)


if __name__ == "__main__":
    main()
