"""A release's licences are complete and agree with each other: notices.py RELEASE_DIR SOURCE_DIR

Compares the folder `licences/` of the portable archive, the bill of materials, the libraries in
them, the headers that the sources name, and Debian's copyright files.
"""
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

RELEASE, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
# SPDX's identifiers as Debian's copyright files spell them.
DEBIAN = {
    "MIT": r"Expat",
    "BSD-3-Clause": r"BSD-3-clause|BSD-3-google",
    "BSD-2-Clause": r"BSD-2-clause",
    "Zlib": r"Zlib",
    "BSL-1.0": r"BSL-1\.0",
    "Apache-2.0": r"Apache-2(\.0)?",
    "MPL-2.0": r"MPL-2",
    "blessing": r"public-domain",
    "LGPL-2.1-or-later": r"LGPL-2\.1\+",
    "LGPL-2.0-or-later": r"LGPL-2\+",
    "LGPL-2.1-only": r"LGPL-2\.1",
    "GPL-2.0-only": r"GPL-2",
}


def only(pattern):
    (found,) = RELEASE.glob(pattern)
    return found


def portable():
    with tarfile.open(only("*-portable.tar.gz")) as archive:
        return {
            name.split("/", 1)[1]: archive.extractfile(name).read() for name in archive.getnames()
        }


def source_of(package):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${source:Package}", package],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def headers_named():
    """Packages of foreign headers that the sources include by name.

    The compiler's output is not used.
    """
    text = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("src", "include", "tools")
        for path in (SOURCE / folder).rglob("*.[ch]pp")
    )
    for header in sorted(set(re.findall(r"^ *#include <(.+)>$", text, re.M))):
        for root in ("/usr/include", "/usr/include/eigen3"):
            path = Path(root) / header
            if path.is_file():
                yield subprocess.run(
                    ["dpkg", "-S", path], capture_output=True, text=True, check=True
                ).stdout.split(":")[0]


def check_folder(files, components):
    """Everything in an archive, linked or compiled in, has its notice there, and nothing else has.

    `files` are those of one archive.
    """
    notices = {
        name.removeprefix("licences/"): data.decode()
        for name, data in files.items()
        if name.startswith("licences/")
    }
    libraries = {name.removeprefix("lib/") for name in files if name.startswith("lib/")}
    assert any(name.startswith("ld-linux") for name in libraries)
    wanted = {source_of(c["name"]) for c in components if c["compiled"] or libraries & c["files"]}
    common = {name.removeprefix("common/") for name in notices if name.startswith("common/")}
    listed = set(notices) - {f"common/{name}" for name in common} - {"README", "seqpoint", "page"}
    assert listed == wanted, listed.symmetric_difference(wanted)
    assert libraries <= {name for c in components for name in c["files"]}
    named = {
        name
        for text in notices.values()
        for name in re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text)
    } - {"NAME"}
    assert named == common, named.symmetric_difference(common)
    for name in wanted:
        assert (
            f"\n{name} " in notices["README"]
            and f"snapshot.debian.org/package/{name}/" in notices["README"]
        ), name
    assert "Apache License" in notices["seqpoint"]
    assert "Observable" in notices["page"] and "Permission to use" in notices["page"]
    for name in libraries:
        assert re.search(rf"^  .*{re.escape(name)}\b", notices["README"], re.M), name
    return len(wanted)


def check_licence(component):
    text = Path(f"/usr/share/doc/{component['name']}/copyright").read_text(encoding="utf-8")
    if not text.startswith("Format"):
        return  # for people alone: those of gcc and glibc
    stated = " ".join(re.findall(r"^License: *(.*)$", text, re.M))
    for identifier in re.sub(r" WITH \S+", "", component["licence"]).split(" OR "):
        assert re.search(
            rf"(^|[ (])({DEBIAN[identifier]})([ ),]|$)", stated, re.I
        ), f"{component['name']}: {identifier}, Debian says {stated}"


def main():
    bill = json.loads(only("*.cdx.json").read_text(encoding="utf-8"))
    components = [
        {
            "name": c["name"],
            "licence": c["licenses"][0]["expression"],
            "files": {p["value"] for p in c["properties"] if p["name"] == "file"},
            "compiled": any(p["name"] == "compiled-in" for p in c["properties"]),
        }
        for c in bill["components"]
        if c["purl"].startswith("pkg:deb/")
    ]
    others = {c["name"] for c in bill["components"]} - {c["name"] for c in components}
    assert others == {"d3", "@observablehq/plot"}, f"of the page: {others}"
    missing = set(headers_named()) - {c["name"] for c in components if c["compiled"]}
    assert not missing, f"compiled in, and not in the bill of materials: {missing}"
    assert {"libcli11-dev", "nlohmann-json3-dev", "libeigen3-dev"} <= set(
        headers_named()
    )  # or it sees nothing
    for component in components:
        check_licence(component)
    count = check_folder(portable(), components)
    print(f"{len(components)} packages, notices of {count} in the portable archive")


main()
