"""Writes of a random history: each is written to disk and applied to the model."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.rows_merged.handmade.blocks import IS_PARTIAL, Delete, Wrapped
from tests.rows_merged.handmade.builder import Builder, base_name, log_name
from tests.rows_merged.handmade.columns import TYPES
from tests.rows_merged.handmade.instants import Operation, Written
from tests.support.versions import META, Version

from .model import Commit, Log, TableModel
from .settings import LATE, ORDERINGS, VALUES, Setting

__all__ = ["Group", "Pending", "Row", "Writes"]

Row = dict[str, Any]
Group = tuple[str, str]

_KEYS = "abcdefg"
_START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Pending:
    """A pending write: its data files exist, and no reader may return their rows."""

    action: str
    time: str
    groups: set[Group]
    written: list[Written] = field(default_factory=list)
    operation: str = "UPSERT"
    replaced: set[Group] = field(default_factory=set)
    new: set[Group] = field(default_factory=set)
    columns: tuple[str, ...] = ()


class Writes:
    """A table, its model, and the steps that are applied to both.

    Attributes:
        builder: The builder that writes the table to disk.
        model: The model with the expected rows.
        live: The file groups that a write may change.
        open: The pending writes that may still be completed.
        abandoned: The writes that failed and were not rolled back, so that their files remain.
        compactions: The pending compaction of each file group that has one.
        horizon: The first instant that can still be queried. Files of earlier ones were cleaned.
        completion_horizon: The first completion time that can still be queried.
        steps: The steps so far, for messages.
    """

    def __init__(self, draw: Callable[..., Any], path: Path, setting: Setting) -> None:
        self._draw = draw
        self.setting = setting
        partitioned = {"partition_by": "place", "hive_style": setting.partitioning == "hive"}
        self.builder = Builder(
            path,
            setting.version,
            setting.columns,
            table_type=setting.table_type,
            ordering="ts",
            meta=setting.meta,
            properties=setting.all_properties,
            **(partitioned if setting.partitioning else {}),
        )
        key = "_hoodie_record_key" if setting.meta else "id"
        self.model = TableModel(setting.version, setting.rules, tuple(setting.columns), key)
        self.live: list[Group] = []
        self.open: list[Pending] = []
        self.abandoned: list[Pending] = []
        self.compactions: dict[Group, Pending] = {}
        self.horizon = self.completion_horizon = ""
        self.steps: list[str] = []
        self._clock = 0
        self._rows = 0
        self._slices: dict[Group, str] = {}
        self._savepoints: set[str] = set()
        self._numbers: dict[tuple[Group, str], int] = {}
        self._log_compacted: dict[Group, tuple[str, frozenset[str]]] = {}

    # writes

    def _begin(self, action: str, groups: set[Group]) -> Pending:
        time = self._tick()
        plan = self.builder.timeline.replace_plan(None, "") if action == "replacecommit" else b""
        self.builder.timeline.begin(action, time, plan)
        return Pending(action, time, groups, columns=tuple(self.builder.columns))

    def _maybe_complete(self, pending: Pending) -> None:
        files = ", ".join(file.path for file in pending.written)
        self.steps.append(f"{pending.time} {pending.action} {pending.operation} of {files or 'nothing'}")
        self.open.append(pending)
        if self._draw(st.sampled_from((True, True, False))):
            self._complete(pending)

    def _complete(self, pending: Pending) -> None:
        completion = self._tick()
        replaced: dict[str, list[str]] = {}
        for partition, file_id in sorted(pending.replaced):
            replaced.setdefault(partition, []).append(file_id)
        self.builder.commit(
            pending.action,
            pending.time,
            completion,
            pending.written,
            operation=pending.operation,
            replaced=replaced if pending.action == "replacecommit" else None,
            begun=True,
        )
        self.model.commits.append(Commit(pending.time, completion, pending.columns, frozenset(pending.replaced)))
        if pending in self.open:
            self.open.remove(pending)
        self.live = sorted({*self.live, *pending.new} - pending.replaced)
        for group in pending.groups:
            if self.compactions.get(group) is pending:
                del self.compactions[group]
        self.steps.append(f"{completion} completes {pending.time}")

    def _base(self, pending: Pending, group: Group, rows: Sequence[Row]) -> None:
        name = base_name(group[1], pending.time)
        named = [{**self._whole(row), META[4]: name} for row in rows]
        pending.written.append(self.builder.base(*group, pending.time, named))
        self.model.group(group).bases[pending.time] = named
        self._slices.setdefault(group, pending.time)
        if self.setting.table_type == "COPY_ON_WRITE":
            self._slices[group] = pending.time

    def _log(self, pending: Pending, group: Group) -> None:
        blocks, versions = [], []
        for _ in range(self._number(1, 3)):
            block, found = self._block(pending, group)
            blocks.append(block)
            versions += found
        file, number = self._log_file(pending, group, blocks)
        self.model.group(group).logs.append(Log(pending.time, self._slices[group], number, "0-0-0", tuple(versions)))
        assert file.path.endswith(log_name(group[1], self._log_instant(pending, group), number))

    def _log_file(self, pending: Pending, group: Group, blocks: Sequence[bytes]) -> tuple[Written, int]:
        instant = self._log_instant(pending, group)
        number = self._next_number(group, instant)
        file = self.builder.log(*group, instant, blocks, number)
        pending.written.append(file)
        return file, number

    def _log_instant(self, pending: Pending, group: Group) -> str:
        return self._slices[group] if self.setting.version == 6 else pending.time

    def _next_number(self, group: Group, instant: str) -> int:
        number = self._numbers.get((group, instant), 0) + 1
        self._numbers[group, instant] = number
        return number

    def _block(self, pending: Pending, group: Group) -> tuple[bytes, list[Version]]:
        kind = self._pick(["avro", "avro", "parquet", "delete"])
        if kind == "delete":
            keys = self._draw(st.lists(st.sampled_from(_KEYS), min_size=1, max_size=3, unique=True))
            # the other reader accepts ordering values of only one type in a delete block
            ordered = self._draw(st.booleans())
            versions = [
                Version(key, order=self._order() if ordered else None, is_delete=True, key_only=True) for key in keys
            ]
            entries = [self._entry(group, version.key, version.order) for version in versions]
            return self.builder.deletes(pending.time, entries), versions
        rows = self._batch(group, pending.time, self._number(1, 4), unique=False)
        columns, header = dict(self.builder.columns), {}
        if self.setting.partial_blocks and self._draw(st.booleans()):
            dropped = self._draw(st.sets(st.sampled_from(sorted(self.setting.payload)), min_size=1))
            columns = {name: type_ for name, type_ in columns.items() if name not in dropped}
            rows = [{name: value for name, value in row.items() if name not in dropped} for row in rows]
            header = {IS_PARTIAL: "true"}
        write = self.builder.avro if kind == "avro" else self.builder.parquet
        versions = [self.model.record(row, is_partial=bool(header)) for row in rows]
        return write(pending.time, rows, header, columns), versions

    def _batch(self, group: Group, time: str, count: int, *, unique: bool) -> list[Row]:
        keys = self._draw(st.lists(st.sampled_from(_KEYS), min_size=count, max_size=count, unique=unique))
        return [self._row(group, time, key, stored=unique) for key in keys]

    def _row(self, group: Group, time: str, key: str, *, stored: bool) -> Row:
        self._rows += 1
        meta = (time, f"{time}_0_{self._rows}", key, group[0], group[1])
        row: Row = dict(zip(META, meta if self.setting.meta else (None, None, None, None, group[1]), strict=True))
        row["id"] = key
        if self.setting.partitioning:
            row["place"] = group[0].rpartition("=")[2]
        # the other reader orders a null as in hoodoo only among positive integers
        nullable = self.setting.ordering in ("int", "long") and self._number(0, 5) == 0
        row["ts"] = None if nullable else (self._order() or (None,))[0]
        row |= {name: self._draw(VALUES[type_]) for name, type_ in self.setting.payload.items()}
        row["_hoodie_is_deleted"] = None if stored else self._pick([None, False, False, True])
        if LATE in self.builder.columns:
            row[LATE] = self._draw(VALUES["string"])
        return row

    def _order(self) -> tuple[Any, ...]:
        return (ORDERINGS[self.setting.ordering](self._number(1, 6)),)

    def _entry(self, group: Group, key: str, order: tuple[Any, ...] | None) -> Delete:
        if order is None:
            return Delete(key, group[0])
        wrapper = TYPES[self.setting.ordering].wrapper
        assert wrapper is not None
        return Delete(key, group[0], Wrapped(wrapper, order[0]))

    def _whole(self, row: Row) -> Row:
        """Return a row with all columns of the table."""
        return {name: row.get(name) for name in (*META, *self.builder.columns)}

    # the current state

    @property
    def _is_mor(self) -> bool:
        return self.setting.table_type == "MERGE_ON_READ"

    def _current(self, group: Group) -> list[Row]:
        return self.model.merged(group, self.model.as_of(None))

    def _busy(self) -> set[Group]:
        """Return the groups that pending writes change; compactions do not count."""
        return {group for pending in self.open if pending.operation != "COMPACT" for group in pending.groups}

    def _free(self) -> list[Group]:
        """Return the groups without a pending write."""
        return [group for group in self.live if group not in self._busy() and group not in self.compactions]

    def _writable(self) -> list[Group]:
        """Return the groups to which a log may be written: from version 8 on, several writers may do so at once."""
        locked = {g for p in self.open if p.replaced or self.setting.version == 6 for g in p.groups}
        compacting = {group for group in self.compactions if self.compactions[group] in self.open}
        return [group for group in self.live if group not in locked or group in compacting - self._busy()]

    def _compactable(self) -> list[Group]:
        locked = {g for p in self.open if p.replaced or self.setting.version == 6 for g in p.groups}
        return [g for g in self.live if g not in locked and g not in self.compactions and self._slice_logs(g)]

    def _log_compactable(self) -> list[Group]:
        if self.setting.partial_blocks:
            return []
        return [g for g in self._free() if len({log.commit for log in self._slice_logs(g)}) > 1]

    def _slice_logs(self, group: Group) -> list[Log]:
        """Return the committed logs of the latest slice, in the order in which they are merged."""
        files, known = self.model.group(group), {commit.time: commit for commit in self.model.as_of(None)}
        base = max((instant for instant in files.bases if instant in known), default="")
        logs = [log for log in files.logs if log.commit in known]
        return [log for log in self.model.ordered(logs) if self.model.belongs(log, known[log.commit], base)]

    def _operation(self, group: Group) -> Operation:
        known = {commit.time for commit in self.model.as_of(None)}
        base = max((instant for instant in self.model.group(group).bases if instant in known), default=None)
        name = None if base is None else base_name(group[1], base)
        return Operation(*group, base or self._slices[group], name)

    def _remove(self, group: Group, base: str) -> None:
        """Remove the committed files of a group that are older than a base file."""
        known = {commit.time: commit for commit in self.model.as_of(None)}
        files = self.model.group(group)
        for instant in [instant for instant in files.bases if instant in known and instant < base]:
            (self.builder.path / group[0] / base_name(group[1], instant)).unlink()
            del files.bases[instant]
        for log in [log for log in files.logs if log.commit in known]:
            if not self.model.belongs(log, known[log.commit], base):
                instant = log.slice if self.setting.version == 6 else log.commit
                (self.builder.path / group[0] / log_name(group[1], instant, log.number)).unlink()
                files.logs.remove(log)

    def _new_group(self, pending: Pending) -> Group:
        group = (self._pick(self.setting.partitions), self._file_id())
        pending.groups.add(group)
        pending.new.add(group)
        return group

    def _file_id(self) -> str:
        self._rows += 1
        return f"{uuid.uuid5(uuid.NAMESPACE_OID, str(self._rows))}-0"

    def _tick(self) -> str:
        self._clock += 1
        time = _START + timedelta(milliseconds=self._clock * 700)
        return f"{time:%Y%m%d%H%M%S}{time.microsecond // 1000:03d}"

    def _number(self, least: int, most: int) -> int:
        return int(self._draw(st.integers(least, most)))

    def _pick(self, choices: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(list(choices)))
