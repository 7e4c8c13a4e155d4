"""Search for record keys that several rows have, in one partition or in several."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pyarrow as pa

from hoodoo.diagnosis.finding import MOST_PLACES, Finding, Place, Status
from hoodoo.diagnosis.rows.key_hashes import HashCollection, Hashes, Repeated, hashes_of
from hoodoo.diagnosis.rows.table_rows import Progress, TableRows
from hoodoo.diagnosis.wording import counted

__all__ = ["find_duplicates"]

_CHECK = "duplicate keys"
_LIMIT = 100_000
"""Maximum number of repeated hashes of each kind whose keys are compared."""


def find_duplicates(
    source: TableRows, hashes: HashCollection, progress: Progress, *, is_global: bool
) -> Iterator[Finding]:
    """Yield findings about repeated keys. Rows of repeated hashes are read again, and their keys are compared.

    Args:
        source: The rows of the table, of which those with repeated hashes are read again.
        hashes: The hashes of the keys of all rows.
        progress: Function that receives the progress.
        is_global: Whether a key must be unique in the table rather than in its partition.
    """
    found = hashes.repeated(_LIMIT)
    if not len(found.hashes_within) and not len(found.hashes_across):
        yield Finding(_CHECK, Status.OK, f"{counted(source.read_rows, 'row')}: no key occurs twice")
        return
    rows = _rows_of(source, found, progress)
    by_partition = rows.group_by("partition", "key").agg(
        pl.len().alias("rows"), pl.col("file").n_unique().alias("files"), pl.col("file").first()
    )
    within = by_partition.filter(pl.col("rows") > 1).sort("partition", "key")
    everywhere = by_partition.group_by("key").agg(
        pl.len().alias("partitions"), pl.col("partition").min(), pl.col("file").first()
    )
    across = everywhere.filter(pl.col("partitions") > 1).sort("key")
    if len(within):
        groups = within.filter(pl.col("files") > 1).height
        rows_found = _about(found.hashes_within, int(within["rows"].sum()) - len(within), found.within, "row")
        yield Finding(
            _CHECK,
            Status.PROBLEM,
            f"{rows_found} with a record key that another row of the same partition has; {groups:,} of "
            f"{counted(len(within), 'key')} in several file groups; readers return all of these rows, and an upsert "
            "may change only some of them",
            "delete these keys and insert one row for each, or replace the partitions with operation insert_overwrite; "
            "write with upsert, or insert with dup_policy=drop",
            _places(within),
        )
    if len(across):
        keys_found = _about(found.hashes_across, len(across), found.across, "key")
        scope = "the index of the table is global" if is_global else "a key is unique only within its partition"
        yield Finding(
            _CHECK,
            Status.PROBLEM if is_global else Status.INFO,
            f"{keys_found} in several partitions; {scope}",
            "delete the surplus rows" if is_global else "",
            _places(across),
        )
    if not len(within):
        yield Finding(_CHECK, Status.OK, f"{counted(source.read_rows, 'row')}: no key occurs twice in a partition")


def _rows_of(source: TableRows, found: Repeated, progress: Progress) -> pl.DataFrame:
    """Return key, partition and file of the rows whose hash is repeated."""
    read, wanted = source.read_rows, np.union1d(found.hashes_within, found.hashes_across)
    schema = pa.schema([("key", pa.string()), ("partition", pa.string()), ("file", pa.string())])
    parts = [schema.empty_table()]
    damaged = list(source.damaged)
    for batch in source.batches("comparing repeated keys", progress, found.sources):
        keys = batch.keys.filter(pa.array(np.isin(hashes_of(batch.keys), wanted))).cast(pa.string())
        file = batch.split.path or batch.split.file_slice.logs[0].path
        columns = [keys, pa.repeat(batch.split.partition, len(keys)), pa.repeat(file, len(keys))]
        parts.append(pa.Table.from_arrays(columns, schema=schema))
    source.read_rows, source.damaged = read, damaged
    frame = pl.from_arrow(pa.concat_tables(parts))
    if not isinstance(frame, pl.DataFrame):
        raise AssertionError("a table has columns")
    return frame


def _about(hashes: Hashes, compared: int, by_hash: int, noun: str) -> str:
    """Return the number of repeated rows or keys, or of their hashes if not all were compared, with the noun."""
    return f"about {counted(by_hash, noun)}" if len(hashes) >= _LIMIT else counted(compared, noun)


def _places(keys: pl.DataFrame) -> tuple[Place, ...]:
    return tuple(
        Place(file=row["file"], partition=row["partition"], key=row["key"])
        for row in keys.head(MOST_PLACES).iter_rows(named=True)
    )
