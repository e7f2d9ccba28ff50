#!/usr/bin/env python3
"""Makes wheels that run on every Linux with glibc 2.28 or later:

    tools/wheel.py -o DIR [--architecture x86_64|aarch64]

The compiler is Zig's clang, of the package `ziglang` of PyPI, which links against the symbols of an
old glibc and compiles for other processors. The libraries are built from Debian 12's sources and
linked statically, so that the program asks for glibc only and nothing has to be set in the
environment of the jobs that it starts.

Needs Debian 12 with the packages of `tools/setup.sh wheel`, and the network: Debian's sources
(apt-get), and from PyPI ziglang, scikit-build-core and wheel.
"""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import licences

ROOT = Path(__file__).resolve().parents[1]
GLIBC = "2.28"  # of PyTorch's own wheels (manylinux_2_28): RHEL 8, Ubuntu 20.04, Debian 11
TOOLS = ["ziglang==0.17.1", "scikit-build-core==1.1.2", "wheel==0.45.1"]
#: Where this system gets Debian's packages from, in the form that Debian 12 writes.
SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
#: Debian's source packages, in the order of building: the folder of CMakeLists.txt, and options.
LIBRARIES = {
    "cli11": ("", ["-DCLI11_BUILD_TESTS=OFF", "-DCLI11_BUILD_EXAMPLES=OFF"]),
    "eigen3": ("", ["-DEIGEN_BUILD_DOC=OFF", "-DBUILD_TESTING=OFF"]),
    "nlohmann-json3": ("", ["-DJSON_BuildTests=OFF"]),
    "fmtlib": ("", ["-DFMT_TEST=OFF", "-DFMT_DOC=OFF"]),
    "spdlog": ("", ["-DSPDLOG_FMT_EXTERNAL=ON", "-DSPDLOG_BUILD_EXAMPLE=OFF"]),
    "simdjson": ("", ["-DSIMDJSON_DEVELOPER_MODE=OFF"]),
    "re2": ("", ["-DRE2_BUILD_TESTING=OFF"]),
    "libzstd": ("build/cmake", ["-DZSTD_BUILD_PROGRAMS=OFF", "-DZSTD_BUILD_SHARED=OFF"]),
    "xxhash": ("cmake_unofficial", ["-DXXHASH_BUILD_XXHSUM=OFF", "-DDISPATCH=OFF"]),
}
TOOLCHAIN = """set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {architecture})
set(CMAKE_C_COMPILER {bin}/cc)
set(CMAKE_CXX_COMPILER {bin}/c++)
set(CMAKE_AR {bin}/ar)
set(CMAKE_RANLIB {bin}/ranlib)
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)  # the system's `strip` knows the system's processor only
set(CMAKE_FIND_ROOT_PATH {prefix})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
"""


def run(*command, **more):
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,
    )
    if done.returncode:
        print(done.stdout[-4000:], file=sys.stderr)
        raise SystemExit(f"tools/wheel.py: failed: {' '.join(map(str, command))}")
    return done.stdout


