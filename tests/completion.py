#!/usr/bin/env python3
"""The installed completion offers every command and every option of --help, as bash asks for them:

  tests/completion.py PROGRAM CMAKE SOURCE_DIR
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, CMAKE, SOURCE = sys.argv[1:]
ASK = (
    'source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _seqpoint; printf "%s\\n" '
    '"${COMPREPLY[@]}"'
)


def text_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def offered(file, *words):
    return set(text_of("bash", "-c", ASK, "bash", file, "seqpoint", *words).split())


def help_of(command):
    done = subprocess.run([PROGRAM, command, "--help-all"], stdout=subprocess.PIPE, text=True)
    text = done.stdout if done.returncode == 0 else text_of(PROGRAM, command, "--help")
    return text


def main():
    listed = text_of(PROGRAM, "--help").split("Measure and predict:")[1]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "seqpoint")
        text_of(
            CMAKE,
            f"-DPROGRAM={PROGRAM}",
            f"-DFILE={file}",
            "-P",
            f"{SOURCE}/cmake/Completion.cmake",
        )
        missing = set(commands) - offered(file, "")
        assert not missing, missing
        for command in commands:
            rows = re.findall(r"^  (-\S+)", help_of(command), re.M)
            wanted = {name for row in rows for name in row.split(",")}
            got = offered(file, command, "-")
            assert got == wanted and "--help" in wanted, (command, got ^ wanted)
        assert offered(file, "scan", "--sam") == {"--sampler", "--sampler-version", "--sample-rate"}
        assert offered(file, "scan", "train") == set(), "files are bash's own"


main()
