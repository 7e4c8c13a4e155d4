"""Statements in sessions with a Hive metastore, which keeps the names of tables after the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.nightly, pytest.mark.needs_pyspark("4.0")]


def test_a_metastore_keeps_tables_for_later_sessions(run_script: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    rows = [[1, "mon", None], [2, "tue", None]]
    assert run_script("hive_catalogue_job.py", tmp_path) == {"rows": rows, "plain": 2}

    facts = run_script("hive_catalogue_job.py", tmp_path)
    merged = [[1, "mon", None], [2, "tue", "seen"], [3, "wed", None]]
    assert (facts["rows"], facts["plain"]) == (rows, 2)
    assert facts["properties"] == [["hoodie.clean.automatic", "false"]]
    assert facts["merged"] == facts["renamed"] == merged
    assert facts["columns"]["n"] == ["bigint", None]
    assert facts["columns"]["amount"] == ["decimal(10,2)", "euros"]
    assert facts["comment"] is True
    assert facts["left"] == ["plain"]
