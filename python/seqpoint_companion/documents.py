"""Where the documents are: in a clone, or where a wheel or a package has installed them."""

import pathlib

PLACES = ("docs", "share/doc/seqpoint/docs", "doc/seqpoint/docs")


def path_of(name):
    """The path of a document; its name within the project if it is not here."""
    for folder in pathlib.Path(__file__).resolve().parents:
        for place in PLACES:
            if (folder / place / name).is_file():
                return str(folder / place / name)
    return f"docs/{name}"
