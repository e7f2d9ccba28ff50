#!/usr/bin/env python3
"""Makes the files of a release from a build of the preset `release`:

    tools/release.py --build build/release -o DIR [--wheels DIR] [--rehearse]

  seqpoint_*.deb, libseqpoint-dev_*.deb, seqpoint-*-Linux-x86_64.tar.gz   by cpack
  seqpoint-VERSION.tar.gz             the source, as in git
  seqpoint-VERSION-portable.tar.gz    the program with all its libraries and the loader; needs only
                                      a shell
  seqpoint-VERSION-*.whl              those of --wheels, which tools/wheel.py made
  seqpoint-VERSION.cdx.json           the linked and compiled-in packages, with licences
                                      (CycloneDX 1.5)
  SHA256SUMS

The same commit gives the same bytes. A release is refused if:

- the build was configured without SEQPOINT_CONTACT, or --wheels has none of this version
- files are not committed, or the commit has no tag vVERSION
- CHANGELOG.md has another date or unreleased changes, or differs from an earlier version's tag in
  that version's section

With --rehearse everything is made all the same. Needs Debian 12's dpkg, ldd and ninja.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import licences

ROOT = Path(__file__).resolve().parents[1]
LAUNCHER = """#!/bin/sh
# Runs the program with the libraries of this archive only.
self=$(readlink -f "$0")
root=$(cd "$(dirname "$self")/.." && pwd)
exec "$root/lib/ld-linux-x86-64.so.2" --argv0 "$0" --library-path "$root/lib" \\
  "$root/libexec/seqpoint" "$@"
"""


def run(*command, **more):
    return subprocess.run(
        [str(word) for word in command],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        **more,
    ).stdout


def cached(build, name):
    found = re.search(rf"^{name}:[^=]*=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found.group(1) if found else ""


class Content:
    """Files of an archive: name -> bytes and mode.

    They are written in order with one date, so that the same content gives the same bytes.
    """

    def __init__(self, date):
        self.files, self.date = {}, date

    def add(self, name, data, executable=False):
        self.files[name] = (
            data if isinstance(data, bytes) else data.encode("utf-8"),
            0o755 if executable else 0o644,
        )

    def add_file(self, name, path):
        self.add(name, Path(path).read_bytes(), bool(os.stat(path).st_mode & stat.S_IXUSR))

    def tar(self, path):
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, (data, mode) in sorted(self.files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(data), mode, self.date
                archive.addfile(entry, io.BytesIO(data))
        path.write_bytes(gzip.compress(raw.getvalue(), mtime=0))


class Release:
    def __init__(self, build, folder, version, date, wheels):
        self.build, self.folder, self.version, self.date = build, folder, version, date
        self.wheel_files = wheels
        self.stage = Path(tempfile.mkdtemp(prefix="seqpoint-release-"))
        run(
            "cmake", "--install", build, "--prefix", self.stage, "--component", "program", "--strip"
        )
        self.program = self.stage / "bin" / "seqpoint"
        self.libraries = licences.linked_libraries(self.program)
        self.headers = licences.compiled_in(cached(build, "CMAKE_MAKE_PROGRAM"), build, ROOT)

    def close(self):
        shutil.rmtree(self.stage)

    def debian_packages(self):
        with tempfile.TemporaryDirectory() as scratch:
            run(
                "cpack",
                "--config",
                self.build / "CPackConfig.cmake",
                "-B",
                scratch,
                env={**os.environ, "SOURCE_DATE_EPOCH": str(self.date)},
            )
            for pattern in ("*.deb", "*.tar.gz"):
                for file in Path(scratch).glob(pattern):
                    shutil.copy(file, self.folder)

    def source(self):
        name = f"seqpoint-{self.version}"
        done = subprocess.run(
            ["git", "-c", "tar.umask=0022", "archive", f"--prefix={name}/", "HEAD"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        (self.folder / f"{name}.tar.gz").write_bytes(gzip.compress(done.stdout, mtime=0))

    def licences(self, content, folder, libraries):
        used = licences.components(libraries, self.headers)
        for name, text in licences.notices(
            used, self.version, (ROOT / "LICENSE").read_text(encoding="utf-8")
        ).items():
            content.add(f"{folder}/{name}", text)

    def portable(self):
        name = f"seqpoint-{self.version}-portable"
        content = Content(self.date)
        for file in sorted(self.stage.rglob("*")):
            if file.is_file() and file != self.program:
                content.add_file(f"{name}/{file.relative_to(self.stage)}", file)
        content.add_file(f"{name}/libexec/seqpoint", self.program)
        content.add(f"{name}/bin/seqpoint", LAUNCHER, executable=True)
        for library, file in self.libraries.items():
            content.add_file(f"{name}/lib/{library}", file)
        self.licences(content, f"{name}/licences", self.libraries)
        content.tar(self.folder / f"{name}.tar.gz")

    def wheels(self):
        for file in self.wheel_files:
            shutil.copy(file, self.folder)

    def bill_of_materials(self):
        components = []
        for used in licences.components(self.libraries, self.headers):
            properties = [{"name": "file", "value": name} for name in used.libraries]
            properties += [{"name": "compiled-in", "value": "headers"}] if used.headers else []
            components.append(
                {
                    "type": "library",
                    "name": used.package,
                    "version": used.version,
                    "licenses": [{"expression": used.licence}],
                    "purl": f"pkg:deb/debian/{used.package}@{used.version}?distro=debian-12",
                    "externalReferences": [
                        {
                            "type": "distribution",
                            "url": used.sources(),
                            "comment": f"source package {used.source}",
                        }
                    ],
                    "properties": properties,
                }
            )
        components += page_components()
        bill = {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "name": "seqpoint",
                    "version": self.version,
                    "licenses": [{"license": {"id": "Apache-2.0"}}],
                }
            },
            "components": components,
        }
        (self.folder / f"seqpoint-{self.version}.cdx.json").write_text(
            json.dumps(bill, indent=1) + "\n", encoding="utf-8"
        )

    def checksums(self):
        lines = [
            f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
            for file in sorted(self.folder.iterdir())
            if file.name != "SHA256SUMS"
        ]
        (self.folder / "SHA256SUMS").write_text("\n".join(lines) + "\n")


def page_components():
    """The JavaScript libraries in the program's pages, by the table of share/page/README.md."""
    table = (licences.PAGE / "README.md").read_text(encoding="utf-8")
    return [
        {
            "type": "library",
            "name": name,
            "version": version,
            "licenses": [{"expression": licence}],
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "properties": [{"name": "file", "value": file}],
        }
        for file, name, version, licence in re.findall(
            r"^\| `(\S+)` \| (\S+) ([\d.]+), .*? \| (\w+),", table, re.M
        )
    ]