class Builder:
    """A compiler for old systems, and the libraries that it has built, in a folder."""

    def __init__(self, folder, architecture):
        self.folder, self.architecture = folder, architecture
        self.prefix, self.bin = folder / "prefix", folder / "bin"
        self.toolchain = folder / "toolchain.cmake"

    def make_compiler(self):
        run(sys.executable, "-m", "venv", self.folder / "tools")
        self.python = self.folder / "tools" / "bin" / "python"
        run(self.python, "-m", "pip", "install", "-q", *TOOLS)
        (zig,) = self.packages("ziglang/zig")
        self.bin.mkdir()
        target = f"-target {self.architecture}-linux-gnu.{GLIBC}"
        for name, words in {
            "cc": f"cc {target}",
            "c++": f"c++ {target}",
            "ar": "ar",
            "ranlib": "ranlib",
        }.items():
            script = self.bin / name
            script.write_text(f'#!/bin/sh\nexec {zig} {words} "$@"\n')
            script.chmod(0o755)
        self.toolchain.write_text(
            TOOLCHAIN.format(architecture=self.architecture, bin=self.bin, prefix=self.prefix)
        )

    def packages(self, pattern):
        """Files and folders among the packages of the environment `tools`."""
        return (self.folder / "tools" / "lib").glob(f"python3*/site-packages/{pattern}")

    def fetch_sources(self):
        """Unpacks Debian's sources into the folder `sources`."""
        apt = self.folder / "apt"
        (apt / "parts").mkdir(parents=True)
        (apt / "lists").mkdir()
        (apt / "parts" / "debian.sources").write_text(
            re.sub(r"^Types:.*", "Types: deb-src", SOURCES.read_text(), flags=re.M)
        )
        (apt / "conf").write_text(
            'Dir::Etc::sourcelist "/dev/null";\n'
            f'Dir::Etc::sourceparts "{apt}/parts";\n'
            f'Dir::State::lists "{apt}/lists";\n'
        )
        (self.folder / "sources").mkdir()
        run("apt-get", "-c", apt / "conf", "update")
        names = [*LIBRARIES, "zlib", "sqlite3"]
        run("apt-get", "-c", apt / "conf", "source", *names, cwd=self.folder / "sources")

    def source(self, package):
        """The folder of a source package: apt-get names it by the version."""
        return next(of for of in (self.folder / "sources").glob(f"{package}-*") if of.is_dir())

    def make_libraries(self):
        # Debian leaves out what RE2's authors generated; its own Makefile makes it again.
        tables = ("perl_groups.cc", "unicode_casefold.cc", "unicode_groups.cc")
        run("make", "REBUILD_TABLES=1", *(f"re2/{of}" for of in tables), cwd=self.source("re2"))
        for package, (place, options) in LIBRARIES.items():
            build = self.folder / "build" / package
            run(
                "cmake",
                *("-S", self.source(package) / place, "-B", build, "-G", "Ninja"),
                f"-DCMAKE_TOOLCHAIN_FILE={self.toolchain}",
                f"-DCMAKE_INSTALL_PREFIX={self.prefix}",
                *("-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF"),
                *("-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON"),
                *options,
            )
            run("cmake", "--build", build)
            run("cmake", "--install", build)
        (self.prefix / "include" / "boost").symlink_to("/usr/include/boost")
        self.make_zlib()
        self.make_sqlite()

    def make_zlib(self):
        """Its CMakeLists.txt needs files that Debian leaves out; its own configure does not."""
        compiler = {"CC": self.bin / "cc", "AR": self.bin / "ar", "RANLIB": self.bin / "ranlib"}
        environment = {**os.environ, **{name: str(path) for name, path in compiler.items()}}
        more = {"cwd": self.source("zlib"), "env": {**environment, "CFLAGS": "-O3 -fPIC"}}
        run("./configure", "--static", f"--prefix={self.prefix}", **more)
        run("make", "install", **more)

    def make_sqlite(self):
        """Its sources are put together by its own Makefile, and are then one file."""
        build = self.folder / "build" / "sqlite3"
        build.mkdir()
        run(self.source("sqlite3") / "configure", "--disable-tcl", cwd=build)
        run("make", "sqlite3.c", cwd=build)
        library = self.prefix / "lib" / "libsqlite3.a"
        run(self.bin / "cc", "-O2", "-fPIC", "-c", "sqlite3.c", "-o", "sqlite3.o", cwd=build)
        run(self.bin / "ar", "rcs", library, "sqlite3.o", cwd=build)
        shutil.copy(build / "sqlite3.h", self.prefix / "include")

    def make_wheel(self, folder):
        """Builds the wheel with the notices of what is linked into it. Returns its path."""
        system = f"linux_{self.architecture}"
        built, unpacked = self.folder / "built", self.folder / "unpacked"
        run(
            *(self.python, "-m", "pip", "wheel", ROOT, "-w", built),
            *("--no-deps", "--no-build-isolation"),
            f"--config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE={self.toolchain}",
            f"--config-settings=cmake.define.CMAKE_PREFIX_PATH={self.prefix}",
            f"--config-settings=cmake.define.BOOST_ROOT={self.prefix}",
            env={**os.environ, "_PYTHON_HOST_PLATFORM": system.replace("_", "-", 1)},
        )
        run(self.python, "-m", "wheel", "unpack", *built.glob("*.whl"), "-d", unpacked)
        (content,) = unpacked.iterdir()
        self.add_notices(next(content.glob("*.dist-info")) / "licenses")
        run(self.python, "-m", "wheel", "pack", content, "-d", unpacked)
        tag = f"manylinux_{GLIBC.replace('.', '_')}_{self.architecture}"
        (made,) = unpacked.glob("*.whl")
        run(self.python, "-m", "wheel", "tags", "--platform-tag", tag, "--remove", made)
        (made,) = unpacked.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        return shutil.move(made, folder / made.name)

    def add_notices(self, folder):
        """Licences of the libraries, by Debian's source packages, and of Zig's C++ runtime."""
        folder.mkdir(exist_ok=True)
        for package in [*LIBRARIES, "zlib", "sqlite3"]:
            shutil.copy(self.source(package) / "debian" / "copyright", folder / package)
        shutil.copy("/usr/share/doc/libboost-dev/copyright", folder / "boost1.74")
        (zig,) = self.packages("ziglang")
        for part in ("libcxx", "libcxxabi", "libunwind"):
            shutil.copy(zig / "lib" / part / "LICENSE.TXT", folder / part)
        texts = [notice.read_text(encoding="utf-8") for notice in folder.iterdir()]
        for name in licences.common_names(texts):
            shutil.copy(licences.COMMON / name, folder / f"common-{name}")


def requirements_of(wheel, folder):
    """(the shared libraries that the wheel's program asks for, the newest glibc of its symbols)"""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".data/scripts/seqpoint")]
        program = archive.extract(name, folder)
    said = run("readelf", "-dVW", program)  # of any processor
    versions = {tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", said)}
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said), ".".join(map(str, max(versions)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--architecture", choices=("x86_64", "aarch64"), default=platform.machine())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="seqpoint-wheel-") as scratch:
        builder = Builder(Path(scratch), options.architecture)
        builder.make_compiler()
        builder.fetch_sources()
        builder.make_libraries()
        wheel = builder.make_wheel(options.folder.resolve())
        libraries, newest = requirements_of(wheel, scratch)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, needs {', '.join(libraries)}")
    strange = [name for name in libraries if not licences.GLIBC.match(name)]
    if strange or tuple(map(int, newest.split("."))) > tuple(map(int, GLIBC.split("."))):
        raise SystemExit(f"tools/wheel.py: it needs glibc {newest} and {strange}")


if __name__ == "__main__":
    main()
