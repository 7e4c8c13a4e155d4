"""Fixtures: PySpark with and without the features of newer releases."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from hoodoo.spark.pyspark_version import Feature

# their modules import PySpark
collect_ignore_glob = [] if find_spec("pyspark") else ["*test_*.py"]


@pytest.fixture(params=[True, False], ids=["as installed", "without newer features"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test twice: with the installed PySpark, and as if it had none of the newer features."""
    if not request.param:
        monkeypatch.setattr(Feature, "is_available", lambda self: False)
