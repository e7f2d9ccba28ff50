#!/usr/bin/env python3
"""Out of memory is reported as such, wherever it occurs: in the program, SQLite, simdjson or zstd.

  tests/limits/memory.py PROGRAM

Each command is run under ever lower limits on its address space, from its requirement down to where
the loader fails.
"""
import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = 40
LOADER = 127  # the system could not load the program
OUT_OF_MEMORY = 4


def make_inputs(folder):
    database = sqlite3.connect(folder / "run.sqlite")
    database.executescript(
        "CREATE TABLE StringIds(id, value); CREATE TABLE META_DATA_EXPORT(name, value);"
        'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", x);'
    )
    database.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?)",
        ((10 * i, 10 * i + 5, "x" * 500) for i in range(5000)),
    )
    database.commit()
    database.close()
    (folder / "ids.jsonl").write_text('{"a": [' + ",".join(["1"] * 300000) + "]}\n")
    (folder / "ids.json").write_text('[{"a": [' + ",".join(["1"] * 300000) + "]}]\n")
    (folder / "list.txt").write_text("".join(f"{n}\n" for n in range(1, 50000)))
    # A frame with a window of 64 MiB, and nothing much in it.
    (folder / "list.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00\x80\x41\x00\x00213\n225\n")


COMMANDS = [
    "--version",
    "inspect run.sqlite",
    "inspect - <run.sqlite",
    "scan ids.jsonl --length-field a --batch-size 1",
    "scan ids.json --length-field a --batch-size 1",
    "scan list.txt --batch-size 64 --threads 4 -o trace.csv",
    "scan list.zst --batch-size 1",
    "select list.txt --batch-size 64 --points 8 -o points.json",
]


def run(program, command, folder, kilobytes):
    arguments, _, given = command.partition(" <")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(folder / given if given else "/dev/null", "rb") as stdin:
        return subprocess.run(
            [program, *arguments.split()],
            cwd=folder,
            stdin=stdin,
            capture_output=True,
            preexec_fn=limit,
            timeout=60,
            check=False,
        )


def least_limit(program, command, folder):
    """A limit in kilobytes that suffices, while one per cent less does not.

    Larger limits were not all tried, so some of them may fail.
    """
    low, high = 1000, 4_000_000
    done = run(program, command, folder, high)
    if b"was built without" in done.stderr:
        return None
    assert done.returncode == 0, (command, done.stderr)
    while high - low > high // 100:
        middle = (low + high) // 2
        low, high = (
            (low, middle)
            if run(program, command, folder, middle).returncode == 0
            else (middle, high)
        )
    return high


def main():
    program, faults, told = str(Path(sys.argv[1]).resolve()), [], 0
    with tempfile.TemporaryDirectory() as sandbox:
        folder = Path(sandbox)
        make_inputs(folder)
        loader = least_limit(program, "--version", folder)
        for command in COMMANDS:
            most = least_limit(program, command, folder)
            least = int(loader * 0.9)
            for step in range(STEPS if most else 0):
                kilobytes = most - (most - least) * step // STEPS
                done = run(program, command, folder, kilobytes)
                left = [path.name for path in folder.glob(".seqpoint-*")]
                told += done.returncode == OUT_OF_MEMORY
                # With less memory than --version needs, a library may fail to load before any code
                # of the program runs.
                began = kilobytes >= loader or b"terminate called" not in done.stderr
                if done.returncode not in (0, OUT_OF_MEMORY, LOADER) and began or left:
                    faults.append(
                        f"{command} in {kilobytes} kB: ends with {done.returncode}, leaves "
                        f"{left}: {done.stderr[:200]}"
                    )
    print(*faults, sep="\n")
    print(f"{len(COMMANDS)} commands, out of memory {told} times, {len(faults)} faults")
    return 1 if faults or told < len(COMMANDS) else 0


if __name__ == "__main__":
    sys.exit(main())
