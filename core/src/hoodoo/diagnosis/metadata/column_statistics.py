"""Check that column statistics equal those in the footers of base files, and that partition statistics contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import pyarrow.parquet as pq
from msgspec import Struct

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.metadata.metadata_state import MetadataState
from hoodoo.diagnosis.wording import counted
from hoodoo.format.file_names import is_lance
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.metadata_table import ColumnStats
from hoodoo.storage import Storage, name_of

__all__ = ["check_column_stats", "check_partition_stats", "footer_stats"]

_EPOCH = datetime(1970, 1, 1)
_ADVICE = "read with hoodie.metadata.enable=false, drop this index, and create it again with hoodoo table index"


class FooterStats(Struct, frozen=True):
    """Statistics of a column in the footer of a base file.

    All except `values` are None if they are unknown; the bounds are also None if there are only nulls.
    """

    minimum: Any
    maximum: Any
    values: int
    nulls: int | None


def check_column_stats(state: MetadataState) -> Iterator[Finding]:
    """Yield findings about statistics of base files that are missing, outdated or different from the footers."""
    check = "column_stats"
    by_file: dict[str, list[ColumnStats]] = {}
    for stats in state.column_stats:
        by_file.setdefault(stats.file, []).append(stats)
    named = {name_of(path) for path in state.files}
    wrong: list[tuple[str, str]] = []
    bare, compared = [], 0
    for file_slice in state.table.slices:
        if file_slice.path is None:
            continue
        found = by_file.get(name_of(file_slice.path), [])
        footer = footer_stats(state.table.storage, file_slice.path)
        if not found and any(column.values for column in footer.values()):
            bare.append(file_slice.path)
        for stats in found:
            if stats.column in footer:
                compared += 1
                if difference := _difference(stats, footer[stats.column]):
                    wrong.append((file_slice.path, difference))
    stale = sorted(by_file.keys() - named)
    if wrong:
        yield Finding(
            check,
            Status.PROBLEM,
            f"{counted(len(wrong), 'column statistic')} of base files unlike those in the footers: queries may leave "
            f"out rows; {wrong[0][1]}",
            _ADVICE,
            first_places(Place(file=path) for path, _ in wrong),
        )
    if bare:
        yield Finding(
            check,
            Status.WARNING,
            f"{counted(len(bare), 'base file')} without statistics: no query can skip such files",
            "drop this index and create it again with hoodoo table index",
            first_places(Place(file=path) for path in bare),
        )
    if stale:
        yield Finding(
            check,
            Status.WARNING,
            f"statistics of {counted(len(stale), 'file')} that partition 'files' of the metadata table does not have",
            "drop this index and create it again with hoodoo table index",
            first_places(Place(file=name) for name in stale),
        )
    if not (wrong or bare or stale):
        files = f"{counted(len(by_file), 'file')}"
        found_equal = f"statistics of {files}; {compared:,} compared with the footers of base files, all equal"
        yield Finding(check, Status.OK, found_equal)


def footer_stats(storage: Storage, path: str) -> Mapping[str, FooterStats]:
    """Return the statistics of the columns of a base file that are not in lists or maps, by dotted path.

    Return an empty mapping for a file in Lance format.

    Raises:
        CorruptTableError: The file is missing or damaged.
        UnsupportedTable: The file is encrypted, or needs another unsupported feature.
        StorageError: The store failed.
    """
    if is_lance(path):
        return {}
    with open_base_file(storage, path) as file:
        metadata = file.metadata
        found: dict[str, FooterStats] = {}
        for place in range(metadata.num_columns):
            column = metadata.schema.column(place)
            if column.max_repetition_level == 0:
                chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
                found[column.path] = _footer_stats(chunks)
        return found


def _footer_stats(chunks: list[pq.ColumnChunkMetaData]) -> FooterStats:
    values = sum(chunk.num_values for chunk in chunks)
    all_stats = [chunk.statistics if chunk.is_stats_set else None for chunk in chunks]
    nulls = None
    if all(s is not None and s.has_null_count for s in all_stats):
        nulls = sum(s.null_count for s in all_stats if s is not None)
    bounds = [(s.min, s.max) for s in all_stats if s is not None and s.has_min_max]
    empty = sum(s is not None and not s.has_min_max and s.num_values == 0 for s in all_stats)
    if len(bounds) + empty < len(chunks) or not bounds:
        return FooterStats(None, None, values, nulls)
    return FooterStats(min(low for low, _ in bounds), max(high for _, high in bounds), values, nulls)


def _difference(stats: ColumnStats, footer: FooterStats) -> str:
    """Return a description of the first difference; "" if there is none."""
    pairs: list[tuple[str, Any, Any]] = [("number of values", stats.values, footer.values)]
    if footer.nulls is not None:
        pairs.append(("number of nulls", stats.nulls, footer.nulls))
    # Hudi keeps no minimum and maximum for some types
    if footer.minimum is not None and stats.minimum is not None:
        pairs += [("minimum", stats.minimum, footer.minimum), ("maximum", stats.maximum, footer.maximum)]
    for name, mine, theirs in pairs:
        if not _same(mine, theirs):
            column = f"column '{stats.column}' of file '{stats.file}'"
            return f"{column} has the {name} {_shown(mine)}, and the footer {_shown(theirs)}"
    return ""


def _shown(value: Any) -> str:
    """Return a value as quoted text."""
    return f"'{value.decode(errors='replace') if isinstance(value, bytes) else value}'"


def _same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, int) and isinstance(theirs, datetime):
        # up to table version 8, some timestamps are kept as numbers without a unit
        elapsed = theirs.replace(tzinfo=None) - _EPOCH
        return mine in (elapsed // timedelta(microseconds=1), elapsed // timedelta(milliseconds=1))
    return bool(_comparable(mine) == _comparable(theirs))


def _comparable(value: Any) -> Any:
    """Return a time as microseconds, as old metadata tables store it, without its time zone; other values unchanged."""
    if not isinstance(value, datetime):
        return value
    return (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)


def check_partition_stats(state: MetadataState) -> Iterator[Finding]:
    """Yield a finding about statistics of partitions that do not contain those of the current files."""
    check = "partition_stats"
    found = {(stats.file, stats.column): stats for stats in state.metadata.partition_stats()}
    wrong = []
    for stats in state.column_stats:
        file_slice = state.slices.get(stats.file)
        whole = None if file_slice is None else found.get((file_slice.partition, stats.column))
        if file_slice is None or whole is None or stats.minimum is None or whole.minimum is None:
            continue
        low, high = _comparable(whole.minimum), _comparable(whole.maximum)
        if not low <= _comparable(stats.minimum) <= _comparable(stats.maximum) <= high:
            wrong.append((file_slice.partition, stats, whole))
    if wrong:
        partition, stats, whole = wrong[0]
        yield Finding(
            check,
            Status.PROBLEM,
            f"{counted(len(wrong), 'column statistic')} of files beyond those of their partitions: queries may leave "
            f"out rows; column '{stats.column}' of file '{stats.file}' has values from {_shown(stats.minimum)} to "
            f"{_shown(stats.maximum)}, and partition '{partition}' from {_shown(whole.minimum)} to "
            f"{_shown(whole.maximum)}",
            _ADVICE,
            first_places(Place(partition=partition, file=stats.file) for partition, stats, _ in wrong),
        )
    else:
        partitions = len({partition for partition, _ in found})
        yield Finding(check, Status.OK, f"statistics of {counted(partitions, 'partition')} contain those of the files")
