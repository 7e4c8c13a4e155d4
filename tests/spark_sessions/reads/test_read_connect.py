"""A Spark Connect session reads like a classic one. It needs a separate process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="Spark Connect needs the extra pyspark[connect]")

pytestmark = pytest.mark.spark


@pytest.mark.usefixtures("connect_port")
def test_reads_over_connect(run_script: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    seen = run_script("connect_read_job.py", tmp_path)
    assert seen.pop("session").startswith("pyspark.sql.connect.")
    before, after = seen.pop("before"), seen.pop("after")
    counts = {name: len(by_spark) for name, (by_spark, _) in seen.items()}
    of_logs = {"logs": 4, "changes in logs": 4, "read optimized": 4, "changes": 6}
    assert counts == {"many": 400, "as of": 400, "incremental": 8, **of_logs}
    for name, (by_spark, by_arrow) in seen.items():
        assert by_spark == by_arrow, name
    # each query lists folders again: a missing file must be noticed
    assert before == 400
    assert "is missing; if a cleaner removed it during the query, read again" in after
