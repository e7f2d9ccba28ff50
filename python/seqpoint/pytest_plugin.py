"""A gate in pytest: a test fails if training is slower than it was, or than another build.

    def test_training_is_no_slower(seqpoint_gate):
        builds = {"old": ["python", "old.py"], "new": ["python", "new.py"]}
        seqpoint_gate(builds, max_regression="5%")

    def test_profiles(seqpoint_gate):
        seqpoint_gate("points.json", {"old": "old.csv", "new": "new.csv"}, max_regression="5%")

    def test_against_an_earlier_projection(seqpoint_gate):
        profiles = {"main": "measured.csv"}
        seqpoint_gate("points.json", profiles, against="main.json", max_regression="5%")
"""

from __future__ import annotations

import functools
import itertools
import logging
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator, List, Mapping, Optional

import pytest

import seqpoint


class GateWarning(UserWarning):
    """A warning of the program, such as an inconclusive comparison.

    Pytest lists it, and the test passes.
    """


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def seqpoint_gate(tmp_path: Path) -> Callable[..., Any]:
    """A function that measures commands, or projects profiles, with a limit; it returns the result.

    Of commands it is `seqpoint.measure`, of profiles `seqpoint.project`: the first is the baseline,
    unless the result is compared with an earlier projection. If the gate fails, the test fails
    with the gate's message. If there is no verdict because of bad usage (2) or bad input (3), the
    test fails with the program's message.
    """
    folders = (tmp_path / f"seqpoint-run-{number}" for number in itertools.count(1))
    return functools.partial(_gate, folders)


def _gate(
    folders: Iterator[Path],
    points_or_commands: Any,
    profiles: Optional[Mapping[str, seqpoint.Profile]] = None,
    *,
    max_regression: Any,
    **options: Any,
) -> Any:
    __tracebackhide__ = True
    options["max_regression"] = max_regression
    result: Any = None
    broken: Optional[str] = None
    heard, logger = _Heard(), logging.getLogger("seqpoint")
    logger.addHandler(heard)
    try:
        if profiles is None:
            options.setdefault("folder", next(folders))
            result = seqpoint.measure(points_or_commands, **options)
        else:
            result = seqpoint.project(points_or_commands, profiles, **options)
    except seqpoint.LimitExceeded as error:
        broken = str(error)
    except seqpoint.Error as error:
        broken = f"no verdict, status {error.status}: {error}"
    finally:
        logger.removeHandler(heard)
    for text in heard.texts:
        warnings.warn(GateWarning(text), stacklevel=2)
    if broken is not None:
        pytest.fail(broken, pytrace=False)
    return result
