"""Limits for the companion's code: no line above 100 columns, no function above 44 lines.

    python_lines.py SOURCE_DIR
"""

import ast
import sys
from pathlib import Path

COLUMNS, LINES = 100, 44


def faults_of(path):
    """Lines and functions of a file that are too long, as "FILE:LINE: ..."."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, above {COLUMNS}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines > LINES:
                yield f"{path}:{node.lineno}: {node.name} has {lines} lines, above {LINES}"


def main():
    package = Path(sys.argv[1]) / "python" / "seqpoint_companion"
    faults = [fault for path in sorted(package.rglob("*.py")) for fault in faults_of(path)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
