"""Plan of the changes of commits: one split for each commit and file group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.filegroup import FileSlice, slices_of_groups
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import CDC_LOGGING_MODE
from hoodoo.reading.changes.change_split import ChangeSplit
from hoodoo.reading.changes.change_table import CHANGES
from hoodoo.reading.changes.commit_changes import GroupChange, changed_groups, changes_rows
from hoodoo.reading.incremental import completed_until
from hoodoo.reading.path_columns import PathColumns, with_path_columns
from hoodoo.reading.schema.commit_schema import check_schema
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.reading.slice_splits import Wanted, slice_splits
from hoodoo.reading.split import Split
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY, with_meta, without_meta
from hoodoo.storage import FileInfo, Storage, name_of, parent_of
from hoodoo.timeline import Instant, Timeline

__all__ = ["change_splits"]

_WITH_IMAGES, _WITH_BEFORE = "data_before_after", "data_before"

Group = tuple[str, str]
"""Partition path and file id."""


def change_splits(
    storage: Storage,
    properties: TableProperties,
    timeline: Timeline,
    commits: Sequence[Instant],
    skip_corrupt: bool,
) -> tuple[ChangeSplit, ...]:
    """Return the splits with the changes of commits, largest first.

    Args:
        storage: The table's files; they are listed once.
        properties: The table properties.
        timeline: The active timeline.
        commits: Completed commits, in the order of completion.
        skip_corrupt: Whether damaged bytes of logs are left out, except those of change logs.

    Raises:
        OptionError: A cleaner removed files that are needed to find the changes of a commit (code `cleaned`).
        PluginError: Logs must be merged, and the rule, a delete rule or the key generator is not installed
            (`UnknownPlugin`) or cannot be used.
        CorruptTableError: The table is damaged.
        UnsupportedTable: The table has a feature that hoodoo does not support.
    """
    changed = {commit: tuple(changed_groups(timeline, commit)) for commit in commits if changes_rows(timeline, commit)}
    groups = {change.group for changes in changed.values() for change in changes}
    if not groups:
        return ()
    files: dict[Group, dict[str, FileInfo]] = defaultdict(dict)
    for info in storage.walk():
        if (group := _group_of(info.path)) in groups and group is not None:
            files[group][info.path] = info
    data = with_path_columns(table_schema(timeline, properties), properties)
    image = without_meta(data)
    table = with_meta(data)
    side = pa.schema([*image, *(table.field(name) for name in (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY))])
    wanted = Wanted(table, side, timeline, skip_corrupt=skip_corrupt)
    source = _Source(storage, properties, timeline, files, wanted, image)
    splits = [split for commit in reversed(changed) for split in source.splits(commit, changed[commit])]
    check_schema(storage, timeline, properties, [s.after.file_slice for s in splits if s.after is not None])
    return tuple(sorted(splits, key=lambda split: (-split.size, split.instant, split.partition, split.file_id)))


def _group_of(path: str) -> Group | None:
    name = BaseFileName.parse(name_of(path)) or LogFileName.parse(name_of(path))
    return None if name is None else (parent_of(path), name.file_id)


@frozen
class _Source:
    """Table whose changes are planned, with the files of the file groups that changed."""

    storage: Storage
    properties: TableProperties
    timeline: Timeline
    files: Mapping[Group, Mapping[str, FileInfo]]
    wanted: Wanted
    image: pa.Schema

    def splits(self, commit: Instant, changes: Sequence[GroupChange]) -> Iterator[ChangeSplit]:
        """Yield the splits of a commit, at most one for each file group that it changed."""
        completed = commit.completed_at
        assert completed is not None
        earlier = completed_until(self.timeline, completed, inclusive=False)
        then = completed_until(self.timeline, completed)
        before = self._sides(commit, earlier, [c for c in changes if self._needs_before(c)])
        after = self._sides(commit, then, [c for c in changes if self._needs_after(c)])
        for change in changes:
            self._check(commit, change, before.get(change.group), after.get(change.group))
            if change.logs or change.group in before or change.group in after:
                yield self._split(commit, change, before.get(change.group), after.get(change.group))

    def _needs_before(self, change: GroupChange) -> bool:
        return not change.logs or self._mode not in (_WITH_IMAGES, _WITH_BEFORE)

    def _needs_after(self, change: GroupChange) -> bool:
        return not change.is_replaced and (not change.logs or self._mode != _WITH_IMAGES)

    @property
    def _mode(self) -> str:
        return self.properties.get(CDC_LOGGING_MODE, _WITH_IMAGES).lower()

    def _sides(self, commit: Instant, timeline: Timeline, changes: Sequence[GroupChange]) -> dict[Group, Split]:
        """Return the splits of the changed file groups on a timeline, by partition path and file id."""
        groups = {change.group for change in changes}
        if not groups:
            return {}
        files = (info for group in groups for info in self.files.get(group, {}).values())
        slices, missing = slices_of_groups(files, timeline, groups)
        for error in missing.values():
            raise _cleaned(commit, f"'{error.file}'") from error
        found = slice_splits(self.storage, self.properties, timeline, list(slices.values()), self.wanted)
        return {(split.partition, split.file_id): split for split in found}

    def _check(self, commit: Instant, change: GroupChange, before: Split | None, after: Split | None) -> None:
        """Raise if a file is missing that is needed to find the changes."""
        for path in (*change.files, *change.logs):
            if path not in self.files.get(change.group, {}):
                raise _cleaned(commit, f"'{path}'")
        if change.is_replaced and before is None:
            raise _cleaned(commit, f"file group '{change.file_id}' of partition '{change.partition}'")
        if change.base is None:
            return
        for side, is_needed in ((before, self._needs_before(change)), (after, self._needs_after(change))):
            if is_needed and (side is None or side.path is None or side.file_slice.base_instant < change.base):
                raise _cleaned(commit, f"the base file of commit {change.base} of file group '{change.file_id}'")

    def _split(self, commit: Instant, change: GroupChange, before: Split | None, after: Split | None) -> ChangeSplit:
        shown = after or before
        if shown is None:
            paths = [path for path in change.files if BaseFileName.parse(name_of(path))]
            path = paths[0] if paths else None
            size = self.files[change.group][path].size if path else 0
            file_slice = FileSlice(change.partition, change.file_id, commit.time, path, size)
        else:
            file_slice = shown.file_slice
        return ChangeSplit(
            self.storage.uri,
            file_slice,
            CHANGES,
            CHANGES,
            storage_options=self.storage.options,
            instant=commit.time,
            image=self.image,
            before=before,
            after=after,
            logs=change.logs,
            image_values=PathColumns.of(self.properties).values(change.partition),
        )


def _cleaned(commit: Instant, what: str) -> OptionError:
    return OptionError(
        f"the changes of commit {commit.time} cannot be found: {what} is missing, which a cleaner removes when "
        f"the commit is no longer retained; begin the query at {commit.time} or later, or restore the files",
        code="cleaned",
    )
