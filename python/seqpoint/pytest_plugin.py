"""A gate in pytest: a test fails where a run is projected to be slower than a stored baseline allows.

    def test_training_is_no_slower(seqpoint_gate):
        seqpoint_gate("points.json", {"main": "measured.csv"}, against="main.json", max_regression="5%")
"""

from __future__ import annotations

import logging
import warnings
from typing import Any, Callable, List, Mapping

import pytest

import seqpoint


class GateWarning(UserWarning):
    """What the program warns of, an inconclusive comparison above all: pytest lists it, the test passes."""


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def seqpoint_gate() -> Callable[..., seqpoint.Result]:
    """A function: `seqpoint.project` against an earlier projection, which it returns. It fails the test in the gate's own words where
    that does not hold, and in the program's where there is no verdict: bad usage (2), bad input (3).
    """
    return _gate


def _gate(
    points: seqpoint.Points,
    profiles: Mapping[str, seqpoint.Profile],
    *,
    against: seqpoint.AnyPath,
    max_regression: Any,
    **options: Any,
) -> seqpoint.Result:
    __tracebackhide__ = True
    heard, logger = _Heard(), logging.getLogger("seqpoint")
    logger.addHandler(heard)
    try:
        result, broken = (
            seqpoint.project(
                points, profiles, against=against, max_regression=max_regression, **options
            ),
            "",
        )
    except seqpoint.LimitExceeded as error:
        broken = str(error)
    except seqpoint.Error as error:
        broken = f"no verdict, status {error.status}: {error}"
    finally:
        logger.removeHandler(heard)
    for text in heard.texts:
        warnings.warn(GateWarning(text), stacklevel=2)
    if broken:
        pytest.fail(broken, pytrace=False)
    return result
