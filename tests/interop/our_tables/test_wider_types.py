"""Rows that hoodoo wrote before and after columns got wider types, read by Hudi."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.comparing import parquet_table
from tests.interop.processes.hudi_side import HudiSide
from tests.support.wider_types import ROWS, widened_table

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]


@pytest.mark.parametrize(
    ("version", "release", "table_type"),
    [
        (6, "0.15.0", "COPY_ON_WRITE"),
        # Hudi 0.15.0 does not read logs of the narrower types: ALTER TABLE requires a compaction first
        (9, "1.2.0", "COPY_ON_WRITE"),
        (9, "1.2.0", "MERGE_ON_READ"),
    ],
)
def test_hudi_finds_the_values_in_the_wider_types(
    version: int, release: str, table_type: str, hudi: Sides, tmp_path: Path
) -> None:
    path = tmp_path / "wider"
    widened_table(path, table_type=table_type, table_version=version)
    hudi(release).read(path, {}, tmp_path / "read")
    found = parquet_table(tmp_path / "read").select(["id", "n", "x"])
    assert {row["id"]: (row["n"], row["x"]) for row in found.to_pylist()} == ROWS
