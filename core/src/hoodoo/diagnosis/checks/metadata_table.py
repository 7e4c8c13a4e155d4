"""Check that the metadata table has all commits of the table."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.metadata_table.missing_commits import missing_commits
from hoodoo.properties import METADATA_TABLE_FOLDER, parse_properties
from hoodoo.properties.property_keys import METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.properties.table_properties import PROPERTIES_FILE, TableProperties
from hoodoo.storage import Missing
from hoodoo.timeline import Timeline

__all__ = ["check_metadata_table"]

_REBUILD = (
    "write once with hoodie.metadata.enable=false, which removes the metadata table; a write with true then creates it "
    "again"
)


def check_metadata_table(state: TableState) -> Iterator[Finding]:
    """Yield the findings about the metadata table: a missing folder, a pending build, commits that it lacks.

    Its content is not compared with the files.
    """
    partitions = state.properties.metadata_partitions
    exists = state.storage.exists(METADATA_TABLE_FOLDER)
    if not partitions and not exists:
        yield Finding("metadata table", Status.OK, "the table has no metadata table")
        return
    if building := state.properties.get(METADATA_PARTITIONS_INFLIGHT):
        yield Finding(
            "metadata table",
            Status.WARNING,
            f"partitions of the metadata table are being built: {building}",
            f"wait for the indexing job, or, if it failed, {_REBUILD}",
            (Place(file=PROPERTIES_FILE),),
        )
    if not partitions:
        yield Finding(
            "metadata table",
            Status.WARNING,
            f"'{METADATA_TABLE_FOLDER}' exists, and {METADATA_PARTITIONS} names no partition of it: readers ignore it, "
            "and it may be stale",
            _REBUILD,
            (Place(file=METADATA_TABLE_FOLDER),),
        )
        return
    if not exists:
        yield Finding(
            "metadata table",
            Status.PROBLEM,
            f"{METADATA_PARTITIONS} is {','.join(partitions)}, and '{METADATA_TABLE_FOLDER}' does not exist: readers "
            "of Hudi fail",
            _REBUILD,
            (Place(file=PROPERTIES_FILE),),
        )
        return
    yield from _compared(state, _timeline(state), partitions)


def _timeline(state: TableState) -> Timeline | None:
    """Return the timeline of the metadata table; None if its `hoodie.properties` is missing."""
    path = f"{METADATA_TABLE_FOLDER}/{PROPERTIES_FILE}"
    try:
        entries = TableProperties(parse_properties(state.storage.read(path)), path)
    except Missing:
        return None
    return Timeline.load(state.storage, entries.layout_version, f"{METADATA_TABLE_FOLDER}/{entries.timeline_folder}")


def _compared(state: TableState, metadata: Timeline | None, partitions: tuple[str, ...]) -> Iterator[Finding]:
    missing = list(state.timeline.commits) if metadata is None else missing_commits(state.timeline, metadata)
    named = f"{counted(len(partitions), 'partition')} ({', '.join(partitions)})"
    if missing:
        yield Finding(
            "metadata table",
            Status.PROBLEM,
            f"the metadata table lacks {counted(len(missing), 'commit')} of the table, the last one "
            f"{missing[-1].time}: readers that use the metadata table do not find the files of such commits",
            f"read with hoodie.metadata.enable=false, and {_REBUILD}",
            first_places(Place(instant=instant.time) for instant in missing),
        )
    else:
        yield Finding("metadata table", Status.OK, f"{named}; it has every commit of the active timeline")
    pending = [] if metadata is None else metadata.pending
    if pending:
        yield Finding(
            "metadata table",
            Status.INFO,
            f"{counted(len(pending), 'instant')} of the metadata table pending",
            places=first_places(
                Place(instant=i.time, file=f"{metadata.folder}/{i.file_name}") for i in pending if metadata
            ),
        )
