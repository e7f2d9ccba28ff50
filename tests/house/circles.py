#!/usr/bin/env python3
"""No module of Python needs itself: imports, also those within functions, form no circle.

tests/house/circles.py SOURCE_DIR

A folder's `__init__` is not counted for what imports a module in the folder.
"""

import ast
import sys
from pathlib import Path


def modules_in(root):
    """{name: path} of all modules below `python`."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name, path, modules):
    """The modules that it imports, wherever in the file."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    wanted = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            of = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*of, *filter(None, [node.module])]) if node.level else node.module
            named = {f"{base}.{each.name}" for each in node.names}
            wanted |= (named & set(modules)) or {base}
    return wanted & set(modules) - {name}


def circle_from(start, imports):
    """The modules of a shortest circle through `start`; [] if there is none."""
    ways, seen = [[start]], {start}
    for way in ways:
        for module in sorted(imports[way[-1]]):
            if module == start:
                return [*way, start]
            if module not in seen:
                seen.add(module)
                ways.append([*way, module])
    return []


def main():
    modules = modules_in(Path(sys.argv[1]) / "python")
    imports = {name: imports_of(name, path, modules) for name, path in modules.items()}
    circles = filter(None, (circle_from(name, imports) for name in modules))
    found = {frozenset(circle): circle for circle in circles}
    for circle in found.values():
        print(f"imports in a circle: {' -> '.join(circle)}")
    print(f"{len(modules)} modules")
    return 1 if found or len(modules) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
