"""The program `seqpoint`, as these functions call it."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import Any, List, Mapping, Optional, Tuple

_LOGGER = logging.getLogger("seqpoint")
_LIMIT = 1  # exit status: done, but a limit is not met
_WIPE = b"\r\x1b[K"  # written before a line of progress, and to erase it


class Error(RuntimeError):
    """The program's error message.

    `status` is its exit status: 2 bad usage, 3 bad input, 4 could not write, 70 internal error, 130
    interrupted.
    """

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class LimitExceeded(Error):
    """A limit is not met (max_regression, require_weight, ...), or too little was measured.

    `result` is the return value that the function would have had. allow_partial=True of project()
    accepts that too little was measured.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message, _LIMIT)
        self.result = result


def program() -> str:
    """The path of the program."""
    installed = [
        Path(sysconfig.get_path("scripts")) / "seqpoint",
        Path(sysconfig.get_path("scripts", f"{os.name}_user")) / "seqpoint",
        Path(__file__).resolve().parents[1] / "bin" / "seqpoint",  # of `pip install --target`
    ]
    found = (
        os.environ.get("SEQPOINT_PROGRAM")
        or next((str(path) for path in installed if path.exists()), None)
        or shutil.which("seqpoint")
    )
    if not found:
        raise FileNotFoundError(
            "no program: put seqpoint on the PATH, or its path into SEQPOINT_PROGRAM"
        )
    return found


def call(*arguments: Any, input: Optional[bytes] = None) -> str:
    """The program's standard output for these arguments, and `input` as its standard input.

        seqpoint.call("plan", "points.json", "-o", "plan")

    Raises Error, and LimitExceeded, whose `result` is then the output, for exit status 1.
    """
    command = [program(), *map(os.fspath, map(_word, arguments))]
    heard: List[str] = []
    notebook = "ipykernel" in sys.modules
    ear, mouth = _terminal() if notebook else os.pipe()  # progress is for terminals
    listener = threading.Thread(target=_listen, args=(ear, heard))
    listener.start()
    try:
        done = subprocess.run(
            command,
            input=input or b"",
            stdout=subprocess.PIPE,
            stderr=mouth,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"} if notebook else None,
            check=False,
        )
    finally:
        os.close(mouth)
        listener.join()
        os.close(ear)
    problems, text = "\n".join(heard), done.stdout.decode("utf-8")
    if done.returncode == _LIMIT:
        raise LimitExceeded(problems, text)
    if done.returncode != 0:
        raise Error(problems or f"seqpoint ended with status {done.returncode}", done.returncode)
    return text


def _terminal() -> Tuple[int, int]:
    try:
        return os.openpty()
    except OSError:  # containers without /dev/pts: no progress then
        return os.pipe()


def _word(argument: Any) -> Any:
    return argument if isinstance(argument, (str, os.PathLike)) else str(argument)


def _listen(ear: int, problems: List[str]) -> None:
    """Forwards the program's messages while it runs, and keeps errors and their hints.

    In a notebook it also shows the line of progress.
    """
    left, shown, of_problem = b"", "", False
    while True:
        try:
            chunk = os.read(ear, 1 << 16)
        except OSError:  # a terminal that the program has left
            chunk = b""
        *lines, left = (left + (chunk or b"\n")).split(b"\n")
        if shown:
            sys.stderr.write("\r" + " " * len(shown) + "\r")
        for line in lines:
            text = line.rpartition(_WIPE)[2].rstrip(b"\r").decode("utf-8", "replace")
            of_problem = _tell(text, problems, of_problem)
        shown = left.rpartition(_WIPE)[2].decode("ascii", "replace") if _WIPE in left else ""
        if shown:
            sys.stderr.write(shown)
        if not chunk:
            return


def _tell(line: str, problems: List[str], of_problem: bool) -> bool:
    """Returns whether a hint on the next line belongs to a problem, as on this one `of_problem`."""
    kind, text = "", line
    if line.startswith("seqpoint: "):
        kind, _, text = line[len("seqpoint: ") :].partition(": ")
    verdict = line.partition("  ")[0]
    if kind == "warning" or verdict == "INCONCLUSIVE":
        _LOGGER.warning(text)
    if verdict in ("FAIL", "INCONCLUSIVE"):
        problems.append(line)
    elif kind == "error":
        problems.append(text)
    elif line.startswith("  hint: ") and of_problem:
        problems.append(line)
    elif line and kind != "warning":
        _LOGGER.info(line)
    return kind == "error" or verdict in ("FAIL", "INCONCLUSIVE")


def flags_of(options: Mapping[str, Any]) -> List[str]:
    flags: List[str] = []
    for key, value in options.items():
        name = "--" + key.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                flags.append(name)
            elif each is not None and each is not False:
                word = os.fspath(_word(each))
                flags += [f"{name}={word}"] if word.startswith("-") else [name, word]
    return flags
