#!/usr/bin/env python3
"""What building takes: python3 tests/bench/builds.py SOURCES [SOURCES...]

SOURCES are source trees, for example this one and that of the last release. Each is copied, and
built from nothing as users build it (preset `release`), then the program as developers build it
(preset `dev`), again after one file was touched: a header that many sources include, a selection
method, a command. Prints Markdown: CPU seconds of all processes, seconds on this machine, the
slowest compilation and its memory, and how many sources include the file, directly or not.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TOUCHED = {
    "a header": "src/core/project/projection.hpp",
    "a method": "src/core/select/methods/strata.cpp",
    "a command": "src/cli/commands/select.cpp",
}


class Usage:
    """CPU seconds of the commands and seconds since it was made."""

    def __init__(self):
        self._cpu_s, self._began = cpu_seconds(), time.monotonic()

    def cpu_s(self):
        return cpu_seconds() - self._cpu_s

    def seconds(self):
        return time.monotonic() - self._began


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(*words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(words)}: status {done.returncode}: {(done.stdout + done.stderr)[-2000:]}"
        )


def build(sources, preset):
    call("cmake", "--build", "--preset", preset, "--target", "seqpoint", folder=sources)


def slowest_unit(sources, preset):
    """(seconds, name) of the compilation that took longest, by Ninja's log."""
    with open(os.path.join(sources, "build", preset, ".ninja_log"), encoding="utf-8") as log:
        rows = [line.split("\t") for line in log if not line.startswith("#")]
    units = [(int(row[1]) - int(row[0]), row[3]) for row in rows if row[3].endswith(".o")]
    milliseconds, name = max(units)
    return milliseconds / 1000, os.path.basename(name)


def includers(sources, header):
    """(sources that include the header, directly or through others, all sources) of src."""
    files = {}
    for folder, _, names in os.walk(os.path.join(sources, "src")):
        for name in names:
            if name.endswith((".cpp", ".hpp", ".def")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    included = re.findall(r'#include "([^"]+)"', file.read())
                files[os.path.relpath(path, os.path.join(sources, "src"))] = included
    reached, found = {os.path.relpath(header, "src")}, -1
    while found < len(reached):
        found = len(reached)
        reached |= {path for path, included in files.items() if reached & set(included)}
    of_all = [path for path in files if path.endswith(".cpp")]
    return len([path for path in of_all if path in reached]), len(of_all)


def report(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def measure(name, sources):
    used = Usage()
    call("cmake", "--preset", "release", folder=sources)
    build(sources, "release")
    longest_s, unit = slowest_unit(sources, "release")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    note = f"slowest unit {longest_s:.0f} s ({unit}); at most {peak:.0f} MB a process"
    report(name, "release, from nothing", f"{used.cpu_s():.0f}", f"{used.seconds():.0f}", note)
    used = Usage()
    call("cmake", "--preset", "dev", "-DBUILD_TESTING=OFF", "-DSEQPOINT_WERROR=OFF", folder=sources)
    build(sources, "dev")
    report(name, "dev, from nothing", f"{used.cpu_s():.0f}", f"{used.seconds():.0f}", "")
    for what, path in TOUCHED.items():
        if not os.path.exists(os.path.join(sources, path)):
            report(name, f"dev, {what}", "", "", f"there is no {path}")
            continue
        os.utime(os.path.join(sources, path))
        used = Usage()
        build(sources, "dev")
        of, among = includers(sources, path)
        note = f"{path}: in {of} of {among} sources" if path.endswith(".hpp") else path
        report(name, f"dev, {what}", f"{used.cpu_s():.0f}", f"{used.seconds():.0f}", note)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", help="a source tree")
    options = parser.parse_args()
    if (
        len(options.sources) > 1
    ):  # each in a process of its own, whose children's peak is the tree's
        for sources in options.sources:
            subprocess.run([sys.executable, __file__, sources], check=True)
        return
    (sources,) = options.sources
    report("sources", "build", "CPU s", "s", "")
    report(":---", ":---", "---:", "---:", ":---")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "seqpoint")
        without = shutil.ignore_patterns("build", ".git", "__pycache__")
        shutil.copytree(sources, copy, ignore=without, symlinks=True)
        measure(os.path.basename(os.path.abspath(sources)), copy)


if __name__ == "__main__":
    main()
