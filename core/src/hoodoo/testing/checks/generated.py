"""Checks on generated data, and the failure of a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hoodoo.errors import PluginFault
from hoodoo.testing.checks.failure_report import report

__all__ = ["each_drawn", "fail", "fail_with_fault", "with_faults_reported"]

T = TypeVar("T")
P = ParamSpec("P")

EXAMPLES = 4
"""The number of examples per strategy. Other tests of the kit use all combinations of a few values."""
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def fail(headline: str, lines: Iterable[tuple[str, object]], advice: str = "") -> NoReturn:
    """Fail the test with a report, without a traceback, which would contain only frames of the kit."""
    raise pytest.fail.Exception(report(headline, lines, advice), pytrace=False) from None


def with_faults_reported(check: Callable[P, T]) -> Callable[P, T]:
    """Return a function that runs the check, and reports a `PluginFault` as a failure of the test."""

    @wraps(check)
    def reporting(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return check(*arguments, **named)
        except PluginFault as fault:
            fail_with_fault(fault)

    return reporting


def fail_with_fault(fault: PluginFault) -> NoReturn:
    """Fail the test with the message of a fault, whose second line has the line of the plugin's code, if known."""
    # without its context, which pytest would show before the message
    raise pytest.fail.Exception(f"{fault}\n\nThe plugin breaks its contract.", pytrace=False) from None


def each_drawn(strategies: Iterable[st.SearchStrategy[T]], check: Callable[[T], Any]) -> None:
    """Run a check on examples that hypothesis draws from each strategy, and fail with the smallest failing example.

    With the profile of hypothesis for continuous integration, the examples are the same in all runs.
    """
    reporting = with_faults_reported(check)
    for strategy in strategies:

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            phases=_PHASES,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(strategy)
        def run(example: T) -> None:
            reporting(example)

        run()
