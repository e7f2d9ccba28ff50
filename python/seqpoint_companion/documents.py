"""Where the documents are: in a clone, or where a wheel or a package has installed them."""

import pathlib

PLACES = ("", "share/doc/seqpoint", "doc/seqpoint")


def path_of(name):
    """The place of a path in the project, such as docs/run.md; that path if it is not here."""
    for folder in pathlib.Path(__file__).resolve().parents:
        for place in PLACES:
            if (folder / place / name).is_file():
                return str(folder / place / name)
    return name
