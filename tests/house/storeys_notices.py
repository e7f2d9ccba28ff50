#!/usr/bin/env python3
"""Checks that storeys.py reports every kind of misplaced file, and no other."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from storeys import check

TRACE = "namespace seqpoint::trace {\n}  // namespace seqpoint::trace\n"
FINE = {
    "src/core/trace/a.cpp": TRACE,
    "src/io/text/b.cpp": '#include "core/trace/a.hpp"\nnamespace seqpoint::io::text {\n',
}
FORMAT = "namespace seqpoint::io::{}::formats {{\n"
WRONG = {
    "a file too many in a folder": {f"src/io/text/c{n}.cpp": "" for n in range(26)},
    "a public header too many": {f"include/seqpoint/c{n}.hpp": "" for n in range(12)},
    "one name in two places": {"src/io/text/a.cpp": ""},
    "another folder's namespace": {"src/core/trace/c.cpp": "namespace seqpoint::select {\n"},
    "an include from beside": {"src/io/text/c.cpp": '#include "../a.hpp"\n'},
    "an include of a later stage": {"src/core/trace/c.cpp": '#include "seqpoint/select.hpp"\n'},
    "a long line": {"src/io/text/c.cpp": "//" + 119 * "x" + "\n"},
    "a source that is only in a document": {"src/README.md": "`core/trace/b.cpp`"},
    "a type of two sources": {
        f"src/core/trace/{name}.cpp": "struct Cut {\n};\n" for name in ("c", "d")
    },
}
RIGHT = {
    "headers beside their sources": {
        f"src/io/text/c{n}.{suffix}": "" for n in range(20) for suffix in ("cpp", "hpp")
    },
    "rows of a table": {f"src/io/profiles/formats/c{n}.cpp": "" for n in range(40)},
    "the same thing in sibling folders": {
        f"src/io/{of}/formats/formats.hpp": FORMAT.format(of) for of in ("profiles", "manifests")
    },
    "a source in a document": {
        "src/README.md": "`core/trace/a.cpp`",
        "CONTRIBUTING.md": "`src/io/text/b.cpp`",
    },
    "a namespace within": {"src/core/trace/c.cpp": "namespace seqpoint::trace::inner {\n"},
    "long lines that are bytes of a script": {"src/io/text/c.cpp": 'R"(' + 200 * "x" + ')"\n'},
    "types of one name that nobody else sees": {
        f"src/core/trace/{name}.cpp": "namespace {\nstruct Cut {\n};\n}  // namespace\n"
        for name in ("c", "d")
    },
}


def complaints(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**FINE, **files}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(Path(folder).resolve())


failed = [f"missed: {name}" for name, files in WRONG.items() if not complaints(files)]
failed += [
    f"complained of {name}: {complaints(files)}"
    for name, files in RIGHT.items()
    if complaints(files)
]
failed += ["missed: no sources"] if not check(Path("/nonexistent")) else []
print("\n".join(failed))
sys.exit(1 if failed else 0)
