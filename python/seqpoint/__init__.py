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

Keyword arguments, but for those of measure(), are the options of the command line with underscores:
`batch_size=32` is `--batch-size 32`. True sets a flag, False and None omit the option, and a list
repeats it.
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
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .calling import Error, LimitExceeded, call, flags_of, program
from .iterating import iterate
from .measuring import AnyPath, Build, Interval, Measurement, Process, Share, measure

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
#: Points: a path, or the result of `select`.
Points = Union[AnyPath, Mapping[str, Any]]
#: Files of a build, or columns of measurements: `point` (or src_len, ..., or iteration) and
#: `runtime_s`.
Profile = Union[AnyPath, Sequence[AnyPath], Columns]


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


def _numpy() -> Any:
    """NumPy, imported when arrays are made: the program and pytest's plug-in do without."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise ImportError(
            "the arrays of this function need NumPy: pip install numpy, or apt-get install "
            "python3-numpy"
        ) from None


def scan(
    data: Data,
    *,
    sampler: Optional[str] = None,
    batch_size: Optional[int] = None,
    seed: Optional[int] = None,
    drop_last: bool = False,
    world_size: Optional[int] = None,
    epochs: Optional[int] = None,
    tgt: Optional[AnyPath] = None,
    length_field: Optional[str] = None,
    rows: bool = False,
    **options: Any,
) -> Result:
    """The batches of a run, as its loader would make them. Nothing is trained.

        seqpoint.scan([12, 57, 31, 8], sampler="sorted", batch_size=2)["src_len"]  # array([12, 57])

    data          paths of manifests, lengths of shape (samples,) or (samples, 2), or a batch list
    sampler       how the loader orders samples: "sorted", "pytorch", ... ["sequential"]
    batch_size    samples of a batch on one rank
    seed          of the sampler [0]
    drop_last     whether the incomplete last batch is left out
    world_size    data-parallel ranks [1]
    epochs        number of epochs, which follow one another [1]
    tgt           the target side of parallel data
    length_field  column or JSON key that holds the length
    rows          whether `rows` is a column: of each batch a list with an array of data set rows
                  for each rank

    Returns one array per column, with one entry per batch: `iteration`, `src_len` (padded, in
    tokens or frames), `batch_size` (samples), ... Raises Error for data or options that are wrong.
    """
    given = _options(locals(), "data")
    words, text = _on(data, "scan")
    return Result(_columns(_call(*words, *flags_of(given), input=text)))


def select(
    data: Data,
    *,
    sampler: Optional[str] = None,
    batch_size: Optional[int] = None,
    seed: Optional[int] = None,
    points: Optional[int] = None,
    max_error: Optional[Share] = None,
    budget: Union[int, str, None] = None,
    processes: Optional[int] = None,
    method: Optional[str] = None,
    **options: Any,
) -> Result:
    """Which batches to measure, and the weight of each (schema: `seqpoint list schemas seqpoints`).

        points = seqpoint.select("train.csv", sampler="pytorch", batch_size=32, points=8)["points"]
        points[0]["src_len"], points[0]["weight"]   # tokens or frames; batches that it stands for

    data, sampler, batch_size, seed, and further options: as of scan()
    points     their number [until the expected error is max_error]
    max_error  share of the epoch's time, one standard deviation: 0.015 or "1.5%" [0.015]
    budget     what measuring may cost: batches, or a time ("15min"; needs `timings`)
    processes  that measure every point [2]
    method     `seqpoint list methods` ["calibrated"]

    Raises Error for data or options that are wrong, or a max_error that cannot be reached.
    """
    flags = flags_of(_options(locals(), "data"))
    words, text = _on(data, "select")
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        page = Path(folder) / "page.html"
        artefact = _call(*words, *flags, f"--export=html={page}", "-o", "-", input=text)
        return Result(json.loads(artefact), page=page.read_text(encoding="utf-8"))


def summary(data: Data, **options: Any) -> Result:
    """Padding, shapes and memory of a run before anything runs.

        seqpoint.summary("train.csv", batch_size=32)["run"]["padded_tokens"]

    The options are those of scan(). Schema: `seqpoint list schemas forecast`.
    """
    words, text = _on(data, "scan")
    return _result([*words, "--summary"], options, input=text)


def project(
    points: Points,
    profiles: Union[AnyPath, Sequence[AnyPath], Mapping[str, Profile]],
    *,
    metric: Union[str, Sequence[str], None] = None,
    max_regression: Optional[Share] = None,
    against: Optional[AnyPath] = None,
    explain: bool = False,
    **options: Any,
) -> Result:
    """The time of the whole run, from measurements of its points.

        whole = seqpoint.project("points.json", {"old": "old.csv", "new": "new.csv"})
        whole["configurations"][0]["metrics"]["runtime_s"]["value"]   # seconds

    points          what select() returns, or its file
    profiles        {build: its measurements}: a file, several files of processes, or columns; of a
                    single build also its file or files alone
    metric          columns to project ["runtime_s", else all costs]
    max_regression  share that a build may be slower than the first: 0.03 or "3%"
    against         an earlier projection to compare with
    explain         whether `explanation` tells what makes intervals wide

    Schema: `seqpoint list schemas projection`. Raises Error for files that are wrong or do not
    belong together, and LimitExceeded, with the result, if `max_regression` does not hold.
    """
    given = _options(locals(), "points", "profiles")
    if hasattr(profiles, "columns"):
        raise TypeError("profiles: a table needs the name of its build: {'new': table}")
    with tempfile.TemporaryDirectory(prefix="seqpoint-") as folder:
        words: List[str] = ["project", _file(points, folder)]
        if not isinstance(profiles, Mapping):
            words += map(_path, _files(profiles, Path(folder)))
            return _result(words, given, page=True)
        for number, (name, profile) in enumerate(profiles.items()):
            if "=" in name:
                raise ValueError(f"'{name}': the name of a build cannot hold '='")
            for file in _files(profile, Path(folder) / f"profile-{number}.csv"):
                words.append(f"--profile={name}={os.fspath(file)}")
        return _result(words, given, page=True)


def _options(arguments: Mapping[str, Any], *others: str) -> Dict[str, Any]:
    """The options among the locals() with which a function begins, without its other arguments."""
    named = {name: arguments[name] for name in arguments if name not in (*others, "options")}
    return {**named, **arguments["options"]}


def _call(*arguments: Any, input: Optional[bytes] = None) -> str:
    """call(), whose error names arguments of these functions."""
    try:
        return call(*arguments, input=input)
    except LimitExceeded:
        raise
    except Error as error:
        raise Error(_in_python(str(error)), error.status) from None


def _in_python(message: str) -> str:
    """A message of the program with Python's names: max_error for --max-error.

    A line with a command of a shell stays as it is.
    """
    return "\n".join(line if "seqpoint" in line else _named(line) for line in message.splitlines())


def _named(line: str) -> str:
    builds = r"--profile (\w+)=([^\s;,]+)"

    def profiles(of: Any) -> str:
        return f"profiles={dict(re.findall(builds, of[0]))}"

    text = re.sub(f"{builds}(?: {builds})*", profiles, line)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda of: of[1].replace("-", "_"), text)


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
            text, exceeded = _call(*words, *flags_of(options), *exports, "--json", input=input), ""
        except LimitExceeded as error:
            text, exceeded = error.result, str(error)
        html_text = drawn.read_text(encoding="utf-8").replace(folder + os.sep, "") if page else ""
        result = Result(json.loads(text), table.read_text(encoding="utf-8"), html_text)
    if exceeded:
        raise LimitExceeded(exceeded, result)
    return result


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
            f"columns of a batch list by name: {repr(data)[:80]}"
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
