"""seqpoint from Python: plain functions over the program of that name.

    import numpy as np, seqpoint

    lengths = np.load("lengths.npy")                       # of every sample, in the order of the data set
    points = seqpoint.select(lengths, sampler="pytorch", batch_size=32, seed=1, points=8)
    for point in points["points"]:
        print(point["id"], point["src_len"], point["weight"])
    whole = seqpoint.project(points, {"old": "old.csv", "new": "new.csv"})
    print(whole["configurations"][0]["metrics"]["runtime_s"])

Options are those of the command line with underscores (`batch_size=32` is `--batch-size 32`): True gives a flag, False and None
leave it out, a list repeats it. `seqpoint select --help` lists them. Each function runs the program once and waits for it.

What the program warns of goes to the logger "seqpoint" as warnings, its notes as information. What it refuses is raised as Error.

The program is the one beside this package, else that of the environment variable SEQPOINT_PROGRAM, else `seqpoint` on the PATH.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

__all__ = ["Error", "LimitExceeded", "diagnose", "forecast", "program", "project", "run", "scan", "select"]

AnyPath = Union[str, "os.PathLike[str]"]
Columns = Mapping[str, Sequence[Any]]
#: Manifests by path (several are read one after the other); lengths, (samples,) or, of pairs, (samples, 2), in a list, an array or
#: what NumPy makes one of; or the columns of a trace, as `scan` returns them, or as a table of pandas has them.
Data = Union[AnyPath, Sequence[AnyPath], Sequence[float], Sequence[Tuple[float, float]], "np.ndarray[Any, Any]", Columns]
#: SeqPoints by path, or as `select` returns them.
Points = Union[AnyPath, Mapping[str, Any]]
#: Files of a configuration, or columns of measurements: `point` (or src_len, ..., or iteration) and `runtime_s`.
Profile = Union[AnyPath, Sequence[AnyPath], Columns]

_LOGGER = logging.getLogger("seqpoint")
_LIMIT = 1  # exit status: done, but a limit that was set does not hold


class Error(RuntimeError):
    """What the program refuses, in its own words. `status` is its exit status: 2 bad usage, 3 bad input, 4 could not write."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class LimitExceeded(Error):
    """A limit does not hold (max_regression, require_coverage, ...). `result` is what the function would have returned."""

    def __init__(self, message: str, result: Any):
        super().__init__(message, _LIMIT)
        self.result = result


def program() -> str:
    """The path of the program."""
    beside = Path(__file__).parent / "bin" / "seqpoint"
    found = str(beside) if beside.exists() else os.environ.get("SEQPOINT_PROGRAM") or shutil.which("seqpoint")
    if not found:
        raise FileNotFoundError("no program: put seqpoint on the PATH, or its path into SEQPOINT_PROGRAM")
    return found


def run(*arguments: Any, input: Optional[bytes] = None) -> str:
    """What the program prints with these arguments. `input` is what it reads from standard input."""
    command = [program(), *map(os.fspath, map(_word, arguments))]
    done = subprocess.run(command, input=input or b"", capture_output=True, env=_environment(), check=False)
    problems = _tell(done.stderr.decode("utf-8", "replace"))
    text = done.stdout.decode("utf-8")
    if done.returncode == _LIMIT:
        raise LimitExceeded(problems, text)
    if done.returncode != 0:
        raise Error(problems or f"seqpoint ended with status {done.returncode}", done.returncode)
    return text


def main() -> None:
    """The program itself, in the place of this process: what a wheel installs as `seqpoint`."""
    os.execve(program(), ["seqpoint", *sys.argv[1:]], _environment())


def _environment() -> Dict[str, str]:
    """A wheel carries the program's libraries."""
    libraries = Path(__file__).parent / "lib"
    if not libraries.is_dir():
        return dict(os.environ)
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, [str(libraries), os.environ.get("LD_LIBRARY_PATH")]))}


def scan(data: Data, **options: Any) -> Dict[str, Any]:
    """The iterations of a run: a column each, arrays of one value an iteration (`iteration`, `src_len`, `batch_size`, ...).

    With rows=True, `rows` is a list with an entry an iteration: a list of one array of data set rows for each rank."""
    return _columns(_on(data, "scan", options))


def select(data: Data, **options: Any) -> Dict[str, Any]:
    """SeqPoints: the artefact of `seqpoint schema seqpoints`."""
    return _artefact(_on(data, "select", options, "-o", "-"))


def forecast(data: Data, **options: Any) -> Dict[str, Any]:
    """What the batches show before anything runs: the artefact of `seqpoint schema forecast`."""
    return _artefact(_on(data, "forecast", options, "--json"))


def project(points: Points, profiles: Mapping[str, Profile], **options: Any) -> Dict[str, Any]:
    """The whole run: the artefact of `seqpoint schema projection`. `profiles`: by name of the configuration."""
    return _of_points("project", points, profiles, options)


