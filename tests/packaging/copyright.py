"""Every file of examples/data and every library of share/page has its source and licence in the
packages' copyright file:

    copyright.py SOURCE_DIR

Sources are those that examples/data/README.md lists.
"""
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()


def main():
    text = (SOURCE / "cmake" / "debian-copyright").read_text(encoding="utf-8")
    stanzas = [
        dict(re.findall(r"^(\w+): *((?:.|\n )*)$", stanza, re.M)) for stanza in text.split("\n\n")
    ]
    texts = {
        stanza["License"].split("\n")[0]
        for stanza in stanzas
        if "Files" not in stanza and "License" in stanza
    }
    readme = (SOURCE / "examples" / "data" / "README.md").read_text(encoding="utf-8")
    sources, used = set(re.findall(r"^- \*\*(.+?)\*\*", readme, re.M)), set()
    files = [
        path
        for path in (SOURCE / "examples" / "data").rglob("*")
        if path.is_file() and path.name != "README.md"
    ]
    for path in sorted(files):
        name = str(path.relative_to(SOURCE))
        # The last that fits counts.
        stanza = [
            s
            for s in stanzas
            if any(fnmatchcase(name, pattern) for pattern in s.get("Files", "").split())
        ][-1]
        found = re.match(r"Source: (\S+)\.\s", stanza.get("Comment", ""))
        assert found and found[1] in sources, f"{name}: no source in cmake/debian-copyright"
        assert stanza["License"] in texts, f"{name}: licence {stanza['License']} is not explained"
        used |= {
            found[1],
            *(pattern for pattern in stanza["Files"].split() if fnmatchcase(name, pattern)),
        }
    patterns = {pattern for s in stanzas for pattern in s.get("Files", "").split()} - {"*"}
    libraries = {
        str(path.relative_to(SOURCE)) for path in (SOURCE / "share" / "page").glob("*.min.js")
    }
    assert libraries == {p for p in patterns if p.startswith("share/")}, libraries
    patterns -= libraries
    assert "ISC" in texts, "the licence of the libraries is not explained"
    assert used == sources | patterns, used.symmetric_difference(sources | patterns)
    print(f"{len(files)} files of {len(sources)} sources")


main()
