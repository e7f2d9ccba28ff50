"""seqpoint from Python: functions that run the program `seqpoint`, and a loop that it measures.

    import seqpoint

    done = seqpoint.measure(["python", "train.py"], precision=0.02)  # as `seqpoint run`
    print(done.epoch.value, done.epoch.low, done.epoch.high)         # seconds

In a script that trains without PyTorch, `for batch in seqpoint.iterate(batches):` is the loop that
`seqpoint run` measures. The other functions are the commands for parts of that:

    import numpy as np

    lengths = np.loadtxt("lengths.txt", int)  # of every sample, in the order of the data set
    points = seqpoint.select(lengths, sampler="pytorch", batch_size=32, seed=1, points=8)
    for point in points["points"]:
        print(point["id"], point["src_len"], point["weight"])
    whole = seqpoint.project(points, {"old": "old.csv", "new": "new.csv"})
    print(whole["configurations"][0]["metrics"]["runtime_s"])

Keyword arguments are the options of the command line with underscores: `batch_size=32` is
`--batch-size 32`. True sets a flag, False and None omit the option, and a list repeats it.
`seqpoint select --help` lists the options of select(). Each function runs the program once and
waits for it. `call` runs any other command.

These functions return a dict (Result). A notebook shows it as the program's HTML page, and
`to_pandas()` converts it to a table.

While the program runs, its warnings and notes go to the logger "seqpoint", at the levels WARNING
and INFO. A notebook also shows its progress. If the program exits with an error, the function
raises Error.

The program is the one that the environment variable SEQPOINT_PROGRAM names; else the one that was
installed with this package; else `seqpoint` on the PATH.
"""

from __future__ import annotations

import csv
import html
import importlib.metadata
import importlib.util
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .iterating import iterate
from .measuring import AnyPath, Build, Interval, Measurement, Process, measure

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Build",
    "Error",
    "Interval",
    "LimitExceeded",
    "Measurement",
    "Process",
    "Result",
    "call",
    "iterate",
    "measure",
    "program",
    "project",
    "scan",
    "select",
    "summary",
]

Columns = Mapping[str, Sequence[Any]]
#: Paths of manifests, which are read in this order; or lengths as a list, an array or anything that
#: NumPy converts to one, of shape (samples,) or, for pairs, (samples, 2); or the columns of a batch
#: list, as `scan` returns them or as a pandas table.
Data = Union[
    AnyPath,
    Sequence[AnyPath],
    Sequence[float],
    Sequence[Tuple[float, float]],
    "np.ndarray[Any, Any]",
    Columns,
]
#: SeqPoints: a path, or the result of `select`.
Points = Union[AnyPath, Mapping[str, Any]]
#: Files of a configuration, or columns of measurements: `point` (or src_len, ..., or iteration) and
#: `runtime_s`.
Profile = Union[AnyPath, Sequence[AnyPath], Columns]

_LOGGER = logging.getLogger("seqpoint")
_LIMIT = 1  # exit status: done, but a limit is not met
_WIPE = b"\r\x1b[K"  # written before a line of progress, and to erase it


