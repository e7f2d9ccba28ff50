"""What tools/new.py makes compiles, passes its own tests, and breaks no rule of the folders:

    new_test.py SOURCE_DIR CMAKE_COMMAND [BUILD_OPTION...]

It is made in a copy of the sources, which is built.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, CMAKE, *OPTIONS = sys.argv[1:]
KINDS = {"reader": "my-toolkit", "sampler": "my-order", "method": "my-way"}
TESTS = "MyToolkit*:MyOrder*:MyWay*"


def run(*command, **more):
    subprocess.run([*map(str, command)], check=True, **more)


def main():
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git"))
        for kind, name in KINDS.items():
            run(sys.executable, copy / "tools/new.py", kind, name)
        again = subprocess.run(
            [sys.executable, copy / "tools/new.py", "reader", "my-toolkit"], capture_output=True
        )
        assert again.returncode == 1 and b"is there already" in again.stderr, again.stderr
        run(sys.executable, copy / "tests/house/storeys.py", copy)
        run(CMAKE, "--preset", "quick", *OPTIONS, cwd=copy)
        run(CMAKE, "--build", "--preset", "quick", "--target", "unit_tests", "seqpoint", cwd=copy)
        done = subprocess.run(
            [copy / "build/quick/tests/unit_tests", f"--gtest_filter={TESTS}"],
            check=True,
            capture_output=True,
            text=True,
        )
        assert "4 tests ran" in done.stdout or "4 tests from" in done.stdout, done.stdout
        listed = subprocess.run(
            [copy / "build/quick/seqpoint", "list", "samplers"],
            check=True,
            capture_output=True,
            text=True,
        )
        assert "my-order" in listed.stdout, listed.stdout


if __name__ == "__main__":
    main()
