"""Every payload and merger on real tables: the same versions give the same rows on every path through a table.

Exceptions are the differences that the tests of the rules list. The test kit simulates these paths in memory; here
writer, logs, reader and compaction run.
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
from hoodoo.options import RuleOptions
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.record import MergerConfig
from hoodoo.table_rules.substitutes import replace_payload
from hoodoo.testing.data.vector_records import Row, is_key_only, ordering_of
from hoodoo.testing.data.version_domain import Domain
from hoodoo.testing.differences import NO_ORDERING, traits
from hoodoo.testing.engine import write_arrow
from hoodoo.testing.paths.table_paths import History, Path, Tries, play

from .known_differences import RULES, differences_of

pytestmark = pytest.mark.slow

FLAG = "_hoodie_is_deleted"
SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string()), ("w", pa.int64()), (FLAG, pa.bool_())])
COLUMNS = {"id": "string", "ts": "long", "v": "string", "w": "long"}
LOGS = (Path.LOG, Path.COMPACTED)
STEP = 7
"""Every seventh history of the kit is tested: all of them take a minute."""


@frozen
class Case:
    """A rule and its tables.

    Attributes:
        family: The family of the rule: `merger` or `payload`.
        name: The name of the rule, such as `event-time`.
        options: The options of the rule.
        ordering: The ordering columns of the table.
        deletes: Whether the rule accepts deletes.
        flags: Whether the rule recognizes the delete flag.
    """

    family: str
    name: str
    options: Mapping[str, Any] = {}
    ordering: tuple[str, ...] = ("ts",)
    deletes: bool = True
    flags: bool = True

    def judged(self, version: int, path: Path) -> Case:
        """Return the case with the rule that applies on a path: a merger where readers replace the payload."""
        if self.family == "merger":
            return self
        if version < 9 and path not in LOGS:
            return self
        # readers of version 6 have the merge modes of version 8, but not the substitutes of version 9
        rule = replace_payload(RuleOptions(payload=self.name), default_catalogue(), 9 if version >= 9 else 8)
        if rule.merger is None:
            return self
        return evolve(self, family="merger", name=rule.merger, options=rule.merger_options or {})

    def rule(self) -> Rule:
        """Return the rule for merges in memory."""
        config = MergerConfig(record_key=("id",), ordering=self.ordering, options=self.options)
        plugin = default_catalogue().make(self.family, self.name, self.options)
        return (Rule.of_merger if self.family == "merger" else Rule.of_payload)(plugin, self.name, config)

    def tries(self, path: Path) -> Tries:
        """Return every seventh history of the kit, if it is possible on a path; a batch has no key-only deletes."""
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


@pytest.mark.parametrize(("family", "rule"), RULES)
def test_listed_differences_are_of_their_rule_and_have_reasons(family: str, rule: str) -> None:
    listed = differences_of(family, rule)
    entries = [(d.path, d.when, d.compat, tuple(d.options.items())) for d in listed]

    assert len(set(entries)) == len(entries), "an entry is listed twice"
    assert all((d.family, d.rule) == (family, rule) for d in listed)
    assert all(d.reason and d.when and d.path is not Path.ONE_BY_ONE for d in listed)


@pytest.mark.each_value
@pytest.mark.parametrize("path", [path for path in Path if path is not Path.ONE_BY_ONE], ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("case", "version"),
    # payloads differ between versions; mergers do not
    [(case, version) for case in CASES for version in ((6, 9) if case.family == "payload" else (6,))],
    ids=lambda value: f"{value.family}-{value.name}" if isinstance(value, Case) else str(value),
)
def test_every_path_leaves_the_same_rows(case: Case, version: int, path: Path, tmp_path: FilePath) -> None:
    tries, judged = case.tries(path), case.judged(version, path)
    found = written(tmp_path / "table", case, version, path, tries.histories)
    if judged.family != case.family and version < 9:
        tries = evolve(tries, histories=[_as_logged(history) for history in tries.histories])
    expected = play(judged.rule(), tries, Path.ONE_BY_ONE)
    entries = [d for d in differences_of(judged.family, judged.name) if d.applies("legacy", judged.options)]

    differ = [(h, one, found.get(h.rows[0]["id"])) for h, one in zip(tries.histories, expected, strict=True)]
    differ = [(history, one, other) for history, one, other in differ if one != other]
    unlisted = [
        (history, one, other)
        for history, one, other in differ
        if not any(entry.admits(path, traits(history, case.ordering)) for entry in entries)
    ]

    assert found or case.name == "empty"
    assert not unlisted, f"{len(unlisted)} of {len(expected)} histories have unlisted differences: {unlisted[:3]}"


def _as_logged(history: History) -> History:
    """Return the logged form of a history: key-only deletes, which payloads apply first, have no ordering value."""
    return evolve(
        history, incoming=tuple({**row, "$ordering": None} if is_key_only(row) else row for row in history.incoming)
    )


def written(
    folder: FilePath, case: Case, version: int, path: Path, histories: Iterable[History]
) -> dict[str, dict[str, Any]]:
    """Write histories, each of another key, to a real table, and return its rows by key, without nulls."""
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
