"""Checks that read rows: repeated keys, and keys and partitions that differ from the columns."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.rows.derived_values import DerivedValues
from hoodoo.diagnosis.rows.duplicate_keys import find_duplicates
from hoodoo.diagnosis.rows.key_hashes import HashCollection
from hoodoo.diagnosis.rows.table_rows import Progress, TableRows
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.errors import HoodooError, TableChanged
from hoodoo.format.corruption import ENCRYPTED
from hoodoo.index.index_types import index_type
from hoodoo.properties.property_keys import INDEX

__all__ = ["check_rows"]


def check_rows(state: TableState, sample: int | None, progress: Progress, unread: list[str]) -> Iterator[Finding]:
    """Yield the findings about the rows of the current snapshot.

    Args:
        state: The table.
        sample: The number of rows to read; None for all.
        progress: Function that receives the progress.
        unread: List to which a description of everything that is not examined is added.

    Raises:
        HoodooError: The table cannot be read. A file group that cannot be read is a finding.
    """
    if not len(state.columns) or not state.slices:
        yield Finding("rows", Status.OK, "the table has no rows")
        return
    source, derived = TableRows.of(state, sample), DerivedValues.of(state)
    partitions = {name: number for number, name in enumerate(sorted({s.partition for s in source.splits}))}
    has_keys = bool(source.keys.columns)
    if not has_keys:
        unread.append("repeated keys: the table has neither meta columns nor record key columns")
    with HashCollection() as hashes:
        for batch in source.batches("reading keys", progress):
            derived.compare(batch)
            if has_keys:
                hashes.add(batch.keys, partitions[batch.split.partition], batch.number)
        complete, read, damaged = source.complete, source.read_rows, list(source.damaged)
        if has_keys:
            index = state.options.get("index") or state.properties.get(INDEX)
            yield from find_duplicates(source, hashes, progress, is_global=_is_global(index))
    yield from derived.findings()
    if damaged:
        changed = all(isinstance(error, TableChanged) for _, error in damaged)
        yield Finding(
            "rows",
            Status.WARNING if changed else Status.PROBLEM,
            f"{counted(len(damaged), 'file group')} of {len(source.splits)} cannot be read: {damaged[0][1]}",
            "examine the table again" if changed else _advice(damaged[0][1]),
            first_places(
                Place(file=getattr(error, "file", None) or split.path, partition=split.partition)
                for split, error in damaged
            ),
        )
    unread += derived.unavailable
    if source.unmerged:
        unread.append(f"rows in log files: {source.unmerged}")
    if complete + len(damaged) < len(source.splits):
        unread.append(
            f"rows after the first {source.most_rows:,} of each file group ({counted(read, 'row')} read, "
            f"{complete} of {len(source.splits)} file groups to their end): keys may be repeated there"
        )


def _is_global(index: object) -> bool:
    try:
        return index_type(str(index) if index else None).is_global
    except HoodooError:
        return False  # the check of the first write reports the option


def _advice(error: HoodooError) -> str:
    return "use a reader that has the encryption keys" if error.code == ENCRYPTED else "restore files that are damaged"
