"""Every payload and merger on real tables: the same versions by every way through a table leave the same rows, but for
what the list of differences says.

The kit plays these ways in memory; here writer, logs, reader and compaction go them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

import pyarrow as pa
import pytest
from attrs import evolve, frozen

import hoodoo
from hoodoo.merge import Rule
from hoodoo.plugin.catalog import default_catalogue
from hoodoo.reading.merge_modes import MODE_OF_PAYLOAD
from hoodoo.record import MergerConfig
from hoodoo.testing.differences import DIFFERENCES, NO_ORDERING, traits
from hoodoo.testing.domain import Domain
from hoodoo.testing.engine import write_arrow
from hoodoo.testing.paths import History, Path, Tries, play
from hoodoo.testing.versions import Row, is_key_only, ordering_of
from hoodoo.writing.stand_ins import STAND_INS

pytestmark = pytest.mark.slow

FLAG = "_hoodie_is_deleted"
SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string()), ("w", pa.int64()), (FLAG, pa.bool_())])
COLUMNS = {"id": "string", "ts": "long", "v": "string", "w": "long"}
LOGS = (Path.LOG, Path.COMPACTED)
STEP = 7
"""Of the kit's histories every seventh: all of them take a minute."""


@frozen
class Case:
    """A rule; `ordering`: whether the table has an ordering column, `deletes`: whether it takes deletes, `flags`:
    whether it knows the delete flag."""

    family: str
    name: str
    options: Mapping[str, Any] = {}
    ordering: tuple[str, ...] = ("ts",)
    deletes: bool = True
    flags: bool = True

    def judged(self, version: int, path: Path) -> Case:
        """The rule that a table of this version runs on this path: a merge mode where readers take a payload for it."""
        if self.family == "merger":
            return self
        if version >= 9 and self.name in STAND_INS:
            stand_in = STAND_INS[self.name]
            return evolve(self, family="merger", name=stand_in.merger, options=stand_in.options)
        if self.name in MODE_OF_PAYLOAD and (version >= 9 or path in LOGS):
            return evolve(self, family="merger", name=MODE_OF_PAYLOAD[self.name])
        return self

    def rule(self) -> Rule:
        """The rule in memory."""
        config = MergerConfig(record_key=("id",), ordering=self.ordering, options=self.options)
        plugin = default_catalogue().make(self.family, self.name, self.options)
        return (Rule.of_merger if self.family == "merger" else Rule.of_payload)(plugin, self.name, config)

    def tries(self, path: Path) -> Tries:
        """Histories that a table can have; a batch holds no key-only deletes."""
        tries = Domain(COLUMNS, ("ts",), deletes=self.deletes).histories
        kept = [history for history in tries.histories[::STEP] if self._can_be(history, path)]
        return evolve(tries, ordering=self.ordering, histories=kept)

    def _can_be(self, history: History, path: Path) -> bool:
        if NO_ORDERING in traits(history, ("ts",)):
            return False
        if not self.flags and any("$flagged" in row for row in history.rows):
            return False
        return path is not Path.BATCH or not any(map(is_key_only, history.rows))


CASES = [
    Case("payload", "overwrite-with-latest"),
    Case("payload", "event-time"),
    Case("payload", "event-time-avro"),
    Case("payload", "first-value"),
    Case("payload", "overwrite-non-defaults"),
    Case("payload", "partial-update"),
    Case("payload", "pass-through", flags=False),
    Case("payload", "empty"),
    Case("merger", "commit-time"),
    Case("merger", "event-time"),
    Case("merger", "first-value"),
    Case("merger", "deduplicate"),
    Case("merger", "first-row", ordering=(), deletes=False),
    Case("merger", "null-partial", {"remove_on_delete": True}, ordering=()),
    Case("merger", "commit-time-partial", {"partial": "ignore-defaults"}),
    Case("merger", "event-time-partial", {"partial": "ignore-defaults"}),
    Case("merger", "sequence-group", {"sequence_groups": {"ts": ["v"]}}, ordering=(), deletes=False),
    Case("merger", "aggregate", {"fields": {"v": {"agg": "listagg"}}, "default_agg": "last_value"}, deletes=False),
]


