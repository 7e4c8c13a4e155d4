"""Tables with base files in Lance format."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tests.interop.rows import WIDE, batch
from tests.interop.story import Step, Story, Write

from .common import BY_PART, COW, EVENT_TIME, METADATA, MOR, version

__all__ = ["lance"]

_COLUMNS = pa.schema([field for field in WIDE if field.name != "props"])
"""Columns without the map, for which Lance has no encoding in the files that Hudi writes."""

_LANCE = {
    **version(9),
    **METADATA,
    "hoodie.table.base.file.format": "LANCE",
    "hoodie.write.record.merge.custom.implementation.classes": "org.apache.hudi.DefaultSparkRecordMerger",
}


def lance() -> Iterator[Story]:
    """Yield a copy-on-write table, a merge-on-read table with logs, and one whose logs were compacted."""
    yield Story("cow9-lance", {**COW, **_LANCE}, _changes(), lance=True)
    yield Story("mor9-lance", {**MOR, **_LANCE, **EVENT_TIME, **BY_PART}, _changes(), lance=True)
    compacted = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    later = [
        Write(batch(["e", "j"], 35, schema=_COLUMNS), options=compacted),
        Write(batch(["b", "i"], 40, schema=_COLUMNS)),
    ]
    yield Story("mor9-lance-compacted", {**MOR, **_LANCE}, [*_changes(), *later], lance=True)


def _changes() -> list[Step]:
    return [
        Write(batch(["a", "b", "c:y", "d:y", "e", "f:z"], 10, schema=_COLUMNS), "insert"),
        Write(batch(["a", "g", "c:y"], 20, schema=_COLUMNS)),
        Write(batch(["b", "h:z"], 5, schema=_COLUMNS)),
        Write(batch(["a", "d:y"], 30, schema=_COLUMNS), "delete"),
        Write(batch(["d:y", "e"], 15, schema=_COLUMNS)),
    ]
