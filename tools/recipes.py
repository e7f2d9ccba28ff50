#!/usr/bin/env python3
"""What packaging/project.json says of the project, and what of it is a placeholder."""
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = Path("packaging") / "project.json"
# RFC 2606 keeps these for texts.
PLACEHOLDER = re.compile(r"\bexample\.(?:org|com|net)\b")


def project(root=ROOT):
    return json.loads((root / PROJECT).read_text(encoding="utf-8"))


def placeholders(of_project):
    """The names of what nobody has filled in."""
    return [name for name, value in of_project.items() if PLACEHOLDER.search(value)]