def diagnose(points: Points, profiles: Mapping[str, Profile], **options: Any) -> Dict[str, Any]:
    """Why an interval is as wide as it is: the artefact of `seqpoint schema diagnosis`."""
    return _of_points("diagnose", points, profiles, options)


def _artefact(text: str) -> Dict[str, Any]:
    artefact: Dict[str, Any] = json.loads(text)
    return artefact


def _word(argument: Any) -> Any:
    return argument if isinstance(argument, (str, os.PathLike)) else str(argument)


def _tell(messages: str) -> str:
    """Logs notes and warnings; returns the rest: errors and their hints."""
    problems: List[str] = []
    for line in messages.splitlines():
        kind, _, text = line[len("seqpoint: "):].partition(": ") if line.startswith("seqpoint: ") else ("", "", line)
        if kind == "note":
            _LOGGER.info(text)
        elif kind == "warning":
            _LOGGER.warning(text)
        else:
            problems.append(text if kind == "error" else line)
    return "\n".join(problems)


def _flags(options: Mapping[str, Any]) -> List[str]:
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


def _on(data: Data, command: str, options: Mapping[str, Any], *more: str) -> str:
    words, text = _inputs(data)
    return run(command, *map(_path, words), *_flags(options), *more, input=text)


def _path(path: AnyPath) -> str:
    """One that begins as an option does, too."""
    text = os.fspath(path)
    return os.path.join(os.curdir, text) if text.startswith("-") and text != "-" else text


def _inputs(data: Any) -> Tuple[List[AnyPath], Optional[bytes]]:
    """Paths of manifests; of anything else "-", and what to write there."""
    if isinstance(data, (str, os.PathLike)):
        return [data], None
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        return ["-"], _csv(data).encode("utf-8")
    if not isinstance(data, np.ndarray):
        given = list(data) if isinstance(data, (list, tuple)) else []
        if given and all(isinstance(one, (str, os.PathLike)) for one in given):
            return given, None
        data = _lengths(data)
    pipe = io.BytesIO()
    np.save(pipe, data, allow_pickle=False)
    return ["-"], pipe.getvalue()


def _lengths(data: Any) -> np.ndarray[Any, Any]:
    try:
        lengths = np.asarray(data)
    except (TypeError, ValueError):  # rows of different lengths
        lengths = np.empty((), dtype=object)
    if lengths.size == 0 or lengths.ndim == 0 or lengths.dtype.kind not in "iuf":
        raise TypeError("neither paths of manifests, nor lengths (a number a sample; two of pairs), nor columns of a trace by name: "
                        f"{repr(data)[:80]}")
    return lengths


def _of_points(command: str, points: Points, profiles: Mapping[str, Profile], options: Mapping[str, Any]) -> Dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        if isinstance(points, Mapping):
            selected = Path(folder) / "points.json"
            selected.write_text(json.dumps(points), encoding="utf-8")
            points = selected
        words: List[str] = [command, _path(points)]
        for number, (name, profile) in enumerate(profiles.items()):
            if "=" in name:
                raise ValueError(f"'{name}': the name of a configuration cannot hold '='")
            for file in _files(profile, Path(folder) / f"profile-{number}.csv"):
                words.append(f"--profile={name}={os.fspath(file)}")
        try:
            return _artefact(run(*words, *_flags(options), "--json"))
        except LimitExceeded as error:
            raise LimitExceeded(str(error), json.loads(error.result)) from None


def _files(profile: Any, written: Path) -> Sequence[AnyPath]:
    """The files of a configuration; columns are written into one."""
    if isinstance(profile, (str, os.PathLike)):
        return [profile]
    if isinstance(profile, Mapping) or hasattr(profile, "columns"):
        written.write_text(_csv(profile), encoding="utf-8")
        return [written]
    return list(profile)


def _csv(columns: Any) -> str:
    """Columns as CSV; NumPy's numbers with all their digits."""
    lengths = {name: len(columns[name]) for name in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of different lengths: {lengths}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name for name in lengths if name != "rows"]
    writer.writerow(names)
    writer.writerows(zip(*(np.asarray(columns[name]).tolist() for name in names)))
    return text.getvalue()


def _columns(text: str) -> Dict[str, Any]:
    rows = list(csv.reader(io.StringIO(text)))
    columns: Dict[str, Any] = {}
    for name, cells in zip(rows[0], zip(*rows[1:])):
        if name == "rows":
            columns[name] = [[np.array(rank.split(), dtype=np.int64) for rank in cell.split("|")] for cell in cells]
        else:
            numbers = np.array(cells, dtype=np.float64)
            whole = all(cell.lstrip("-").isdigit() for cell in cells)
            columns[name] = np.array(cells, dtype=np.int64) if whole else numbers
    return columns
