from __future__ import annotations

import pytest

from hoodoo.spark.pyspark_version import Feature


@pytest.fixture(params=[True, False], ids=["as installed", "without newer features"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test twice: with the installed PySpark as it is, and as if it had none of the newer features."""
    if not request.param:
        monkeypatch.setattr(Feature, "is_available", lambda self: False)
