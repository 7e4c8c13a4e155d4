"""Fixtures: kinds of tables, and a function that hides an installed distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

# modules and packages that import PySpark
collect_ignore_glob = (
    []
    if find_spec("pyspark")
    else [
        "*/test_*spark.py",
        "interop/statements",
        "object_stores/test_azure_session.py",
        "object_stores/test_hdfs_session.py",
        "object_stores/test_session_stores.py",
        "rows_written/statements",
    ]
)


@pytest.fixture(
    params=[
        {"table_version": version, **kind}
        for version in (6, 9)
        for kind in (
            {"table_type": "COPY_ON_WRITE"},
            {"table_type": "MERGE_ON_READ", "log_format": "parquet"},
            {"table_type": "MERGE_ON_READ", "log_format": "avro"},
        )
    ],
    ids=lambda given: "-".join(map(str, given.values())),
)
def table_kind(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options that create a kind of table: version, type and format of its logs."""
    kind: dict[str, Any] = request.param
    return kind


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that hides a distribution from the catalogue, as if it were not installed."""
    from hoodoo.plugin import default_catalogue
    from hoodoo.plugin.installed import catalogue

    def overlook(distribution: str) -> None:
        def select(**which: str) -> list[EntryPoint]:
            return [p for p in entry_points(**which) if p.dist is None or p.dist.name != distribution]

        monkeypatch.setattr(catalogue, "entry_points", lambda: SimpleNamespace(select=select))
        default_catalogue.cache_clear()

    yield overlook
    default_catalogue.cache_clear()
