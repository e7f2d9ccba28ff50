#!/usr/bin/env python3
"""Checks that parameters.py reports every kind of wrong text, and no right one."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from parameters import check

OPTIONS = {"--max-error", "--metric", "--seq-length"}
FINE = {
    "src/cli/parameters.cpp": '{Renamed{"statistic", "metric"}}',
    "src/core/a.cpp": "int a;  // of --max-error\n",
}
WRONG = {
    "an option": 'throw ParameterError("points", "of --max-error");',
    "an option that is put in": 'fmt::format("--{} must be 1 or more", name);',
    "a parameter that is no option": '"`most_error` is none";',
    "a parameter that has another name there": '"`metric` is the name of its option";',
    "an error without a parameter": 'throw UsageError("something");',
}
RIGHT = {
    "parameters": '"`max_error`, `statistic` and `seq-length` are names of the library";',
    "a command": '"made by `seqpoint select`";',
    "a comment": '// "--max-error" is what the command line has\n/// \'"--{}"\'\n',
    "numbers that are counted down": 'int b = --a; const char* c = "--";',
}


def complaints(text, path):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**FINE, path: text}.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return check(Path(folder).resolve(), OPTIONS)


failed = []
for path in ("src/core/trace/b.cpp", "include/seqpoint/select/b.hpp"):
    failed += [
        f"missed in {path}: {name}" for name, text in WRONG.items() if not complaints(text, path)
    ]
    failed += [
        f"complained of {name}: {complaints(text, path)}"
        for name, text in RIGHT.items()
        if complaints(text, path)
    ]
for path in ("src/io/b.cpp", "include/seqpoint/io/b.hpp", "src/cli/b.cpp"):
    failed += [
        f"complained of {name} in {path}" for name, text in WRONG.items() if complaints(text, path)
    ]
failed += ["missed: no sources"] if not check(Path("/nonexistent"), OPTIONS) else []
print("\n".join(failed))
sys.exit(1 if failed else 0)
