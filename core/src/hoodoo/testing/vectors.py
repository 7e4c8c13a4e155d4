"""Run merge vectors against the installed plugins: `python -m hoodoo.testing.vectors FILE.json [--json]`.

A vector is one case with its expected answer: `kind` (payload, merger, keygen, delete) and `name` choose the plugin,
`config` configures it, `stored` and `incoming` are what it meets, `expect` is what must come out. A vector whose plugin
is not installed fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.merge import Rule
from hoodoo.merge.defaults import needed_delete_rules
from hoodoo.plugin.catalog import Catalogue, default_catalogue
from hoodoo.record import Choice, DeleteContext, KeyConfig, MergerConfig, Records, Source
from hoodoo.testing.types import arrow_table

__all__ = ["Failure", "main", "run_history", "run_vector", "run_vectors"]

_FIELD, _MARKER = "hoodie.payload.delete.field", "hoodie.payload.delete.marker"
_PAYLOAD_ORDERING = "hoodie.payload.ordering.field"
_MERGE_KEYS = {"ordering_fields", "delete_rule", "key", _FIELD, _MARKER, _PAYLOAD_ORDERING}
_KEY_FLAGS = ("hive_style", "url_encode", "slash_date", "consistent_logical_timestamps")
_KEY_KEYS = {"recordkey", "partitionpath", "complex_encoding", *_KEY_FLAGS}


@frozen
class Failure:
    """A vector that did not give what it must."""

    id: str
    expected: Any
    actual: Any


def run_vectors(vectors: list[dict[str, Any]], catalogue: Catalogue | None = None) -> list[Failure]:
    """Run every vector; the ones that fail, in order."""
    failures = []
    for vector in vectors:
        expected, actual = run_vector(vector, catalogue or default_catalogue())
        if expected != actual:
            failures.append(Failure(vector["id"], expected, actual))
    return failures


def run_vector(vector: Mapping[str, Any], catalogue: Catalogue) -> tuple[Any, Any]:
    """What one vector must give and what it gives, in comparable form."""
    expect = vector["expect"]
    try:
        actual = _RUNNERS[vector["kind"]](vector, catalogue)
    except HoodooError as error:
        actual = {"error": error.code}
        if "error" not in expect:
            actual["message"] = str(error)
    if "error" in expect:
        return {"error": expect["error"]}, actual
    if vector["kind"] == "keygen":
        return {name: expect[name] for name in ("record_key", "partition_path") if name in expect}, actual
    if vector["kind"] == "delete":
        return {"is_delete": expect["is_delete"]}, actual
    expected = {"result": _without_nulls(expect["result"])}
    if "tombstone" in expect:
        expected["tombstone"] = expect["tombstone"]["ordering"]
    else:
        actual.pop("tombstone", None)
    return expected, actual


def _run_keygen(vector: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    config = vector["config"]
    keys = KeyConfig(
        record_key=_names(config.get("recordkey")),
        partition_by=_names(config.get("partitionpath")),
        complex_encoding=config.get("complex_encoding", "field"),
        **{name: config[name] for name in _KEY_FLAGS if name in config},
    )
    generator = catalogue.make("keygen", vector["name"], _others(config, _KEY_KEYS))
    rows = arrow_table(vector["incoming"], vector["schema"])
    return {
        "record_key": generator.record_keys(rows, keys)[0].as_py(),
        "partition_path": generator.partition_paths(rows, keys)[0].as_py(),
    }


def _run_delete(vector: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    config = vector["config"]
    context = DeleteContext(config.get(_FIELD), config.get(_MARKER))
    rule = catalogue.make("delete", vector["name"], _others(config, {_FIELD, _MARKER}))
    rows = arrow_table(vector["incoming"], vector["schema"])
    return {"is_delete": bool(rule.is_delete(rows, context)[0])}


def run_history(vector: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """Run the history of a payload or merger vector: its `result`, and in mode `log` the `tombstone` that it leaves."""
    history = _History(vector, catalogue)
    if vector["mode"] == "log":
        return history.log()
    if vector["mode"] == "commits":
        return history.commits()
    return history.batch()


class _History:
    """One payload or merger vector: its rule, and its rows as one table."""

    def __init__(self, vector: Mapping[str, Any], catalogue: Catalogue) -> None:
        family, config = vector["kind"], vector["config"]
        self.stored = vector["stored"]
        self.incoming = vector["incoming"]
        self.config = MergerConfig(
            record_key=_names(config.get("key")) or (next(iter(vector["schema"])),),
            ordering=_names(config.get("ordering_fields")),
            delete=DeleteContext(config.get(_FIELD), config.get(_MARKER)),
            compat=vector["compat"],
        )
        plugin = catalogue.make(family, vector["name"], _others(config, _MERGE_KEYS))
        label = f"{family} '{vector['name']}'"
        if family == "merger":
            self.rule = Rule.of_merger(plugin, label, self.config)
        else:
            self.rule = Rule.of_payload(plugin, label, self.config, _names(config.get(_PAYLOAD_ORDERING)) or None)
        rows = [self._plain(row) for row in ([self.stored] if self.stored else []) + self.incoming]
        self.table = arrow_table(rows, vector["schema"])
        names = _names(config.get("delete_rule"))
        if not names:
            columns = self.table.column_names
            marked = self.config.delete.field is not None
            names = needed_delete_rules(family, vector["name"].replace("_", "-"), columns, marked=marked)
        self.delete_rules = [catalogue.make("delete", name, {}) for name in names]

    def log(self) -> dict[str, Any]:
        """Every version is a log record; tombstones stay."""
        records = ([self.stored] if self.stored else []) + self.incoming
        survivor = self.rule.fold(self._source(records, 0))
        if not survivor.is_delete[0]:
            return {"result": _row(survivor, 0), "tombstone": None}
        ordering = survivor.ordering.row(0)
        return {"result": None, "tombstone": None if ordering is None else list(ordering)}

    def batch(self) -> dict[str, Any]:
        """The incoming records fold, the survivor meets storage."""
        stored = self._stored(self.table.slice(0, 1)) if self.stored else None
        survivor = self._commit(stored, self._source(self.incoming, 1 if self.stored else 0))
        return {"result": survivor and _row(survivor, 0)}

    def commits(self) -> dict[str, Any]:
        """Every incoming record is a commit of its own; storage keeps no tombstone."""
        offset = 1 if self.stored else 0
        stored = self._stored(self.table.slice(0, 1)) if self.stored else None
        for number, record in enumerate(self.incoming):
            survivor = self._commit(stored, self._source([record], offset + number))
            stored = None if survivor is None else self._stored(_as_table(survivor))
        return {"result": stored and _row(stored.records(), 0)}

    def _commit(self, stored: Source | None, incoming: Source) -> Records | None:
        newer = self.rule.fold(incoming)
        if stored is None:
            return newer if self.rule.insert(newer).choice[0] == Choice.TAKE else None
        older = stored.records()
        outcome = self.rule.combine(older, newer)
        choice = outcome.choice[0]
        if choice == Choice.DELETE or (choice == Choice.TAKE and newer.is_delete[0]):
            return None
        survivor = newer if choice == Choice.TAKE else older
        patches = outcome.patch if outcome.patched is None or outcome.patched[0] else {}
        return Records(survivor.source, survivor.rows, {**survivor.patches, **patches})

    def _source(self, records: list[dict[str, Any]], offset: int) -> Source:
        table = self.table.slice(offset, len(records))
        key_only = np.array([bool(record.get("$delete")) for record in records])
        deletes = key_only | np.array([bool(record.get("$flagged")) for record in records])
        for rule in self.delete_rules:
            deletes |= rule.is_delete(table, self.config.delete)
        return self.rule.incoming(table, table.schema, self._keys(table), deletes, ~key_only)

    def _stored(self, table: pa.Table) -> Source:
        return self.rule.stored(table, self.table.schema, self._keys(table))

    def _keys(self, table: pa.Table) -> pa.Array:
        return table[self.config.record_key[0]].combine_chunks().cast(pa.string())

    def _plain(self, record: dict[str, Any]) -> dict[str, Any]:
        """A key-only delete carries its ordering values in the ordering columns."""
        row = {name: value for name, value in record.items() if not name.startswith("$")}
        ordering = record.get("$ordering")
        values = ordering if isinstance(ordering, list) else [ordering]
        if record.get("$delete"):
            row.update(zip(self.config.ordering, values, strict=False))
        return row


def _row(records: Records, row: int) -> dict[str, Any] | None:
    return _without_nulls({name: _plain_value(records.column(name)[row]) for name in records.schema.names})


def _as_table(records: Records) -> pa.Table:
    return pa.table({name: records.column(name) for name in records.schema.names}, schema=records.schema)


def _plain_value(scalar: pa.Scalar) -> Any:
    value = scalar.as_py()
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return dict(value) if pa.types.is_map(scalar.type) and value is not None else value


def _without_nulls(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else {name: value for name, value in row.items() if value is not None}


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def _others(config: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in known}


_RUNNERS = {"keygen": _run_keygen, "delete": _run_delete, "payload": run_history, "merger": run_history}


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 where every vector passed, 1 where one failed."""
    parser = argparse.ArgumentParser(
        prog="python -m hoodoo.testing.vectors", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("file", type=Path, metavar="FILE.json")
    parser.add_argument("--json", action="store_true", help="print the failures as JSON")
    options = parser.parse_args(arguments)
    vectors = json.loads(options.file.read_text(encoding="utf-8"))
    failures = run_vectors(vectors)
    summary = f"{len(vectors) - len(failures)} passed, {len(failures)} failed"
    if options.json:
        rows = [{"id": f.id, "expected": f.expected, "actual": f.actual} for f in failures]
        print(
            json.dumps({"passed": len(vectors) - len(failures), "failed": len(failures), "failures": rows}, default=str)
        )
    else:
        for failure in failures:
            print(f"{failure.id}: expected {failure.expected}\n{' ' * len(failure.id)}  actual   {failure.actual}")
        print(summary)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
