"""The merger `commit-time-partial`: the last arrival wins, and its gaps keep older values."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.merge import Rule
from hoodoo.plugin import default_catalogue
from hoodoo.record import MergerConfig, Operation, Ordering, Source
from hoodoo.schema.defaults import with_default
from hoodoo.testing import LACKING, MergerSuite
from hoodoo.testing.cases import delete, merged
from hoodoo.testing.differences import DELETE
from hoodoo.testing.shared_reasons import CUT, REGROUPED, on_paths

NAME = "commit-time-partial"
STRINGS = {"id": "string", "ts": "long", "s": "string?", "b": "bytes?"}
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("ts", pa.int64()),
        pa.field("name", pa.string()),
        with_default(pa.field("city", pa.string()), "NY"),
    ]
)

DIFFERENCES = (*on_paths(REGROUPED, "merger", "commit-time-partial", [(DELETE,)], CUT),)


class TestKeepValues(MergerSuite):
    plugin = NAME
    differences = DIFFERENCES
    options: ClassVar = {"partial": "keep-values"}
    values: ClassVar = {"v": [LACKING, "a", None]}
    ordering = ()


class TestIgnoreDefaults(MergerSuite):
    plugin = NAME
    differences = DIFFERENCES
    options: ClassVar = {"partial": "ignore-defaults"}
    ordering = ()


def folded(mode: str, *rows: dict[str, Any]) -> dict[str, Any]:
    """Return the merged record of versions of one key without its nulls; rows may lack columns."""
    config = MergerConfig(record_key=("id",), ordering=("ts",))
    rule = Rule.of_merger(default_catalogue().make("merger", NAME, {"partial": mode}), f"merger {NAME!r}", config)
    table = pa.Table.from_pylist(list(rows), schema=SCHEMA)
    present = {name: np.array([name in row for row in rows]) for name in SCHEMA.names}
    ordering = Ordering.of(("ts",), [table["ts"].combine_chunks()], len(rows))
    operation, has_data = np.full(len(rows), Operation.INSERT, dtype=np.int8), np.ones(len(rows), dtype=bool)
    survivor = rule.fold(Source(table, SCHEMA, pa.array(["1"] * len(rows)), ordering, operation, has_data, present))
    row = {name: survivor.column(name)[0].as_py() for name in SCHEMA.names}
    return {name: value for name, value in row.items() if value is not None}


def test_keep_values_keeps_columns_that_are_absent_and_not_those_that_are_null() -> None:
    full = {"id": "1", "ts": 1, "name": "a", "city": "SF"}

    assert folded("keep-values", full, {"id": "1", "name": "b"}) == {**full, "name": "b"}
    assert folded("keep-values", full, {"id": "1", "name": None}) == {"id": "1", "ts": 1, "city": "SF"}


def test_partial_versions_add_up() -> None:
    """Each version sets some of the columns, and the row gets the last value of each column."""
    rows = [{"id": "1", "name": "a"}, {"id": "1", "ts": 2}, {"id": "1", "city": "SF"}, {"id": "1", "name": "b"}]

    assert folded("keep-values", *rows) == {"id": "1", "ts": 2, "name": "b", "city": "SF"}


def test_ignore_defaults_looks_at_the_default_of_the_schema() -> None:
    full = {"id": "1", "ts": 9, "name": "a", "city": "SF"}

    assert folded("ignore-defaults", full, {"id": "1", "ts": 1, "name": None, "city": "NY"}) == {**full, "ts": 1}


def test_fill_unavailable_looks_for_the_marker_in_strings_and_bytes() -> None:
    stored = {"id": "1", "ts": 5, "s": "long text", "b": "x"}
    incoming = {"id": "1", "ts": 1, "s": "__debezium_unavailable_value", "b": "__debezium_unavailable_value"}

    options: ClassVar = {"stored": stored, "schema": STRINGS, "partial": "fill-unavailable"}

    for mode in ("batch", "log", "commits"):
        assert merged("merger", NAME, [incoming], mode=mode, **options) == {**stored, "ts": 1}


def test_the_marker_is_an_option() -> None:
    stored, incoming = {"id": "1", "ts": 1, "s": "text"}, {"id": "1", "ts": 2, "s": "?"}
    options: ClassVar = {"schema": STRINGS, "partial": "fill_unavailable"}

    assert merged("merger", NAME, [incoming], stored=stored, **options) == incoming
    assert merged("merger", NAME, [incoming], stored=stored, unavailable_value="?", **options) == {**stored, "ts": 2}


@pytest.mark.parametrize("partial", ["keep-values", "ignore-defaults", "fill-unavailable"])
def test_a_row_after_a_delete_gets_nothing_from_before(partial: str) -> None:
    row = {"id": "1", "ts": 3, "v": None}
    versions = [{"id": "1", "ts": 1, "v": "a"}, delete("1", 2), row]

    assert merged("merger", NAME, versions, mode="log", partial=partial) == {"id": "1", "ts": 3}


def test_the_mode_must_be_said_and_must_exist() -> None:
    with pytest.raises(OptionError, match="needs option 'partial'"):
        default_catalogue().make("merger", NAME, {})
    with pytest.raises(
        OptionError, match="'partial' must be one of keep-values, ignore-defaults, fill-unavailable, got 'all'"
    ):
        default_catalogue().make("merger", NAME, {"partial": "all"})


@pytest.mark.parametrize("default", [{}, {"_hoodie_is_deleted": {"type": "boolean?", "default": False}}])
def test_a_logged_version_that_the_flag_marks_as_a_delete_fills_nothing(default: dict[str, Any]) -> None:
    """In a base file the flag is data, as for Hudi's readers; a log record with it is a delete."""
    pytest.importorskip("hoodoo_delete_any_of", reason="the default delete rule finds the flag")
    schema = {"id": "string", "ts": "long?", "a": "string?", "b": "string?", **default}
    gone = {"id": "1", "ts": 1, "a": "old", "b": "old", "_hoodie_is_deleted": True}
    update = {"id": "1", "ts": 2, "a": None, "b": "new"}

    def left(mode: str) -> Any:
        return merged("merger", NAME, [update], stored=gone, mode=mode, schema=schema, partial="ignore-defaults")

    assert left("log") == {"id": "1", "ts": 2, "b": "new"}
    assert left("batch")["a"] == "old"
