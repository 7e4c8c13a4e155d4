"""Tables of each type and version, with columns of all types."""

from __future__ import annotations

from collections.abc import Iterator

from tests.interop.story import Story

from .common import BY_PART, COW, EVENT_TIME, MOR, OVERWRITE, PARQUET_LOGS, changes, version

__all__ = ["plain_tables"]


def plain_tables() -> Iterator[Story]:
    """Yield stories of tables of each type and version, with columns of all types."""
    for number in (6, 8, 9):
        yield Story(f"cow{number}", {**COW, **version(number)}, changes())
        yield Story(f"mor{number}-avro", {**MOR, **version(number)}, changes())
    for number in (6, 9):
        yield Story(f"mor{number}-parquet", {**MOR, **version(number), **PARQUET_LOGS, **BY_PART}, changes())
        yield Story(f"mor{number}-event-time", {**MOR, **version(number), **EVENT_TIME}, changes())
        yield Story(f"mor{number}-commit-time", {**MOR, **version(number), **OVERWRITE}, changes())
    unordered = {"hoodie.datasource.write.precombine.field": ""}
    yield Story("mor9-unordered", {**MOR, **version(9), **unordered}, changes())
    for release, number in (("0.15.0", 6), ("1.0.2", 8)):
        older = {} if release == "0.15.0" else {"hoodie.write.auto.upgrade": "false"}
        yield Story(f"cow{number}-by-{release}", {**COW, **older}, changes(), release)
        yield Story(f"mor{number}-by-{release}", {**MOR, **older, **BY_PART}, changes(), release)
        yield Story(f"mor{number}-parquet-by-{release}", {**MOR, **older, **PARQUET_LOGS}, changes(), release)
