"""Where the documents that messages name are for the user."""

from pathlib import Path


def document(name):
    """The path of docs/x.md or examples/x where it was installed; in a clone as it is."""
    for folder in Path(__file__).resolve().parents:
        installed = folder / "share" / "doc" / "seqpoint" / name
        if installed.exists():
            return str(installed)
    return name
