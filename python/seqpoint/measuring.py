"""`seqpoint run` as a function: the time of an epoch, or the difference of two builds."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shlex
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .calling import LimitExceeded, call, flags_of

AnyPath = Union[str, "os.PathLike[str]"]
#: A program with its arguments, or a text for a shell.
Command = Union[str, Sequence[AnyPath]]
#: A share, 0.02, or a text, "2%".
Share = Union[float, str]
#: Seconds, or a text: "90s", "30min", "2h".
Duration = Union[float, str]

METRIC = "runtime_s"
FOLDER = "seqpoint-run"

_LOGGER = logging.getLogger("seqpoint")


@dataclasses.dataclass(frozen=True)
class Interval:
    """An estimate, with its 95 % interval; None: it cannot be stated."""

    value: float
    low: Optional[float]
    high: Optional[float]


@dataclasses.dataclass(frozen=True)
class Process:
    """What one process alone says of the epoch, in seconds."""

    name: str  #: its measurements: "seqpoint-run/run-1.csv"
    epoch: Interval
    disturbed: bool  #: whether other work slowed it down


@dataclasses.dataclass(frozen=True)
class Build:
    """The epoch of one build."""

    name: str  #: "run" if it has none
    epoch: Interval  #: seconds
    #: Over the first build: above 1 is faster. None if builds have different batches: their
    #: comparison is in Measurement.text.
    speedup: Optional[Interval]
    #: Empty: one process that ran no consecutive batches, or whose points ran once.
    processes: List[Process]
    phases: Dict[str, float]  #: seconds of the epoch: "forward_s", ...; empty if not measured


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The result of a run."""

    builds: Dict[str, Build]  #: by their names, in the order given
    report: Path  #: the page; of several with different batches the first
    text: str = dataclasses.field(repr=False)  #: as the command prints it
    #: All values, of several builds with different batches a part for each (schema: projection).
    parts: List[Dict[str, Any]] = dataclasses.field(repr=False)

    @property
    def epoch(self) -> Interval:
        """Seconds."""
        return self._only().epoch

    @property
    def processes(self) -> List[Process]:
        return self._only().processes

    @property
    def phases(self) -> Dict[str, float]:
        """Seconds of the epoch."""
        return self._only().phases

    def _only(self) -> Build:
        if len(self.builds) > 1:
            raise ValueError(f"several builds: name one, as in builds[{next(iter(self.builds))!r}]")
        return next(iter(self.builds.values()))


def measure(
    command: Union[Command, Mapping[str, Command]],
    *,
    precision: Optional[Share] = None,
    max_processes: Optional[int] = None,
    max_time: Optional[Duration] = None,
    points: Optional[int] = None,
    max_error: Optional[Share] = None,
    budget: Optional[int] = None,
    epochs: Optional[int] = None,
    batches: Optional[int] = None,
    loader: Optional[int] = None,
    order: Optional[AnyPath] = None,
    signature: Optional[str] = None,
    max_regression: Optional[Share] = None,
    on_inconclusive: Optional[str] = None,
    allow_writes: bool = False,
    phases: bool = True,
    start_timeout: Optional[Duration] = None,
    folder: AnyPath = FOLDER,
    resume: bool = False,
) -> Measurement:
    """Measures a training job as `seqpoint run` does: the time of its epoch, or of each build's.

        done = seqpoint.measure(["python", "train.py"], max_time="20min")
        done.epoch.value, done.epoch.low, done.epoch.high   # seconds

    command          a program with its arguments, a shell command as a string, or {build: one}
    precision        half-width of the interval at which it stops, a share: 0.02 or "2%" [0.02]
    max_processes    of each build [6]
    max_time         for all that it does: seconds, or "20min"
    points           number of shapes to measure [by what a start and a batch cost]
    max_error        expected error of the points, a share; in place of `points`
    budget           batches of the first two processes; in place of `points`
    epochs           number of epochs that are measured [1]
    batches          of an epoch, if the job's loop leaves its loader early
    loader           which pass over a DataLoader trains, from 1
    order            the epoch's batches, which `python3 -m seqpoint_companion order` wrote
    signature        "module:function" that returns the lengths of a batch
    max_regression   share that a build may be slower than the first
    on_inconclusive  "pass" or "fail" ["pass"]
    allow_writes     whether it goes on if native code or other programs change old files
    phases           whether a batch's time is broken down [True]
    start_timeout    for the first batch: seconds, or "10min" ["10min"]
    folder           where the run is written, new or empty ["seqpoint-run"]
    resume           whether it goes on with what is in `folder`; else a second call needs another

    Raises Error, also if `folder` has a run and `resume` is not set; and LimitExceeded, with the
    result, if `max_regression` does not hold.
    """
    options = {name: value for name, value in locals().items() if name not in ("command", "folder")}
    for name in ("max_time", "start_timeout"):
        options[name] = in_words(options[name])
    options["no_phases"] = not options.pop("phases")
    options["resume" if options.pop("resume") else "output"] = folder
    words = ["run", *flags_of(options), "--", *words_of(command)]
    problems: Optional[str] = None
    try:
        text = call(*words)
    except LimitExceeded as error:
        text, problems = error.result, str(error)
    verdicts = [line for line in text.splitlines() if line.startswith(("FAIL  ", "INCONCLUSIVE  "))]
    for line in verdicts:
        if line.startswith("INCONCLUSIVE"):
            _LOGGER.warning(line)
    result = result_of(text, Path(folder))
    if problems is not None:
        raise LimitExceeded("\n".join(filter(None, [*verdicts, problems])), result)
    return result


def in_words(duration: Optional[Duration]) -> Optional[str]:
    return f"{duration}s" if isinstance(duration, (int, float)) else duration


def words_of(command: Union[Command, Mapping[str, Command]]) -> List[str]:
    """The words of the command line after `--`."""
    if isinstance(command, Mapping):
        return [f"{name}={in_shell(each)}" for name, each in command.items()]
    # The program would take a single word for a text or a build.
    if isinstance(command, str) or len(command) == 1:
        return ["sh", "-c", in_shell(command)]
    return [os.fspath(word) for word in command]


def in_shell(command: Command) -> str:
    if isinstance(command, str):
        return command
    return " ".join(shlex.quote(os.fspath(word)) for word in command)


def result_of(text: str, folder: Path) -> Measurement:
    """The result that the program has written, in one file, or in one for each build.

    Builds that draw different batches have one each, in which they are their own baselines.
    """
    files = [folder / "projection.json"]
    shared = files[0].exists()
    if not shared:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        names = [build["name"] for build in record["request"]["builds"]]
        files = [folder / f"{name}-projection.json" for name in names]
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    builds = [build_of(each, shared) for part in parts for each in part["configurations"]]
    pages = [file.with_name(file.name.replace("projection.json", "report.html")) for file in files]
    return Measurement({build.name: build for build in builds}, pages[0], text, parts)


def build_of(values: Mapping[str, Any], is_compared: bool) -> Build:
    return Build(
        name=values["name"],
        epoch=interval_of(values["metrics"][METRIC]),
        speedup=interval_of(values["speedup"][METRIC]) if is_compared else None,
        processes=list(map(process_of, values.get("processes", []))),
        phases={name: each["seconds"] for name, each in values.get("phases", {}).items()},
    )


def process_of(values: Mapping[str, Any]) -> Process:
    epoch = interval_of({**values, "value": values["estimate"]})
    return Process(values["name"], epoch, values["disturbed"])


def interval_of(values: Mapping[str, Any]) -> Interval:
    return Interval(values["value"], values.get("low"), values.get("high"))
