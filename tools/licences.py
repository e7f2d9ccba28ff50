"""The Debian packages that a build is linked with or has compiled in, and their notices.

Libraries are those that the loader finds, headers those that the compiler read, so only LICENCES
has to be maintained by hand.
"""
import os
import re
import subprocess
from pathlib import Path

# The licence of the used part of each source package, as an SPDX expression. Debian's copyright
# files, which are shipped, contain the texts, and also cover files that are not used. A library
# that is not listed here stops a release.
LICENCES = {
    "boost1.74": "BSL-1.0",
    "cli11": "BSD-3-Clause",
    "eigen3": "MPL-2.0",
    "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
    "linux": "GPL-2.0-only WITH Linux-syscall-note",
    "nlohmann-json3": "MIT",
    "re2": "BSD-3-Clause",
    "simdjson": "Apache-2.0",
    "spdlog": "MIT",
    "sqlite3": "blessing",
    "xxhash": "BSD-2-Clause",
    "zlib": "Zlib",
}
# Libraries that the program writes into its pages, no packages of Debian: their lines in the list.
# The notice is in the page's own script.
PAGE = Path(__file__).resolve().parent.parent / "share" / "page"
COMMON = Path("/usr/share/common-licenses")
# Parts of glibc, which every system has.
GLIBC = re.compile(r"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil)\.so")
HEAD = """Licences of the software in seqpoint {version}

seqpoint itself: Apache-2.0, see the file `seqpoint`. The other software is listed below by Debian's
source packages: the parts in this archive, the licence as an SPDX expression, and the address of
the source. The file named after the package contains its notice and the text of each licence. If a
notice refers to /usr/share/common-licenses/NAME, that text is also included, as common/NAME.

Libraries are separate files, as Debian built them: each may be replaced by another with the same
interface.
"""


class Component:
    """A binary package of Debian, with its linked libraries or its headers that are compiled in."""

    def __init__(self, package):
        self.package, self.libraries, self.headers = package, [], False
        found = output(
            "dpkg-query", "-W", "-f", "${Version}\n${source:Package}\n${source:Version}\n", package
        ).split("\n")
        self.version, self.source, self.source_version = found[:3]
        if self.source not in LICENCES:
            raise SystemExit(
                f"tools/licences.py: of {package}, which the program uses, no licence is known: "
                f"add {self.source} to LICENCES"
            )
        self.licence = LICENCES[self.source]

    def sources(self):
        return f"https://snapshot.debian.org/package/{self.source}/{self.source_version}/"

    def notice(self):
        return Path(f"/usr/share/doc/{self.package}/copyright").read_text(encoding="utf-8")


def output(*command):
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True
    ).stdout


def linked_libraries(program):
    """Every library that the program is linked with, directly or not: name -> file."""
    said = output("ldd", program)
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", said, re.M))
    loader = re.search(r"^\s*(/\S*ld-linux\S*)", said, re.M).group(1)
    return {**found, Path(loader).name: loader}


def compiled_in(ninja, build, root):
    """Every foreign header in an object of the program. Tests are excluded."""
    headers, ours = set(), False
    for line in output(ninja, "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            ours = line.startswith(("src/", "tools/"))
        elif ours and os.path.isabs(line.strip()):
            headers.add(os.path.normpath(line.strip()))
    return {header for header in headers if not {Path(root), Path(build)} & {*Path(header).parents}}


def owners(files):
    """The package of each file.

    Debian 12 has merged /lib into /usr/lib; packages list their files under either.
    """
    spellings = {
        file: [
            file,
            f"/usr{file}",
            os.path.realpath(file),
            os.path.realpath(file).removeprefix("/usr"),
        ]
        for file in files
    }
    asked = sorted({name for names in spellings.values() for name in names})
    said = subprocess.run(
        ["dpkg", "-S", *asked], capture_output=True, text=True, check=False
    ).stdout
    of = {
        file: package.split(",")[0].split(":")[0]
        for package, file in re.findall(r"^(.*): (/.*)$", said, re.M)
    }
    found = {
        file: next((of[name] for name in names if name in of), None)
        for file, names in spellings.items()
    }
    strange = sorted(file for file, package in found.items() if package is None)
    if strange:
        raise SystemExit(f"tools/licences.py: no package has {', '.join(strange)}")
    return found


def components(libraries, headers):
    """Components by package; `libraries` is the result of linked_libraries."""
    of = owners({*libraries.values(), *headers})
    found = {package: Component(package) for package in sorted(set(of.values()))}
    for name, file in sorted(libraries.items()):
        found[of[file]].libraries.append(name)
    for header in headers:
        found[of[header]].headers = True
    return list(found.values())


def parts_of(group):
    libraries = sorted(name for component in group for name in component.libraries)
    return ", ".join(
        [
            *libraries,
            *(["headers, compiled in"] if any(component.headers for component in group) else []),
        ]
    )


def common_names(texts):
    """Licences of Debian's common ones that notices refer to."""
    return sorted({name for text in texts for name in re.findall(rf"{COMMON}/([\w.+-]*\w)", text)})


def notices(used, version, own):
    """The files of the folder `licences`: name -> text."""
    by_source = {}
    for component in used:
        by_source.setdefault(component.source, []).append(component)
    files, lines = {"seqpoint": own}, [HEAD.format(version=version)]
    for source, group in sorted(by_source.items()):
        files[source] = "\n\n".join(sorted({component.notice() for component in group}))
        lines.append(
            f"{source} {group[0].source_version}\n  {parts_of(group)}\n  {group[0].licence}\n"
            f"  {group[0].sources()}\n"
        )
    files["page"] = (PAGE / "page.js").read_text(encoding="utf-8").split("*/")[0].strip(
        "/* \n"
    ) + "\n"
    lines.append("d3 7.9.2, Observable Plot 0.6.17\n  compiled in\n  ISC\n  notice: page\n")
    for name in common_names(files.values()):
        files[f"common/{name}"] = (COMMON / name).read_text(encoding="utf-8")
    return {**files, "README": "\n".join(lines)}