class Error(RuntimeError):
    """The program's error message.

    `status` is its exit status: 2 bad usage, 3 bad input, 4 could not write.
    """

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class LimitExceeded(Error):
    """A limit is not met (max_regression, require_weight, ...).

    `result` is the return value that the function would have had.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message, _LIMIT)
        self.result = result


class Result(Dict[str, Any]):
    """A function's result: a dict that notebooks show as a page, and pandas as a table."""

    def __init__(self, values: Mapping[str, Any], table: str = "", page: str = ""):
        """`table`: CSV, if `values` lacks the table. `page`: HTML, or "" if there is none."""
        super().__init__(values)
        self._table, self._page = table, page

    def to_pandas(self) -> Any:
        """A DataFrame with one row per iteration or SeqPoint.

        Other results give the table of `--export csv`.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise ImportError(
                "to_pandas() needs pandas: apt-get install python3-pandas, or pip install "
                "pandas; without it, the result is "
                "a dict all the same, and export='csv=FILE' writes the table of summary or project"
            ) from None
        if not self._table:
            return pandas.DataFrame(self.get("points", dict(self)))
        names = {"configuration": str, "metric": str, "point": str}  # also "1" and "NA"
        return pandas.read_csv(
            io.StringIO(self._table), dtype=names, keep_default_na=False, na_values=[""]
        )

    def _repr_html_(self) -> Optional[str]:
        """The representation in notebooks: the HTML page in an iframe.

        Results without a page are shown as a table, if pandas is installed.
        """
        if not self._page:
            has_pandas = importlib.util.find_spec("pandas")
            return str(self.to_pandas()._repr_html_()) if has_pandas else None
        frame = 'sandbox="allow-scripts" style="width:100%;height:40em;border:0"'
        return f'<iframe {frame} srcdoc="{html.escape(self._page)}"></iframe>'


def __getattr__(name: str) -> str:
    """`__version__`: of the package if it is installed, else of the program."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return importlib.metadata.version(__name__)
    except importlib.metadata.PackageNotFoundError:
        return call("--version").split()[-1]


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
    """The program's standard output for these arguments: seqpoint.call("plan", "points.json").

    `input` is its standard input.
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


def _numpy() -> Any:
    """NumPy, imported when arrays are made: the program and pytest's plug-in do without."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise ImportError(
            "the arrays of this function need NumPy: pip install numpy, or apt-get install "
            "python3-numpy"
        ) from None


def scan(data: Data, **options: Any) -> Result:
    """The iterations of a run: one array per column (`iteration`, `src_len`, `batch_size`, ...).

    With rows=True, `rows` is a list with one entry per iteration, which is a list of data set rows
    (an array) for each rank.
    """
    words, text = _on(data, "scan")
    return Result(_columns(call(*words, *_flags(options), input=text)))


def select(data: Data, **options: Any) -> Result:
    """SeqPoints of a run (schema: `seqpoint list schemas seqpoints`)."""
    words, text = _on(data, "select")
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        page = Path(folder) / "page.html"
        artefact = call(*words, *_flags(options), f"--export=html={page}", "-o", "-", input=text)
        return Result(json.loads(artefact), page=page.read_text(encoding="utf-8"))


def summary(data: Data, **options: Any) -> Result:
    """The summary of a run before anything runs (schema: `seqpoint list schemas forecast`)."""
    words, text = _on(data, "scan")
    return _result([*words, "--summary"], options, input=text)


def project(points: Points, profiles: Mapping[str, Profile], **options: Any) -> Result:
    """The projection of the whole run (schema: `seqpoint list schemas projection`).

    `profiles` maps names of builds to profiles.
    """
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        words: List[str] = ["project", _file(points, folder)]
        for number, (name, profile) in enumerate(profiles.items()):
            if "=" in name:
                raise ValueError(f"'{name}': the name of a build cannot hold '='")
            for file in _files(profile, Path(folder) / f"profile-{number}.csv"):
                words.append(f"--profile={name}={os.fspath(file)}")
        return _result(words, options, page=True)


def _result(
    words: Sequence[str],
    options: Mapping[str, Any],
    page: bool = False,
    input: Optional[bytes] = None,
) -> Result:
    """Runs a command. The Result has its JSON, the table as CSV and, on request, the page."""
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        table, drawn = Path(folder) / "table.csv", Path(folder) / "page.html"
        exports = [f"--export=csv={table}"] + ([f"--export=html={drawn}"] if page else [])
        try:
            text, exceeded = call(*words, *_flags(options), *exports, "--json", input=input), ""
        except LimitExceeded as error:
            text, exceeded = error.result, str(error)
        html_text = drawn.read_text(encoding="utf-8").replace(folder + os.sep, "") if page else ""
        result = Result(json.loads(text), table.read_text(encoding="utf-8"), html_text)
    if exceeded:
        raise LimitExceeded(exceeded, result)
    return result


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


