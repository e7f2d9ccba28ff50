"""The progress line: its text, where it is shown, and that it is removed:

    progress.py EXE SOURCE_DIR
"""
import os
import re
import subprocess
import sys
import tempfile
import time

from terminal import Session, screen

EXE, DATA = os.path.abspath(sys.argv[1]), os.path.join(
    os.path.abspath(sys.argv[2]), "examples", "data", "gnmt-multi30k"
)
# Long enough for any machine; whoever has seen enough interrupts it.
ENDLESS = [
    EXE,
    "evaluate",
    f"a={DATA}/haswell.csv",
    "--method",
    "bins",
    "--points",
    "8",
    "--draws",
    "10000000",
]
LINE = rb"evaluating  \d+ %  [\d.]+ [kM]? ?draws/s  [\d:]+ left"


def pieces(written):
    return [
        part
        for part in re.split(rb"\r\x1b\[K|\n", written)
        if part.startswith((b"evaluating", b"reading"))
    ]


def shown(columns, env=None):
    """Tests a line's text, and that an interrupt leaves neither line nor file."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(ENDLESS + ["-o", "out.json"], columns, env, cwd=folder)
        session.read(LINE if columns >= 80 else rb"evaluating")
        session.read(rb"evaluating.*evaluating.*evaluating")
        assert os.listdir(folder), "the file is not being written"
        session.interrupt()
        written = session.read()
        assert session.status() == 130
        assert os.listdir(folder) == [], os.listdir(folder)
    assert all(len(piece) < columns for piece in pieces(written)), pieces(written)
    assert not any("evaluating" in line for line in screen(written)), screen(written)
    return written


def silent(env=None, more=(), stderr=None):
    """No line: whatever is written until a second and a half have gone by."""
    if stderr == subprocess.PIPE:
        process = subprocess.Popen(
            ENDLESS + list(more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        time.sleep(1.5)
        process.send_signal(2)
        written = process.communicate()[1]
        assert process.returncode == 130
    else:
        session = Session(ENDLESS + list(more), 80, env)
        time.sleep(1.5)
        session.interrupt()
        written = session.read()
    assert b"evaluating" not in written and b"\r\x1b" not in written, written


def finished():
    """At the end the line is gone and the result is there.

    The input waits until the line was seen, so the test does not depend on the machine's speed.
    """
    with tempfile.TemporaryDirectory() as folder, open(f"{DATA}/haswell.csv", "rb") as file:
        content, pipe = file.read(), os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        session = Session(
            [EXE, "evaluate", f"a={pipe}", "--method", "bins", "--points", "8"], 80, stdout=True
        )
        with open(pipe, "wb", buffering=0) as feed:
            feed.write(content[:1000])
            session.read(rb"reading  1.00 kB")
            feed.write(content[1000:])
        written = session.read()
    assert session.status() == 0
    lines = screen(written)
    assert not any("reading" in line for line in lines), lines
    assert any(line.startswith("method") for line in lines), lines
    return len(pieces(written))


def pipe():
    """Nobody knows how long a pipe is: what was read, and how fast."""
    session = Session(
        [EXE, "scan", "-", "--batch-size", "2", "-o", "/dev/null"], 80, stdin=subprocess.PIPE
    )
    session.process.stdin.write(b"src_len\n" + b"12\n" * 50000)
    session.process.stdin.flush()
    for _ in range(8):
        time.sleep(0.25)
        session.process.stdin.write(b"12\n" * 100000)
        session.process.stdin.flush()
    session.process.stdin.close()
    written = session.read()
    assert session.status() == 0
    assert re.search(rb"reading  [\d.]+ [kM]?B  [\d.]+ [kM]?B/s", written), written
    assert not any(line.startswith("reading") for line in screen(written)), screen(written)
    assert "listed 425,000 batches" in screen(written), screen(written)


def main():
    plain = shown(80, {"NO_COLOR": "1"})
    assert set(re.findall(rb"\x1b\[[^A-Za-z]*[A-Za-z]", plain)) == {
        b"\x1b[K"
    }, "NO_COLOR: nothing but wiping"
    shown(80)
    shown(30)
    silent({"TERM": "dumb"})
    silent(more=["-q"])
    silent(stderr=subprocess.PIPE)
    pipe()
    print(
        "a progress line at 80 and 30 columns, with NO_COLOR, dumb, quiet, piped;",
        finished(),
        "of them in a run that ended",
    )


main()
