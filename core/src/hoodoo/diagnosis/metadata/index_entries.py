"""Check that the record index and secondary indexes have the rows of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.diagnosis.finding import MOST_PLACES, Finding, Place, Status
from hoodoo.diagnosis.metadata.metadata_state import MetadataState
from hoodoo.diagnosis.wording import counted
from hoodoo.metadata_table import PartitionKind
from hoodoo.metadata_table.index_definitions import source_columns
from hoodoo.reading import Query, plan
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY

__all__ = ["check_record_index", "check_secondary_index"]

_SEPARATOR = "\0"
_ADVICE = "drop this index and create it again with hoodoo table index; create a secondary index with Hudi"


def check_record_index(state: MetadataState) -> Iterator[Finding]:
    """Yield findings about the differences between the record index and the keys of the rows.

    Rows without meta columns are not compared; the reason is added to `state.unread`.
    """
    check = str(PartitionKind.RECORD_INDEX)
    if not state.table.properties.populate_meta_fields:
        state.unread.append(f"{check}: the rows have no meta columns with their keys")
        return
    is_partitioned = any(shard.group for shard in state.metadata.shards(PartitionKind.RECORD_INDEX))
    locations = state.metadata.record_locations()
    known = _names(locations.column("key"), locations.column("partition") if is_partitioned else None)
    places = pc.binary_join_element_wise(
        one_array(locations.column("partition")), one_array(locations.column("file_id")), _SEPARATOR
    )
    seen, right = (np.zeros(len(known), np.bool_) for _ in range(2))
    lacking = _Samples()
    rows = 0
    for split, keys, _ in _rows(state, [RECORD_KEY]):
        rows += len(keys)
        names = _names(keys, pa.array([split.partition] * len(keys), pa.string()) if is_partitioned else None)
        found = pc.index_in(names, value_set=known)
        there = found.is_valid()
        numbers = found.drop_null().to_numpy(zero_copy_only=False)
        lacking.add(keys.filter(pc.invert(there)), split.partition)
        seen[numbers] = True
        here = f"{split.partition}{_SEPARATOR}{split.file_id}"
        right[numbers[pc.equal(places.take(pa.array(numbers)), here).to_numpy(zero_copy_only=False)]] = True
    moved = _Samples().add(one_array(locations.column("key")).filter(pa.array(seen & ~right)))
    extra = _Samples().add(one_array(locations.column("key")).filter(pa.array(~seen)))
    yield from _differences(check, lacking, extra)
    if moved.count:
        yield Finding(
            check,
            Status.PROBLEM,
            f"{counted(moved.count, 'key')} with the location of another file group: lookups do not find the rows of "
            "such keys, and writes insert them again",
            _ADVICE,
            tuple(moved.places),
        )
    if not (lacking.count or extra.count or moved.count):
        yield Finding(check, Status.OK, f"the locations of {counted(rows, 'row')}")


def check_secondary_index(state: MetadataState, partition: str) -> Iterator[Finding]:
    """Yield findings about the differences between a secondary index and the values of its column in the rows.

    An index that cannot be compared has no findings; the reason is added to `state.unread`.
    """
    columns = source_columns(state.table.storage, state.table.properties).get(partition, ())
    fields = state.table.columns
    is_plain = len(columns) == 1 and columns[0] in fields.names and _is_plain(fields.field(columns[0]).type)
    if not is_plain or not state.table.properties.populate_meta_fields:
        state.unread.append(
            f"{partition}: only one column of text, integers or dates is compared, and only if rows have meta columns"
        )
        return
    entries = state.metadata.secondary_entries(partition)
    known = _pairs(one_array(entries.column("value")), one_array(entries.column("key")))
    seen = np.zeros(len(known), np.bool_)
    lacking = _Samples()
    rows = 0
    for split, keys, table in _rows(state, [RECORD_KEY, columns[0]]):
        rows += len(keys)
        found = pc.index_in(_pairs(_texts(one_array(table.column(columns[0]))), keys), value_set=known)
        lacking.add(keys.filter(found.is_null()), split.partition)
        seen[found.drop_null().to_numpy(zero_copy_only=False)] = True
    extra = _Samples().add(one_array(entries.column("key")).filter(pa.array(~seen)))
    yield from _differences(partition, lacking, extra)
    if not (lacking.count or extra.count):
        yield Finding(partition, Status.OK, f"the values of '{columns[0]}' in {counted(rows, 'row')}")


class _Samples:
    """Number of keys, and the places of the first ones."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[Place] = []

    def add(self, keys: pa.Array, partition: str | None = None) -> _Samples:
        """Add keys, and return the object."""
        self.count += len(keys)
        for key in keys[: MOST_PLACES - len(self.places)].to_pylist():
            self.places.append(Place(key=key, partition=partition))
        return self


def _differences(check: str, lacking: _Samples, extra: _Samples) -> Iterator[Finding]:
    if lacking.count:
        yield Finding(
            check,
            Status.PROBLEM,
            f"{counted(lacking.count, 'row')} without an entry: lookups do not find such rows",
            _ADVICE,
            tuple(lacking.places),
        )
    if extra.count:
        yield Finding(
            check,
            Status.PROBLEM,
            f"{counted(extra.count, 'entry')} without a row: lookups read files that lack the key",
            _ADVICE,
            tuple(extra.places),
        )


def _rows(state: MetadataState, columns: Sequence[str]) -> Iterator[tuple[Any, pa.Array, pa.Table]]:
    """Yield batches of the current snapshot: the split, the record keys, and the rows with the given columns."""
    table = state.table
    for split in plan(table.storage, table.properties, table.timeline, Query(columns=list(columns))).splits:
        for batch in split.read():
            rows = pa.Table.from_batches([batch])
            yield split, one_array(rows.column(RECORD_KEY)).cast(pa.string()), rows


def _names(keys: pa.Array | pa.ChunkedArray, partitions: pa.Array | pa.ChunkedArray | None) -> pa.Array:
    keys = one_array(keys) if isinstance(keys, pa.ChunkedArray) else keys
    if partitions is None:
        return keys
    parts = one_array(partitions) if isinstance(partitions, pa.ChunkedArray) else partitions
    return pc.binary_join_element_wise(parts, keys, _SEPARATOR)


def _pairs(values: pa.Array, keys: pa.Array) -> pa.Array:
    """Return each value with its key, as one string; a null differs from every value."""
    marked = pc.if_else(values.is_null(), pa.scalar("n"), pc.binary_join_element_wise("v", values.fill_null(""), ""))
    return pc.binary_join_element_wise(marked, keys, _SEPARATOR)


def _is_plain(type_: pa.DataType) -> bool:
    is_text = pa.types.is_string(type_) or pa.types.is_large_string(type_)
    return bool(is_text or pa.types.is_integer(type_) or pa.types.is_date32(type_))


def _texts(values: pa.Array) -> pa.Array:
    """Return values as a secondary index stores them: as text, and a date as the number of days since 1970-01-01."""
    return (values.cast(pa.int32()) if pa.types.is_date32(values.type) else values).cast(pa.string())
