"""The commands of a document do what it says:

    console_blocks.py EXE SOURCE_DIR DOCUMENT [--update]

Runs every command of the document's blocks of ```console (lines that begin with "$ "), in order and in one folder with the
examples in it, and compares what they print, on either stream, with the lines below them. --update writes those anew.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, folder, environment):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode("utf-8")


def as_run(block, folder, environment):
    """A block with what its commands print now."""
    commands = [line for line in block.split("\n") if line.startswith("$ ")]
    assert commands, "a block without a command"
    return "".join(f"{command}\n{run(command[2:], folder, environment)}" for command in commands)


def main():
    exe, source, document = (os.path.abspath(path) for path in sys.argv[1:4])
    with open(document, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as sandbox:
        folder = os.path.join(sandbox, "repository")
        os.makedirs(os.path.join(sandbox, "bin"))
        os.symlink(exe, os.path.join(sandbox, "bin", "seqpoint"))
        shutil.copytree(os.path.join(source, "examples"), os.path.join(folder, "examples"))
        environment = {"PATH": os.path.join(sandbox, "bin") + ":" + os.environ["PATH"], "HOME": sandbox, "LC_ALL": "C.UTF-8", "TERM": "dumb",
                       "GITHUB_STEP_SUMMARY": os.path.join(sandbox, "summary")}
        now, blocks = re.subn(r"(?<=^```console\n)(.*?)(?=^```$)", lambda m: as_run(m.group(1), folder, environment), text, flags=re.M | re.S)
    if "--update" in sys.argv:
        with open(document, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != text:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), now.splitlines(True), document, "what the commands print"))
        sys.exit(1)
    assert blocks, "no block of commands"
    print(blocks, "blocks of", os.path.basename(document))


main()
