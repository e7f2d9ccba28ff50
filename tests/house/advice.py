#!/usr/bin/env python3
"""Commands, options and columns that messages and hints name exist:

    tests/house/advice.py PROGRAM SOURCE_DIR

Reads the string literals of src and of both Python packages. The X of `seqpoint X` has to be a
command of the program, the X of `seqpoint_companion X` a verb, --NAME an option that one of them
prints in its help, and a NAME_WITH_UNDERSCORES after "column" a whole literal of the code.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
COMMAND = re.compile(r"\bseqpoint ([a-z]+)\b")
VERB = re.compile(r"-m seqpoint_companion ([a-z]+)")
COLUMN = re.compile(r"\bcolumns? [`']?([a-z]+_[a-z_]*[a-z])\b")
C_LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
NAMED = re.compile(r"[a-z]+(?:_[a-z]+)+")

# Former names, which the redirects contain, and variables of the page's style sheet.
WITHOUT_ADVICE = ("src/cli/commands/program.cpp",)
# Words that follow the names in sentences.
PROSE = set("could ended first from knows on recognises there writes wrote".split())
# Options of ncu, nsys, rocprofv3, nvidia-smi, launchers, rm, stat and uv.
OF_OTHERS = set(
    "--csv --print-units --page --nvtx --trace --cuda-graph-trace --type --kernel-trace "
    "--marker-trace --query-gpu --query-compute-apps --hip-trace --import --lock-gpu-clocks "
    "--wait --printf --one-file-system --constraint --exclusive --host --hostfile "
    "--machinefile --with".split()
)


def c_strings(text):
    """The literals of C++ without those of comments; adjacent ones are joined."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for found in C_LITERAL.finditer(re.sub(r'(?<!\\)"\s*\n\s*"', "", text)):
        yield found.group(3) if found.group(1) is None else found.group(2)


def python_strings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def literals(root):
    """(path, literal) of all sources."""
    readers = {".cpp": c_strings, ".hpp": c_strings, ".py": python_strings}
    for folder in ("src", "python"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in readers:
                for literal in readers[path.suffix](path.read_text()):
                    yield str(path.relative_to(root)), literal


def printed(*words, **environment):
    environment = {**os.environ, **environment}
    return subprocess.run(words, capture_output=True, text=True, env=environment).stdout


def known_to_program(program):
    """(commands, options)"""
    commands = set(re.findall(r"^  ([a-z]+) ", printed(program, "--help"), re.MULTILINE))
    pages = [printed(program, "--help-all"), *(printed(program, c, "--help-all") for c in commands)]
    return commands, {option for page in pages for option in OPTION.findall(page)}


def known_to_companion(root):
    """(verbs, options)"""

    def helped(*verb):
        start = (sys.executable, "-m", "seqpoint_companion", *verb, "--help")
        return printed(*start, PYTHONPATH=str(root / "python"))

    source = (root / "python/seqpoint_companion/__main__.py").read_text()
    verbs = set(re.findall(r'^    "([a-z]+)":', source, re.MULTILINE))
    pages = [helped(verb) for verb in verbs] + [helped("order", "--sampler", "a:B")]
    return verbs, {option for page in pages for option in OPTION.findall(page)}


def wrong_advice(literals, commands, verbs, options, columns):
    """A line for each name in the literals, (path, text), that does not exist."""
    checks = (
        (COMMAND, commands | PROSE),
        (VERB, verbs | PROSE),
        (OPTION, options | OF_OTHERS),
        (COLUMN, columns),
    )
    return [
        f"{path}: {name} does not exist: {text.strip()[:70]!r}"
        for path, text in literals
        if path not in WITHOUT_ADVICE
        for pattern, known in checks
        for name in pattern.findall(text)
        if name not in known
    ]


def main():
    program, root = sys.argv[1], Path(sys.argv[2]).resolve()
    commands, options = known_to_program(program)
    verbs, of_companion = known_to_companion(root)
    if len(commands) < 9 or len(verbs) < 4:
        sys.exit(f"the help names too little: {sorted(commands)}, {sorted(verbs)}")
    texts = list(literals(root))
    columns = {text for _, text in texts if NAMED.fullmatch(text)}
    wrong = wrong_advice(texts, commands, verbs, options | of_companion, columns)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