def sections(changelog):
    """The sections of CHANGELOG.md by version, with heading and text."""
    return {
        name: text.strip()
        for name, text in re.findall(r"^## \[([^\]]+)\](.*?)(?=^## \[|\Z)", changelog, re.M | re.S)
    }


def reasons_of_history(version):
    """Reasons why this commit is not that version, by its tag and by CHANGELOG.md."""
    told = sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    tags, day = (
        run("git", "tag", "--points-at", "HEAD").split(),
        run("git", "log", "-1", "--date=format:%Y-%m-%d", "--format=%cd").strip(),
    )
    if f"v{version}" not in tags:
        yield f"the commit has no tag v{version}"
    if version not in told:
        yield f"CHANGELOG.md has no [{version}]"
    elif not told[version].startswith(f"- {day}"):
        yield f"CHANGELOG.md does not date [{version}] {day}, the day of the commit"
    if told.get("Unreleased"):
        yield "CHANGELOG.md has changes under [Unreleased]"
    for tag in run("git", "tag", "--list", "v*", "--merged", "HEAD").split():
        earlier = sections(run("git", "show", f"{tag}:CHANGELOG.md")).get(tag[1:])
        if earlier is not None and told.get(tag[1:]) != earlier:
            yield (
                f"CHANGELOG.md: section [{tag[1:]}] differs from the one at its tag: later changes "
                "belong to a later version"
            )


def reasons_against(build, version, wheels):
    if run("git", "status", "--porcelain"):
        yield "files are not committed"
    if not cached(build, "SEQPOINT_CONTACT"):
        yield f"{build} names no maintainer: configure it with -DSEQPOINT_CONTACT='NAME <ADDRESS>'"
    if not wheels:
        yield f"no wheel of {version}: tools/wheel.py -o WHEELS, then --wheels WHEELS"
    yield from reasons_of_history(version)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", metavar="DIR")
    parser.add_argument(
        "-o",
        dest="folder",
        type=Path,
        required=True,
        metavar="DIR",
        help="a folder that is empty or new",
    )
    parser.add_argument("--wheels", type=Path, metavar="DIR")
    parser.add_argument("--rehearse", action="store_true", help="continue if a release is refused")
    options = parser.parse_args()
    build = options.build.resolve()
    version = cached(build, "CMAKE_PROJECT_VERSION")
    name = f"seqpoint-{version}-*.whl"
    wheels = sorted(options.wheels.glob(name)) if options.wheels else []
    reasons = list(reasons_against(build, version, wheels))
    for reason in reasons:
        print(f"tools/release.py: {reason}", file=sys.stderr)
    if reasons and not options.rehearse:
        return 1
    options.folder.mkdir(parents=True, exist_ok=True)
    if any(options.folder.iterdir()):
        print(f"tools/release.py: {options.folder} is not empty", file=sys.stderr)
        return 2
    os.umask(0o022)  # a .deb keeps the modes of cpack's intermediate files
    release = Release(
        build,
        options.folder.resolve(),
        version,
        int(run("git", "log", "-1", "--format=%ct")),
        wheels,
    )
    try:
        for part in (
            release.debian_packages,
            release.source,
            release.portable,
            release.wheels,
            release.bill_of_materials,
            release.checksums,
        ):
            part()
    finally:
        release.close()
    print((options.folder / "SHA256SUMS").read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
