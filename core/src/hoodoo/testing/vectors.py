"""Runner of merge vectors for the installed plugins: `python -m hoodoo.testing.vectors FILE.json [--json]`.

A vector is one case with its expected result: `kind` (payload, merger, keygen, delete) and `name` select the plugin,
`config` configures it, `stored` and `incoming` are its input, and `expect` is the result. A vector whose plugin is not
installed fails.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.errors import HoodooError
from hoodoo.keys import ARRIVAL, PARTITION_BITS
from hoodoo.merge import Rule
from hoodoo.plugin.base import BaseDeleteRule, PayloadMembers
from hoodoo.plugin.completion import completed
from hoodoo.plugin.installed.catalogue import Catalogue, default_catalogue
from hoodoo.properties.property_keys import DELETE_FIELD, DELETE_MARKER, PAYLOAD_ORDERING
from hoodoo.record import DeleteContext, KeyConfig, MergerConfig
from hoodoo.record.delete_markers import FLAG_COLUMN, OPERATION_COLUMN
from hoodoo.table_rules.default_deletes import default_delete_rules
from hoodoo.testing.data.type_names import arrow_table
from hoodoo.testing.data.vector_records import Row, flagged, is_key_only, log_records, source_of, spelled, table_of
from hoodoo.testing.paths.table_paths import History, Path, Tries, play

__all__ = ["Failure", "delete_rules", "main", "run_history", "run_vector", "run_vectors"]

_MERGE_KEYS = {"ordering_fields", "delete_rule", "key", DELETE_FIELD, DELETE_MARKER, PAYLOAD_ORDERING}
_KEY_FLAGS = ("hive_style", "url_encode", "slash_date", "consistent_logical_timestamps")
_KEY_KEYS = {"recordkey", "partitionpath", "complex_encoding", "instant", "task_partition", "row", *_KEY_FLAGS}


@frozen
class Failure:
    """Vector whose result differs from the expected one."""

    id: str
    expected: Any
    actual: Any


def run_vectors(vectors: list[dict[str, Any]], catalogue: Catalogue | None = None) -> list[Failure]:
    """Run all vectors with the plugins of a catalogue, by default the installed ones; return the failures in order."""
    failures = []
    for vector in vectors:
        expected, actual = run_vector(vector, catalogue or default_catalogue())
        if expected != actual:
            failures.append(Failure(vector["id"], expected, actual))
    return failures


def run_vector(vector: Mapping[str, Any], catalogue: Catalogue) -> tuple[Any, Any]:
    """Return the expected and the actual result of a vector, in comparable form.

    A `HoodooError` is an actual result with the code of the error.
    """
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
        instant=config.get("instant", ""),
        **{name: config[name] for name in _KEY_FLAGS if name in config},
    )
    generator = catalogue.make("keygen", vector["name"], _others(config, _KEY_KEYS))
    rows = arrow_table(vector["incoming"], vector["schema"])
    if "row" in config:
        number = (config["task_partition"] << PARTITION_BITS) + config["row"]
        rows = rows.append_column(ARRIVAL, pa.array([number], pa.int64()))
    return {
        "record_key": generator.record_keys(rows, keys)[0].as_py(),
        "partition_path": generator.partition_paths(rows, keys)[0].as_py(),
    }


def _run_delete(vector: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    config = vector["config"]
    context = DeleteContext(config.get(DELETE_FIELD), config.get(DELETE_MARKER))
    rule = catalogue.make("delete", vector["name"], _others(config, {DELETE_FIELD, DELETE_MARKER}))
    rows = arrow_table(vector["incoming"], vector["schema"])
    return {"is_delete": bool(rule.is_delete(rows, context)[0])}


def run_history(vector: Mapping[str, Any], catalogue: Catalogue, *, strips_deletes: bool = False) -> dict[str, Any]:
    """Run the history of a payload or merger vector; return its `result`, and in mode `log` also its `tombstone`.

    Args:
        vector: A vector of kind `payload` or `merger`.
        catalogue: The installed plugins.
        strips_deletes: Whether deletes in mode `log` have only the columns that a log keeps. Vectors describe the merge
            of records of data blocks, whose deletes have data.
    """
    family, config = vector["kind"], vector["config"]
    merging = MergerConfig(
        record_key=_names(config.get("key")) or (next(iter(vector["schema"])),),
        ordering=_names(config.get("ordering_fields")),
        delete=DeleteContext(config.get(DELETE_FIELD), config.get(DELETE_MARKER)),
        compat=vector["compat"],
    )
    plugin = catalogue.make(family, vector["name"], _others(config, _MERGE_KEYS))
    label = f"{family} '{vector['name']}'"
    if family == "merger":
        rule = Rule.of_merger(plugin, label, merging)
    else:
        rule = Rule.of_payload(plugin, label, merging, _names(config.get(PAYLOAD_ORDERING)) or None)
    rows = _with_deletes(vector, merging, catalogue)
    if vector["mode"] == "log":
        return _log(rule, rows, vector["schema"], strips_deletes=strips_deletes)
    history = History(vector["stored"], tuple(rows))
    path = Path.COMMITS if vector["mode"] == "commits" else Path.BATCH
    return {"result": play(rule, Tries(vector["schema"], merging.ordering, [history]), path)[0]}


def _log(rule: Rule, rows: Sequence[Row], schema: Mapping[str, Any], *, strips_deletes: bool) -> dict[str, Any]:
    """Return the result of versions that are all log records, and its tombstone."""
    table = table_of(rows, schema, rule.config.ordering)
    source = source_of(rule, rows, table, pa.array(["0"] * len(rows)))
    survivor = rule.fold(log_records(rule, source) if strips_deletes else source)
    if not survivor.is_delete[0]:
        return {"result": spelled(survivor)[0], "tombstone": None}
    ordering = survivor.ordering.row(0)
    return {"result": None, "tombstone": None if ordering is None else list(ordering)}


def delete_rules(vector: Mapping[str, Any], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the delete rules that a payload or merger vector needs.

    These are the rules that the vector names; otherwise the default rules of its plugin that read one of its columns,
    or all default rules if the vector sets `hoodie.payload.delete.field`. Other rules need not be installed.
    """
    config, family = vector["config"], vector["kind"]
    named = _names(config.get("delete_rule"))
    rules = named or default_delete_rules(family, vector["name"], catalogue)
    if named or config.get(DELETE_FIELD) is not None:
        return rules
    columns = {*vector["schema"], *(name for row in _judged(vector) for name in row)}
    markers = {FLAG_COLUMN, OPERATION_COLUMN}
    if family == "payload":
        substitute = catalogue.load(family, vector["name"]).declared(PayloadMembers).substitute
        markers.update(substitute.delete[:1] if substitute is not None and substitute.delete is not None else ())
    schema = pa.schema({column: pa.null() for column in sorted(columns)})

    def looked_at(rule: str) -> set[str]:
        if catalogue.found("delete", rule) is None:
            return markers
        needs = completed(catalogue.make("delete", rule, {}), BaseDeleteRule).needs(schema, DeleteContext())
        return columns if needs is None else set(needs)

    return tuple(rule for rule in rules if columns & looked_at(rule))


def _judged(vector: Mapping[str, Any]) -> list[Row]:
    """Return the versions that delete rules judge.

    In mode `log` the stored version is a log record too, and may be a delete. A row of a base file is never a delete.
    """
    logged_before = [vector["stored"]] if vector["mode"] == "log" and vector["stored"] is not None else []
    return [*logged_before, *vector["incoming"]]


def _with_deletes(vector: Mapping[str, Any], merging: MergerConfig, catalogue: Catalogue) -> list[Row]:
    """Return the versions that delete rules judge, with a mark on the deletes."""
    versions = _judged(vector)
    table = table_of(versions, vector["schema"], merging.ordering)
    deletes = np.zeros(len(versions), dtype=bool)
    for name in delete_rules(vector, catalogue):
        deletes |= catalogue.make("delete", name, {}).is_delete(table, merging.delete)
    return [
        flagged(row) if found and not is_key_only(row) else row for row, found in zip(versions, deletes, strict=True)
    ]


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
    """Run the command, and return its exit code: 0 if all vectors passed, otherwise 1."""
    parser = argparse.ArgumentParser(
        prog="python -m hoodoo.testing.vectors", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("file", type=pathlib.Path, metavar="FILE.json")
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
