"""A gate in pytest: a test fails if the projected run is slower than a stored baseline allows.

    def test_training_is_no_slower(seqpoint_gate):
        profiles = {"main": "measured.csv"}
        seqpoint_gate("points.json", profiles, against="main.json", max_regression="5%")
"""

from __future__ import annotations

import logging
import warnings
from typing import Any, Callable, List, Mapping

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
def seqpoint_gate() -> Callable[..., seqpoint.Result]:
    """A function that runs `seqpoint.project` against an earlier projection and returns its result.

    If the gate fails, the test fails with the gate's
    message. If there is no verdict because of bad usage (2) or bad input (3), the test fails with
    the program's message.
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
