"""An example from a manifest to a projection runs: walk_through.py EXE SOURCE_DIR SCRIPT

The script runs in a folder that contains the examples like a clone. The epoch's measured time in
projection.json has to be the sum of its wall-clock times. Ends with 77 (skipped) if this Python has
no PyTorch.
"""
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import torch  # noqa: F401  the example's commands need it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def check_truth(path, clone):
    """The measured total of every epoch that the projection is compared with, against its log."""
    with open(path, encoding="utf-8") as file:
        projection = json.load(file)
    options = projection["provenance"]["options"]["truth"]
    logs = dict(option.split("=", 1) for option in options.split())
    assert projection["truth"], "nothing is compared"
    for row in projection["truth"]:
        with open(os.path.join(clone, logs[row["configuration"]]), encoding="utf-8") as file:
            seconds = sum(float(line["runtime_s"]) for line in csv.DictReader(file))
        assert row["metric"] == "runtime_s" and abs(row["measured"] / seconds - 1) < 1e-9, row


def main():
    exe, source, script = (os.path.abspath(path) for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as sandbox:
        programs, clone = os.path.join(sandbox, "bin"), os.path.join(sandbox, "clone")
        os.makedirs(programs)
        os.symlink(exe, os.path.join(programs, "seqpoint"))
        os.symlink(sys.executable, os.path.join(programs, "python3"))
        for folder in ("examples", "python"):
            shutil.copytree(os.path.join(source, folder), os.path.join(clone, folder))
        environment = {
            "PATH": programs + ":" + os.environ["PATH"],
            "HOME": sandbox,
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
        }
        subprocess.run(["bash", script], cwd=clone, env=environment, check=True)
        (projection,) = glob.glob(os.path.join(clone, "build", "*", "projection.json"))
        check_truth(projection, clone)


main()
