"""Generated data against a check, and how a check says that it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hoodoo.errors import PluginFault
from hoodoo.testing.checks.failure_report import report

__all__ = ["each_drawn", "fail", "faults_told"]

T = TypeVar("T")
P = ParamSpec("P")

EXAMPLES = 4
"""Examples of each strategy; the kit has other tests in which every combination of a few values is tried."""
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def fail(headline: str, lines: Iterable[tuple[str, object]], advice: str = "") -> NoReturn:
    """Fail the test with a report and nothing else: the frames between are the kit's, not the author's."""
    pytest.fail(report(headline, lines, advice), pytrace=False)


def faults_told(check: Callable[P, T]) -> Callable[P, T]:
    """A check in which a broken contract fails the test with what the core says about it."""

    @wraps(check)
    def told(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return check(*arguments, **named)
        except PluginFault as fault:
            fail("the plugin breaks its contract", [("fault", fault)])

    return told


def each_drawn(strategies: Iterable[st.SearchStrategy[T]], check: Callable[[T], Any]) -> None:
    """Run a check on examples that hypothesis draws from each strategy; what fails is shrunk first.

    Whether they are the same every time is for hypothesis' profile to say; its profile for continuous integration
    says so.
    """
    told = faults_told(check)
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
            told(example)

        run()
