"""Check that the metadata table has the files of the table, with their sizes."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.metadata.metadata_state import MetadataState
from hoodoo.diagnosis.wording import counted
from hoodoo.filegroup import all_groups
from hoodoo.reading.removed_files import is_uncommitted

__all__ = ["check_file_list"]

CHECK = "files"
_ADVICE = "read with hoodie.metadata.enable=false, and create the metadata table again"
_REMOVING = ("clean", "rollback", "restore")


def check_file_list(state: MetadataState) -> Iterator[Finding]:
    """Yield findings about the differences between the files of the metadata table and those in the store."""
    stored = {info.path: info.size for info in state.table.files}
    named = state.files
    needed = _committed(state)
    lacking = sorted(needed - named.keys())
    gone = sorted(named.keys() - stored.keys())
    resized = sorted(path for path in named.keys() & stored.keys() if named[path] != stored[path])
    if lacking:
        yield Finding(
            CHECK,
            Status.PROBLEM,
            f"the metadata table lacks {counted(len(lacking), 'file')} of completed commits: readers that use it do "
            "not find the rows of such files",
            _ADVICE,
            first_places(Place(file=path) for path in lacking),
        )
    if gone:
        # their metadata is written after they are deleted
        is_removing = any(instant.action in _REMOVING for instant in state.table.timeline.pending)
        yield Finding(
            CHECK,
            Status.WARNING if is_removing else Status.PROBLEM,
            f"the metadata table has {counted(len(gone), 'file')} that the store lacks: readers that use it fail"
            + (", unless a pending clean, rollback or restore removed such files" if is_removing else ""),
            _ADVICE,
            first_places(Place(file=path) for path in gone),
        )
    if resized:
        first = resized[0]
        yield Finding(
            CHECK,
            Status.PROBLEM,
            f"the metadata table has another size for {counted(len(resized), 'file')}; for '{first}' "
            f"{named[first]:,} bytes instead of {stored[first]:,}",
            _ADVICE,
            first_places(Place(file=path) for path in resized),
        )
    if not (lacking or gone or resized):
        partitions = state.metadata.partition_paths()
        yield Finding(
            CHECK,
            Status.OK,
            f"{counted(len(named), 'file')} in {counted(len(partitions), 'partition')}, as in the store",
        )


def _committed(state: MetadataState) -> set[str]:
    """Return the paths of the files of completed commits, including replaced files that the metadata table has."""
    table = state.table
    groups, replaced = all_groups(table.storage, table.timeline)
    paths = {path for group in replaced for path in group.paths if path in state.files}
    for group in groups:
        for file_slice in group.slices:
            if file_slice.path is not None:
                paths.add(file_slice.path)
            for log in file_slice.logs:
                # in layout 1 the name of a log does not show whether it is committed
                if log.path in state.files or log.commits or not is_uncommitted(table.storage, log.path):
                    paths.add(log.path)
    return paths
