#!/usr/bin/env python3
"""Writes the shared facts into the recipes of packaging/: the version, addresses, digests.

    tools/recipes.py                       writes the recipes themselves
    tools/recipes.py --check               writes nothing: names outdated recipes, and fails
    tools/recipes.py --source FILE -o DIR  writes copies, with the digests of this source archive

The version is the one in CMakeLists.txt, the other facts are in packaging/project.json. The source
archive contains the recipes, so they cannot contain its digest: in packaging/ every digest is 0.
tools/release.py makes copies with the digests of a release.
"""
import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = Path("packaging") / "project.json"
# RFC 2606 reserves these names for examples.
PLACEHOLDER = re.compile(r"\bexample\.(?:org|com|net)\b")
# For every recipe the lines to fill in: the beginning of a line, its value, its end.
FIELDS = {
    "conda/recipe.yaml": [
        ('  version: "', "{version}", '"'),
        ("  url: ", "{source:${{ version }}}", ""),
        ('  sha256: "', "{sha256}", '"'),
        ("  homepage: ", "{homepage}", ""),
    ],
    "spack/package.py": [
        ('    homepage = "', "{homepage}", '"'),
        ('    url = "', "{source}", '"'),
        ('    version("', '{version}", sha256="{sha256}', '")'),
    ],
    "nix/package.nix": [
        ('  version = "', "{version}", '";'),
        ('    url = "', "{source:${finalAttrs.version}}", '";'),
        ('    sha256 = "', "{sha256}", '";'),
        ('    homepage = "', "{homepage}", '";'),
    ],
    "vcpkg/vcpkg.json": [
        ('  "version": "', "{version}", '",'),
        ('  "maintainers": "', "{contact}", '",'),
        ('  "homepage": "', "{homepage}", '",'),
    ],
    "vcpkg/portfile.cmake": [
        ('  URLS "', "{source:${VERSION}}", '"'),
        ("  SHA512 ", "{sha512}", ")"),
    ],
    "homebrew/seqpoint.rb": [
        ('  homepage "', "{homepage}", '"'),
        ('  url "', "{source}", '"'),
        ('  sha256 "', "{sha256}", '"'),
    ],
    "container/Containerfile": [
        ('LABEL org.opencontainers.image.version="', "{version}", '"'),
        ('LABEL org.opencontainers.image.authors="', "{contact}", '"'),
        ('LABEL org.opencontainers.image.url="', "{homepage}", '"'),
    ],
    "action/action.yml": [("    default: ", "{portable}", "")],
    "action/run.sh": [],
}


def project(root=ROOT):
    return json.loads((root / PROJECT).read_text(encoding="utf-8"))


def placeholders(of_project):
    """The names of the facts that are not filled in."""
    return [name for name, value in of_project.items() if PLACEHOLDER.search(value)]


def version_of(root=ROOT):
    return re.search(
        r"^  VERSION (\S+)$", (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.M
    ).group(1)


class Values:
    """The facts for the recipes. Without an archive the digests are 0."""

    def __init__(self, of_project, version, archive=None):
        self.project, self.version, self.archive = of_project, version, archive

    def digest(self, kind):
        return (
            hashlib.new(kind, self.archive).hexdigest()
            if self.archive is not None
            else "0" * (hashlib.new(kind).digest_size * 2)
        )

    def address(self, name, version):
        return f"{self.project['downloads']}/{name}".replace("{version}", version)

    def fill(self, text):
        text = re.sub(
            r"\{source:(.*)\}$",
            lambda found: self.address("seqpoint-{version}.tar.gz", found[1]),
            text,
        )
        for name, value in {
            **self.project,
            "version": self.version,
            "sha256": self.digest("sha256"),
            "sha512": self.digest("sha512"),
            "source": self.address("seqpoint-{version}.tar.gz", self.version),
            "portable": self.address("seqpoint-{version}-portable.tar.gz", self.version),
        }.items():
            text = text.replace(f"{{{name}}}", value)
        return text


def filled(name, text, values):
    for head, value, tail in FIELDS[name]:
        line = re.compile(rf"^{re.escape(head)}.*{re.escape(tail)}$", re.M)
        if len(line.findall(text)) != 1:
            raise SystemExit(
                f"tools/recipes.py: packaging/{name} does not have one line '{head}...{tail}'"
            )
        text = line.sub(lambda _, new=head + values.fill(value) + tail: new, text)
    return text


def recipes(values, root=ROOT):
    """Every recipe's present text and its required text."""
    for name in FIELDS:
        text = (root / "packaging" / name).read_text(encoding="utf-8")
        yield name, text, filled(name, text, values)


def stale(root=ROOT):
    return [
        name
        for name, text, wanted in recipes(Values(project(root), version_of(root)), root)
        if text != wanted
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--source", type=Path, metavar="FILE")
    parser.add_argument("-o", dest="folder", type=Path, metavar="DIR")
    options = parser.parse_args()
    if (options.source is None) != (options.folder is None) or (options.check and options.source):
        parser.error("--source and -o go together, and not with --check")
    if options.check:
        names = stale()
        for name in names:
            print(f"packaging/{name} differs from the output of tools/recipes.py", file=sys.stderr)
        return 1 if names else 0
    values = Values(
        project(), version_of(), options.source.read_bytes() if options.source else None
    )
    for name, _, wanted in list(recipes(values)):
        path = (options.folder or ROOT / "packaging") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
