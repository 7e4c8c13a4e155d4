"""Fixtures: tables of the in-process writer, and their diagnosis."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.diagnosis import Diagnosis, Finding, Status, diagnose
from hoodoo.diagnosis.table_state import TableState
from hoodoo.plugin import default_catalogue
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "timeline_timezone": "UTC"}


class Examined:
    """A table in a folder, which a test writes, damages and examines."""

    def __init__(self, path, **options):
        self.path, self.options = path, OPTIONS | options

    @property
    def storage(self):
        return storage_for(self.path)

    def write(self, keys, value=1, partition=None, **more):
        """Write a row with the key `k<n>` for each number n, in `partition`, or else in x (even n) or y (odd n)."""
        keys = list(keys)
        rows = {
            "id": [f"k{n}" for n in keys],
            "p": [partition or "xy"[n % 2] for n in keys],
            "ts": [value] * len(keys),
            "v": [f"v{value}"] * len(keys),
        }
        return write_arrow(pa.table(rows), self.path, self.options | more)

    def files(self, suffix=".parquet"):
        return sorted(info.path for info in self.storage.walk() if info.path.endswith(suffix))

    def set_property(self, key, value):
        file = self.path / ".hoodie/hoodie.properties"
        kept = [line for line in file.read_text().splitlines() if not line.startswith(f"{key}=")]
        file.write_text("\n".join([*kept, *([f"{key}={value}"] if value else []), ""]))

    def state(self) -> TableState:
        properties = load_properties(self.storage)
        return TableState(self.storage, properties, datetime.now(UTC), default_catalogue(), {})

    def diagnose(self, options=None, *, now=None, **more: Any) -> Diagnosis:
        return diagnose(self.path, options, clock=lambda: now or datetime.now(UTC), **more)


def of(diagnosis: Diagnosis, check: str, status: Status | None = None) -> list[Finding]:
    """Return the findings of a check; with a status, only the findings with this status."""
    return [f for f in diagnosis.findings if f.check == check and status in (None, f.status)]


@pytest.fixture
def table(tmp_path):
    """Return a table of six rows in two partitions after one commit."""
    examined = Examined(tmp_path / "t")
    examined.write(range(6))
    return examined


@pytest.fixture
def make(tmp_path):
    """Return a function that returns a table without files, whose writes have the passed options."""
    return lambda **options: Examined(tmp_path / "made", **options)


@pytest.fixture
def found():
    """Return the function `of`, for test modules."""
    return of
