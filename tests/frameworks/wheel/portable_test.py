"""The wheel of tools/wheel.py passes the test of wheels: portable_test.py SOURCE SEQPOINT

Builds the wheel, for which tools/wheel.py checks that it needs no newer glibc and no other library,
and runs wheel_test.py with it. Ends with 77 without Debian's packages that the build needs.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

source, program = (Path(argument).resolve() for argument in sys.argv[1:3])
NEEDED = ("/usr/bin/dpkg-source", "/usr/bin/tclsh", "/usr/share/unicode", "/usr/include/boost")

missing = [path for path in NEEDED if not os.path.exists(path)]
if missing:
    print(f"skipped: there is no {', '.join(missing)}; tools/setup.sh wheel")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="seqpoint-portable-") as folder:
    maker = [sys.executable, source / "tools" / "wheel.py", "-o", folder]
    subprocess.run(maker, check=True)
    (wheel,) = Path(folder).glob("*.whl")
    assert "-py3-none-manylinux_2_28_" in wheel.name, wheel.name
    test = [sys.executable, source / "tests" / "frameworks" / "wheel" / "wheel_test.py"]
    sys.exit(subprocess.run([*test, source, program, "--wheel", wheel], check=False).returncode)
