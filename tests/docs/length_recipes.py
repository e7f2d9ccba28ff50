#!/usr/bin/env python3
"""The recipes of examples/length-recipes.md, on lists of known lengths:

  tests/docs/length_recipes.py SEQPOINT SOURCE_DIR
"""
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# For each recipe: the files that it reads, and the lengths (frames of 10 ms; tokens; characters) as
# counted by hand.
LISTS = {
    "speechbrain": (
        {
            "train.json": "{\n"
            ' "a-1": {"wav": "a.wav", "length": 3.5, "words": "ONE {\\"TWO\\"}"},\n'
            ' "a-0": {"wav": "b.wav", "words": "", "length": 12},\n'
            ' "a-2": {"wav": "c.wav", "duration": "2.87"}}\n'
        },
        [350, 1200, 287],
    ),
    "wenet": (
        {
            "data.list": '{"key": "u1", "wav": "u1.wav", "txt": "hello", '
            '"start": 0.5, "end": 2.84}\n'
            '{"key": "u2", "wav": "u2.wav", "txt": "bye", "start": 12.5, "end": 15.75}\n'
        },
        [234, 325],
    ),
    "mozilla": (
        {
            "train.csv": "wav_filename,wav_filesize,transcript\n"
            'a.wav,96044,"well, hello"\nb.wav,32044,x\nc.wav,48044,"a ""b"""\n'
        },
        [300, 100, 150],
    ),
    "common-voice": (
        {
            "train.tsv": 'client_id\tpath\tsentence\nc1\tcv_2.mp3\t"Good\nc2\tcv_1.mp3\tYes.\n',
            "clip_durations.tsv": "clip\tduration[ms]\n"
            "cv_1.mp3\t4536\ncv_3.mp3\t99\ncv_2.mp3\t2130\n",
        },
        [213, 453],
    ),
    "ljspeech": ({"metadata.csv": 'L1|Chapter 2|Chapter two "x"\nL2|a, b|a, b é\n'}, [15, 6]),
    "fasta": ({"train.fasta": ">sp|P1|A n=5\nMKV\nLL\n\n>P2\n>P3\nM\n"}, [5, 0, 1]),
    "conllu": (
        {
            "train.conllu": "# text = 2 don't\n1\t2\n2-3\tdon't\n2\tdo\n3\tn't\n3.1\tx\n\n"
            "# text = Yes\n1\tYes\n"
        },
        [3, 1],
    ),
    "burstgpt": (
        {
            "requests.csv": "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
            '5,ChatGPT,472,18,490,log\n45,"a, b",1087,0,1087,log\n118,GPT-4,417,276,693,"API log"\n'
        },
        [472, 417],
    ),
    "datatrove": ({"train.ds.index": struct.pack("<5q", 12, 15, 16, 56, 63)}, [12, 3, 1, 40, 7]),
}


def recipes(source):
    """By name, in the order of the document."""
    text = (source / "examples" / "length-recipes.md").read_text(encoding="utf-8")
    return dict(
        re.findall(r"<!-- not run here: recipe ([\w-]+), [^\n]+ -->\n```sh\n(.*?)```", text, re.S)
    )


def can_run(recipe):
    needs_jq = recipe.startswith("jq ") and shutil.which("jq") is None
    needs_numpy = "numpy" in recipe and importlib.util.find_spec("numpy") is None
    return not needs_jq and not needs_numpy


def lengths_by(recipe, files, seqpoint):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "seqpoint").symlink_to(seqpoint)
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (Path(folder) / name).write_bytes(data)
        paths = (folder, str(Path(sys.executable).parent), os.environ["PATH"])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", recipe],
            cwd=folder,
            env={**os.environ, "PATH": ":".join(paths)},
            capture_output=True,
            text=True,
            check=False,
        )
    return [int(row) for row in done.stdout.split()[1:]] if done.returncode == 0 else done.stderr


def main():
    seqpoint, found = Path(sys.argv[1]).resolve(), recipes(Path(sys.argv[2]))
    faults = [
        f"{name}: has a recipe or a list, and not both" for name in found.keys() ^ LISTS.keys()
    ]
    left_out = [name for name, recipe in found.items() if not can_run(recipe)]
    for name in found.keys() & LISTS.keys() - set(left_out):
        files, expected = LISTS[name]
        lengths = lengths_by(found[name], files, seqpoint)
        if lengths != expected:
            faults.append(f"{name}: {lengths}, not {expected}")
    print(*faults, sep="\n")
    print(f"{len(found)} recipes; not run for want of jq or numpy: {left_out or 'none'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
