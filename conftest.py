"""The environment of tests, their marks and their order."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from tests.support.pyspark_release import lacking_pyspark

pytest_plugins = (
    "tests.support.fixtures.hudi_tables",
    "tests.support.fixtures.spark_session",
    "tests.support.fixtures.store_servers",
)
"""The fixtures of all tests. Those of plugins use the tables and servers."""

# The JVMs of tests run many small jobs and end soon: optimised code costs more to compile than it saves.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Files of tests need not survive a power failure, and waiting for the disk takes a large part of a small commit. The
# nightly run waits, as users do.
if os.environ.get("HOODOO_SYNC_FILES", "0") == "0":
    os.fsync = lambda descriptor: None  # type: ignore[assignment]

SESSIONS = {"spark", "hoodoo_spark", "hoodoo_spark_table"}
"""Fixtures that start a Spark session."""

OLD_WARNINGS = (
    "The distutils package is deprecated:DeprecationWarning",
    "distutils Version classes are deprecated:DeprecationWarning",
    "unclosed <socket:ResourceWarning",
    "Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
)
"""Warnings of the code of PySpark before 4.1, which do not fail tests."""

LONGEST = (
    "tests/spark_sessions/",
    "tests/repository/third_party/",
    "core/tests/cli/",
    "core/tests/spark/",
    "tests/rows_written/",
    "tests/damage/",
    "tests/cookbook/",
)
"""Folders whose files take longest, in the order in which they begin."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the profile `fast` of hypothesis before its plugin loads it, and filters of warnings of old releases."""
    if find_spec("pyspark") is not None and version("pyspark").startswith(("3.", "4.0.")):
        for text in OLD_WARNINGS:
            config.addinivalue_line("filterwarnings", f"ignore:{text}")
    if config.getoption("--hypothesis-profile", None) == "fast":
        from hypothesis import settings

        settings.register_profile("fast", max_examples=10, deadline=None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need another PySpark or a Spark session, tests of the kit and nightly cases, and sort the tests.

    The longest files run first, so that parallel processes end at about the same time.
    """
    for item in items:
        for marker in item.iter_markers("needs_pyspark"):
            if (reason := lacking_pyspark(*marker.args)) is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
        if SESSIONS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("spark")
        if getattr(item, "function", pytest_configure).__module__.startswith("hoodoo.testing"):
            item.add_marker("slow")
        representatives = list(item.iter_markers("representatives"))
        if representatives and not any(_is_given(item, marker.kwargs) for marker in representatives):
            item.add_marker("nightly")
    for item in _unneeded([item for item in items if item.get_closest_marker("each_value")]):
        item.add_marker("nightly")
    items.sort(key=lambda item: next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), 99))


def _unneeded(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield cases without which each value of each parameter still occurs in a case of its test.

    Of the cases of a test, the one with the most values that do not occur yet is kept first; of several such cases, the
    one whose values occur least often, so that no value is preferred.
    """
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        # values need not be hashable
        values = {case: {(name, id(value)) for name, value in case.callspec.params.items()} for case in cases}  # type: ignore[attr-defined]
        missing, uses = set().union(*values.values()), Counter[tuple[str, int]]()

        def worth(case: pytest.Item, values=values, missing=missing, uses=uses) -> tuple[int, int]:
            return len(values[case] & missing), -sum(uses[value] for value in values[case])

        while missing:
            kept = values.pop(max(values, key=worth))
            uses.update(kept)
            missing -= kept
        yield from values


def _is_given(item: pytest.Item, kept: dict[str, Collection[object]]) -> bool:
    """Return whether each named parameter of a test has one of the given values."""
    parameters = item.callspec.params  # type: ignore[attr-defined]
    return all(parameters[name] in values for name, values in kept.items())
