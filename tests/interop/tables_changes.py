"""Tables that record changes, for queries in the format `cdc`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from .rows import PLAIN, WIDE, batch
from .story import Instant, Reading, Sql, Step, Story, Write
from .tables_common import BY_PART, COMPACT, COW, MOR, SCHEDULE, version

__all__ = ["changes_recorded"]


def changes_recorded() -> Iterator[Story]:
    """Tables that record changes in each of the three forms of change logs, and in logs of data."""
    for number in (6, 9):
        for mode, schema in (("data_before_after", WIDE), ("data_before", WIDE), ("op_key_only", PLAIN)):
            options = {**COW, **version(number), **BY_PART, **_recorded(mode)}
            yield Story(f"cow{number}-changes-{mode.replace('_', '-')}", options, _steps(schema), readings=_readings)
    compacted: list[Step] = [Sql([SCHEDULE]), Sql([COMPACT])]
    options = {**MOR, **BY_PART, **_recorded("data_before_after")}
    yield Story("mor9-changes", {**options, **version(9)}, _steps(WIDE, compacted), readings=_readings)
    # 0.15.0 shows nested images as addresses in memory
    yield Story("mor6-changes-by-0.15.0", options, _steps(PLAIN, compacted), "0.15.0", readings=_readings)
    small = [*_steps(PLAIN), Write(batch(["n"], 60, schema=PLAIN), "insert")]
    yield Story(
        "cow9-changes-unlogged",
        {**COW, **version(9), **BY_PART, **_recorded("data_before_after")},
        small,
        readings=_readings,
    )


def _recorded(mode: str) -> dict[str, str]:
    return {"hoodie.table.cdc.enabled": "true", "hoodie.table.cdc.supplemental.logging.mode": mode}


def _steps(schema: pa.Schema, between: Sequence[Step] = ()) -> list[Step]:
    """Inserts, an update with an insert, a delete, a late and a newer update, replaced file groups."""
    return [
        Write(batch(["a", "b", "c:y", "e"], 10, schema=schema), "insert"),
        Write(batch(["a", "d", "c:y"], 20, schema=schema)),
        Write(batch(["b"], 30, schema=schema), "delete"),
        *between,
        Write(batch(["a", "e"], 15, schema=schema)),
        Write(batch(["o:y"], 50, schema=schema), "insert_overwrite"),
    ]


def _readings(done: Sequence[Instant]) -> list[Reading]:
    times = [instant.requested for instant in done]
    ranges = {"all": ("000", None), "from_first": (times[0], None), "middle": (times[1], times[-2])}
    return [_reading(f"changes_{name}", begin, end) for name, (begin, end) in ranges.items()]


def _reading(name: str, begin: str, end: str | None) -> Reading:
    hudi = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.query.incremental.format": "cdc",
        "hoodie.datasource.read.begin.instanttime": begin,
    }
    ours = {"query_type": "incremental", "incremental_format": "cdc", "begin": begin}
    if end is not None:
        hudi["hoodie.datasource.read.end.instanttime"] = end
        ours["end"] = end
    return Reading(name, hudi, ours)
