"""Explanation of a key: its location, the merge of its versions, and its history."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen

from hoodoo.archived_timeline import Archive
from hoodoo.explain.explanation import Explanation, HiddenFile, Result, SliceTrace
from hoodoo.explain.key_search import KeySearch
from hoodoo.explain.lost_deletes import lost_deletes
from hoodoo.explain.other_paths import other_paths
from hoodoo.explain.questions import answers
from hoodoo.explain.rule_uses import rule_settings, rule_uses
from hoodoo.explain.statements import statements
from hoodoo.explain.trace import Trace
from hoodoo.filegroup import FileGroup, FileSlice, ReplacedGroup, all_groups, file_slices
from hoodoo.format.base_files import read_base_file
from hoodoo.format.file_names import is_base_file
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading.indexed import IndexedStorage
from hoodoo.reading.path_columns import PathColumns, with_path_columns
from hoodoo.reading.schema.stored_names import StoredNames, current_columns, fixed_columns, stored_columns
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.reading.slice.log_merger import BATCH_ROWS
from hoodoo.reading.slice.merge_columns import LogMerge, MergeColumns, merge_of, merged_schema
from hoodoo.reading.slice.slice_reader import merged_rows
from hoodoo.reading.time_travel import check_retained
from hoodoo.schema.meta_columns import META_COLUMNS, with_meta
from hoodoo.storage import Storage
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.table_rules.stored_keys import StoredKeys
from hoodoo.timeline import Timeline, parse_instant

__all__ = ["explain"]


def explain(
    storage: Storage,
    properties: TableProperties,
    timeline: Timeline,
    key: str,
    partition: str | None = None,
    as_of: str | None = None,
) -> Explanation:
    """Find the versions of a record in the existing files, merge their file slices again, and record the merge.

    Args:
        storage: The table's files. With an `IndexedStorage`, only the file groups in which the record index has the key
            are searched, or all file groups if it has the key in none. An instant `as_of` needs all file groups.
        properties: The table's properties.
        timeline: The table's timeline.
        key: The record key, as in `_hoodie_record_key`.
        partition: The partition to search; None for all partitions.
        as_of: The instant of the state to explain; None for the latest state.

    Raises:
        OptionError: `as_of` is not an instant, or its files or commits were cleaned or archived.
        PluginError: A searched file slice has logs, and the rule that merges them is not installed (`UnknownPlugin`),
            failed, or returned a wrong result; or the key generator is needed and not installed.
        CorruptTableError: A file is damaged or missing.
        SchemaError: The values of a column in a file cannot be cast to its type in the table.
        UnsupportedTable: A column of keys, partition paths or ordering values has another name in a file, no installed
            plugin declares the merge strategy of the logs, or a file needs a feature that hoodoo does not support.
    """
    view = timeline
    if as_of is not None:
        time = parse_instant(as_of, "as_of")
        check_retained(timeline, time)
        view = timeline.as_of(time)
    file_slices(storage, view)  # raises the errors that a reader would raise
    groups, replaced = all_groups(storage, view)
    if as_of is None and isinstance(storage, IndexedStorage) and (located := storage.groups_of_keys([key])):
        groups, replaced = [group for group in groups if (group.partition, group.file_id) in located], []
    groups = [group for group in groups if partition in (None, group.partition)]
    slices = {(group.partition, group.file_id): _slices(group) for group in groups}
    table = with_meta(with_path_columns(table_schema(view if view.commits else timeline, properties), properties))
    searched = [file_slice for found in slices.values() for file_slice in found]
    names = StoredNames.of(storage, view, searched, table.names)
    names.check(table.names, fixed_columns(properties), searched)
    has_logs = any(file_slice.logs for found in slices.values() for file_slice in found)
    rule = read_rule(properties, default_catalogue()) if has_logs else None
    keys = StoredKeys.of_table(properties, default_catalogue())
    columns = merged_schema(table, set(table.names), rule, keys) if rule else table
    reader = _Reader(storage, properties, view, table, columns, rule, KeySearch(storage, key, keys, table), names)
    holding = reader.holding([file_slice for found in slices.values() for file_slice in found])
    traced = [
        [reader.trace(file_slice, is_current=not place) for place, file_slice in enumerate(found)]
        for found in slices.values()
        if any(file_slice in holding for file_slice in found)
    ]
    current = tuple(found[0] for found in traced)
    earlier = tuple(trace for found in traced for trace in found[1:])
    explanation = Explanation(
        table=storage.uri,
        key=key,
        partition=partition,
        as_of=as_of,
        rules=rule_uses(properties, default_catalogue()),
        settings=rule_settings(properties),
        current=current,
        earlier=earlier,
        lost=lost_deletes(traced),
        hidden=tuple(reader.hidden(group for group in replaced if partition in (None, group.partition))),
        cleaned=_cleaned(view, traced),
        commits=_operations(view),
        searched=sum(map(len, slices.values())),
        statements=statements(view, ((found[0].partition, found[0].file_id) for found in traced), key),
    )
    return evolve(explanation, answers=answers(explanation, _archived_before(view)))


@frozen
class _Reader:
    storage: Storage
    properties: TableProperties
    timeline: Timeline
    table: pa.Schema
    columns: pa.Schema
    rule: RuleSpec | None
    search: KeySearch
    names: StoredNames

    def holding(self, slices: Sequence[FileSlice]) -> set[FileSlice]:
        """Return the slices with a file that contains the key."""
        if not slices:
            return set()
        with ThreadPoolExecutor(max_workers=min(len(slices), os.cpu_count() or 1)) as pool:
            found = pool.map(lambda file_slice: self.search.in_slice(file_slice, self._merge(file_slice)), slices)
            return {file_slice for file_slice, holds in zip(slices, found, strict=True) if holds}

    def hidden(self, groups: Iterable[ReplacedGroup]) -> Iterable[HiddenFile]:
        """Yield the base files that contain the key, of the given replaced file groups."""
        for group in groups:
            for path in group.paths:
                if is_base_file(path) and self.search.in_base_file(path):
                    yield HiddenFile(path, group.replaced_at)

    def trace(self, file_slice: FileSlice, *, is_current: bool) -> SliceTrace:
        """Merge a slice as a reader does, and record the versions and decisions of the key."""
        ordering = self.properties.ordering if self.rule is None else self.rule.payload_ordering
        trace = Trace(self.search.key, file_slice.path, ordering, file_slice.base_instant, self.names)
        results = [row for rows in self._rows(file_slice, trace) for row in self._rows_with_key(rows)]
        replayable = trace.replayable
        # a key that is stored twice has no single row to compare
        is_one = replayable is not None and len(results) <= 1
        others = other_paths(replayable, results[0] if results else None) if replayable and is_one else ()
        trace = trace.in_order()
        given = PathColumns.of(self.properties).values(file_slice.partition)
        return SliceTrace(
            file_slice.partition,
            file_slice.file_id,
            file_slice.base_instant,
            is_current,
            tuple(trace.versions),
            tuple(trace.decisions),
            tuple(_result(trace, number, row, given) for number, row in zip(trace.surviving, results, strict=True)),
            others,
        )

    def _rows(self, file_slice: FileSlice, trace: Trace) -> Iterable[pa.Table]:
        merge = self._merge(file_slice)
        if merge is not None:
            yield from merged_rows(self.storage, file_slice, merge, trace)
        elif file_slice.path is not None:
            names = self.names.of_instant(file_slice.base_instant)
            columns = stored_columns(self.table, names)
            stored = read_base_file(self.storage, file_slice.path, columns, batch_rows=BATCH_ROWS)
            for rows in current_columns(stored, self.table, names):
                trace.stored(rows, self.search.keys.of(rows, f"base file '{file_slice.path}'", file=file_slice.path))
                yield rows

    def _rows_with_key(self, rows: pa.Table) -> list[dict[str, object]]:
        keys = self.search.keys.of(rows, "a merged row", file=".")
        found: list[dict[str, object]] = (
            rows.select(self.table.names).filter(pc.equal(keys, self.search.key)).to_pylist()
        )
        return found

    def _merge(self, file_slice: FileSlice) -> LogMerge | None:
        columns = MergeColumns(self.columns)
        return merge_of(self.timeline, file_slice, self.rule, self.search.keys, columns, False, self.names)


def _slices(group: FileGroup) -> list[FileSlice]:
    """Return the slices of a file group, latest first: the one that readers read, then older ones."""
    latest = group.latest
    return [latest, *(older for older in group.slices if older.base_instant < latest.base_instant)]


def _result(trace: Trace, number: int, row: dict[str, object], given: Mapping[str, object]) -> Result:
    """Return the result for a row, with the values of the partition path added."""
    own = trace.versions[number - 1].data or {}
    others = [name for name in row if name not in META_COLUMNS and name not in given]
    # compared as text because NaN is not equal to itself
    merged = (name for name in others if repr(own.get(name)) != repr(row[name]))
    return Result(number, {**row, **given}, tuple(merged))


def _cleaned(timeline: Timeline, traced: Sequence[Sequence[SliceTrace]]) -> tuple[str, ...]:
    """Return the commits that wrote to the file groups before their oldest existing slice."""
    oldest = {(found[-1].partition, found[-1].file_id): found[-1].base_instant for found in traced}
    return tuple(
        instant.time
        for instant in timeline.commits
        if any(instant.time < oldest[group] for group in timeline.commit_outline(instant).touched() if group in oldest)
    )


def _operations(timeline: Timeline) -> dict[str, str]:
    return {i.time: timeline.commit_outline(i).operation_type.lower() for i in timeline.commits}


def _archived_before(timeline: Timeline) -> str | None:
    """Return the time of the first commit of the active timeline if earlier ones were archived, or None."""
    return timeline.first_time if Archive(timeline).commits else None
