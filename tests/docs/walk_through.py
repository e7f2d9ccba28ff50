"""The commands of a walk-through run as they are printed:

    walk_through.py EXE SOURCE_DIR DOCUMENT

Runs the ```sh blocks in order, each by bash -e, in a folder that contains the examples like a
clone, and ends at the first that fails. If the next block is ```text, the output of the commands
has to contain its lines, one after the other: the output of `seqpoint select` is compared so, while
output that depends on measured times is not quoted. The epoch's measured time in projection.json
has to be the sum of its wall-clock times. Ends with 77 (skipped) if this Python has no PyTorch.
"""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import torch  # noqa: F401  the document's commands need it
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
    exe, source, document = (os.path.abspath(path) for path in sys.argv[1:4])
    with open(document, encoding="utf-8") as file:
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), flags=re.M | re.S)
    assert any(kind == "sh" for kind, _ in blocks), "no block of commands"
    assert any(
        kind == "text" and text.startswith("point ") for kind, text in blocks
    ), "no table of points to compare"
    begin = time.perf_counter()
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
        printed = ""
        for kind, block in blocks:
            if kind == "sh":
                print(block, flush=True)
                done = subprocess.run(
                    ["bash", "-e", "-o", "pipefail", "-c", block],
                    cwd=clone,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
                printed = done.stdout.decode("utf-8")
                print(printed, flush=True)
                assert done.returncode == 0, f"exit status {done.returncode}"
            elif kind == "text":
                assert f"\n{block}" in f"\n{printed}", f"not printed:\n{block}"
        (projection,) = glob.glob(os.path.join(clone, "build", "*", "projection.json"))
        check_truth(projection, clone)
    print(f"{os.path.basename(document)}: {time.perf_counter() - begin:.0f} s")


main()