def _path(path: AnyPath) -> str:
    """The path as text, also if it begins with a hyphen like an option."""
    text = os.fspath(path)
    return os.path.join(os.curdir, text) if text.startswith("-") and text != "-" else text


def _on(data: Any, command: str) -> Tuple[List[str], Optional[bytes]]:
    """The command for paths of manifests; for other data also the bytes for standard input."""
    if isinstance(data, (str, os.PathLike)):
        return [command, _path(data)], None
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        return [command, "-"], _csv(data).encode("utf-8")
    given = list(data) if isinstance(data, (list, tuple)) else []
    if given and all(isinstance(one, (str, os.PathLike)) for one in given):
        return [command, *map(_path, given)], None
    return [command, "-"], _lengths_csv(_lengths(data))


def _lengths_csv(lengths: np.ndarray[Any, Any]) -> bytes:
    """One row per sample: its length, or the two lengths of a pair."""
    columns = lengths if lengths.ndim == 2 else lengths.reshape(-1, 1)
    if lengths.ndim > 2 or columns.shape[1] > 2:
        raise TypeError(
            "lengths have the shape (samples,), or (samples, 2) for pairs; this array has "
            f"{lengths.shape}"
        )
    header = "src_len,tgt_len" if columns.shape[1] == 2 else "src_len"
    rows = (",".join(map(str, row)) for row in columns.tolist())
    return "\n".join([header, *rows, ""]).encode("ascii")


def _lengths(data: Any) -> np.ndarray[Any, Any]:
    numpy = _numpy()
    try:
        lengths = numpy.asarray(data)
    except (TypeError, ValueError):  # rows of different lengths
        lengths = numpy.empty((), dtype=object)
    if lengths.size == 0 or lengths.ndim == 0 or lengths.dtype.kind not in "iuf":
        raise TypeError(
            "neither paths of manifests, nor lengths (one number per sample, two for pairs), nor "
            f"columns of a trace by name: {repr(data)[:80]}"
        )
    return cast("np.ndarray[Any, Any]", lengths)


def _file(artefact: Points, folder: str) -> str:
    """The path of points. Points without a file are written to the folder first."""
    if not isinstance(artefact, Mapping):
        return _path(artefact)
    written = Path(folder) / "points.json"
    written.write_text(json.dumps(artefact), encoding="utf-8")
    return str(written)


def _files(profile: Any, written: Path) -> Sequence[AnyPath]:
    """The files of a build; columns are written to a file first."""
    if isinstance(profile, (str, os.PathLike)):
        return [profile]
    if isinstance(profile, Mapping) or hasattr(profile, "columns"):
        written.write_text(_csv(profile), encoding="utf-8")
        return [written]
    return list(profile)


def _csv(columns: Any) -> str:
    """Columns as CSV; NumPy's numbers with all their digits."""
    numpy = _numpy()
    lengths = {name: len(columns[name]) for name in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of different lengths: {lengths}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name for name in lengths if name != "rows"]
    writer.writerow(names)
    writer.writerows(zip(*(numpy.asarray(columns[name]).tolist() for name in names)))
    return text.getvalue()


def _columns(text: str) -> Dict[str, Any]:
    numpy = _numpy()
    rows = list(csv.reader(io.StringIO(text)))
    columns: Dict[str, Any] = {}
    for name, cells in zip(rows[0], zip(*rows[1:])):
        if name == "rows":
            columns[name] = [
                [numpy.array(rank.split(), dtype=numpy.int64) for rank in cell.split("|")]
                for cell in cells
            ]
        else:
            numbers = numpy.array(cells, dtype=numpy.float64)
            whole = all(cell.lstrip("-").isdigit() for cell in cells)
            columns[name] = numpy.array(cells, dtype=numpy.int64) if whole else numbers
    return columns