@pytest.mark.parametrize("path", [path for path in Path if path is not Path.ONE_BY_ONE], ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("case", "version"),
    # versions tell payloads apart; a merger is the same in all of them
    [(case, version) for case in CASES for version in ((6, 9) if case.family == "payload" else (6,))],
    ids=lambda value: f"{value.family}-{value.name}" if isinstance(value, Case) else str(value),
)
def test_every_path_leaves_the_same_rows(case: Case, version: int, path: Path, tmp_path: FilePath) -> None:
    tries, judged = case.tries(path), case.judged(version, path)
    found = written(tmp_path / "table", case, version, path, tries.histories)
    if judged.family != case.family and version < 9:
        tries = evolve(tries, histories=[_as_logged(history) for history in tries.histories])
    expected = play(judged.rule(), tries, Path.ONE_BY_ONE)
    entries = [d for d in DIFFERENCES if d.concerns(judged.family, judged.name, "legacy", judged.options)]

    differ = [(h, one, found.get(h.rows[0]["id"])) for h, one in zip(tries.histories, expected, strict=True)]
    differ = [(history, one, other) for history, one, other in differ if one != other]
    unlisted = [
        (history, one, other)
        for history, one, other in differ
        if not any(entry.admits(path, traits(history, case.ordering)) for entry in entries)
    ]

    assert found or case.name == "empty"
    assert not unlisted, f"{len(unlisted)} of {len(expected)}, among them {unlisted[:3]}"


def _as_logged(history: History) -> History:
    """A payload applies a key-only delete before it compares: for readers it is logged without its ordering value."""
    return evolve(
        history, incoming=tuple({**row, "$ordering": None} if is_key_only(row) else row for row in history.incoming)
    )


def written(
    folder: FilePath, case: Case, version: int, path: Path, histories: Iterable[History]
) -> dict[str, dict[str, Any]]:
    """The rows by key, without their nulls, that a real table is left with."""
    histories = list(histories)
    options = {
        "table_name": "paths",
        "table_version": version,
        "table_type": "MERGE_ON_READ" if path in LOGS else "COPY_ON_WRITE",
        "record_key": "id",
        "index": "bucket",
        "buckets": 1,
        "hoodie.clean.automatic": "false",
        "hoodie.archive.automatic": "false",
        case.family: case.name,
        **({"ordering": ",".join(case.ordering)} if case.ordering else {}),
        **({"merger_options": dict(case.options)} if case.options else {}),
    }
    stored = [history.stored for history in histories if history.stored is not None]
    write_arrow(_table(stored), folder, {**options, "operation": "bulk_insert"})
    steps = [[h.incoming[n] for h in histories if n < len(h.incoming)] for n in range(3)]
    if path is Path.BATCH:
        steps = [[row for history in histories for row in history.incoming]]
    for number, rows in enumerate(steps):
        write_arrow(_table([row for row in rows if not is_key_only(row)]), folder, options)
        deletes = _deletes([row for row in rows if is_key_only(row)])
        if deletes.num_rows:
            write_arrow(deletes, folder, {**options, "operation": "delete"})
        if path is Path.COMPACTED and number in (0, len(steps) - 1):
            assert hoodoo.Table(folder).compact() is not None
    read = hoodoo.Table(folder).to_arrow(columns=list(COLUMNS)).to_pylist()
    return {row["id"]: {name: value for name, value in row.items() if value is not None} for row in read}


def _table(rows: Iterable[Row]) -> pa.Table:
    columns = [{**{name: row.get(name) for name in COLUMNS}, FLAG: row.get("$flagged")} for row in rows]
    return pa.Table.from_pylist(columns, schema=SCHEMA)


def _deletes(rows: Iterable[Row]) -> pa.Table:
    keys = [{"id": row["id"], "ts": (ordering_of(row, ("ts",)) or (None,))[0]} for row in rows]
    return pa.Table.from_pylist(keys, schema=SCHEMA.remove(4).remove(3).remove(2))
