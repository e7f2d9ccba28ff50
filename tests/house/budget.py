#!/usr/bin/env python3
"""How large each room of the house may be: lines and files of a folder, options of a command, as tests/house/budget.txt says.

  budget.py SOURCE_DIR [PROGRAM]         1 where a room is of another size: larger, or so much smaller that its budget says nothing
  budget.py SOURCE_DIR [PROGRAM] --write writes the budget anew: a commit that raises one shows it

Without PROGRAM only folders are looked at.

CONTRIBUTING.md says what the program is for, and what it will not do.
"""
import re
import subprocess
import sys
from pathlib import Path

STEP = 50  # lines: a budget is the next multiple, so that a small change does not touch it
SOURCES = {".cpp", ".def", ".hpp", ".py"}


def rooms(root):
    """{folder: (lines, files)}"""
    folders = [root / "include" / "seqpoint", root / "python" / "seqpoint", root / "examples" / "pytorch"]
    folders += sorted(path for part in ("core", "io", "cli") for path in (root / "src" / part).iterdir() if path.is_dir())
    folders += [root / "src" / part for part in ("core", "io", "cli")]  # what lies beside the stages
    found = {}
    for folder in folders:
        beside = folder.parent.name == "src"
        files = [path for path in (folder.iterdir() if beside else folder.rglob("*")) if path.suffix in SOURCES]
        name = folder.relative_to(root).as_posix() + ("/*" if beside else "")
        found[name] = (sum(path.read_bytes().count(b"\n") for path in files), len(files))
    return found


def options(program):
    """{"seqpoint COMMAND": number of options that its --help shows, or its --help-all}"""
    help_on = lambda *words: subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

    def ask(*words):
        text = help_on(*words, "--help")
        return help_on(*words, "--help-all") if "--help-all" in text else text
    commands = re.findall(r"^  ([a-z]+) {2,}", ask(), re.M)
    return {f"seqpoint {command}": len(re.findall(r"^ +(?:-\w,)?--[\w-]+", ask(command), re.M)) for command in commands}


def measured(root, program):
    budget = {name: (-(-lines // STEP) * STEP, files) for name, (lines, files) in rooms(root).items()}
    return {**budget, **{name: (count,) for name, count in (options(program) if program else {}).items()}}


def text_of(budget):
    lines = ["# Room, lines (up to the next fifty), files; command, options of its --help. Written by tests/house/budget.py --write."]
    return "\n".join(lines + [f"{name}: {', '.join(map(str, of))}" for name, of in budget.items()]) + "\n"


def main():
    root, program = Path(sys.argv[1]).resolve(), next((of for of in sys.argv[2:] if of != "--write"), None)
    path = root / "tests" / "house" / "budget.txt"
    there = dict(line.split(": ") for line in path.read_text().splitlines() if not line.startswith("#"))
    unasked = {} if program else {name: (of,) for name, of in there.items() if name.startswith("seqpoint ")}
    now = {**measured(root, program), **unasked}
    if "--write" in sys.argv:
        path.write_text(text_of(now))
        return 0
    wrong = [f"{name}: {', '.join(map(str, of))}; its budget is {there.get(name, 'missing')}" for name, of in now.items()
             if there.get(name) != ", ".join(map(str, of))]
    wrong += [f"{name}: is no more" for name in there.keys() - now.keys()]
    if wrong:
        print("\n".join(sorted(wrong)))
        print("Rooms are not of the size that tests/house/budget.txt says (lines in steps of fifty, files; options).\n"
              "tests/house/budget.py . [PROGRAM] --write says so in the commit; what may raise it is in CONTRIBUTING.md.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
