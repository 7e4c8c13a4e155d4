"""Writes to every writable real table: its rows change as requested, and the `hudi` package reads the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.errors import SchemaError
from hoodoo.properties import load_properties
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows, rows_of
from tests.support.versions import META

from .test_read_real_tables import GOLDEN, TABLES

pytestmark = pytest.mark.slow

Row = dict[str, Any]
Unpack = Callable[[str], Path]

TEXTS_AS_TIMES = "sample_table_cow__v9_timebasedkeygen_epochmillis"
WRITABLE = [name for name in TABLES if "no_metafields" not in name and name != TEXTS_AS_TIMES]
WITH_METADATA = [
    *(name for name in WRITABLE if "_v8_" in name or "_v9_" in name),
    *(name for name in GOLDEN if "bucket" not in name),
]
OWN = {"hoodie.metadata.enable": "false"}


@pytest.mark.parametrize("name", WRITABLE)
def test_upsert_delete_and_compact(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    table = hoodoo.Table(path)
    schema, ordering, key = table.schema, table.properties.ordering[0], table.properties.record_key[0]
    stored = table.to_arrow()
    keys = Counter(stored.column("_hoodie_record_key").to_pylist())
    once = [n for n, name in enumerate(stored.column("_hoodie_record_key").to_pylist()) if keys[name] == 1]
    first, *more = stored.select(schema.names).take(once[:2]).to_pylist()
    rest = pa.array(sorted(set(range(len(stored))) - set(once[:2])), pa.int64())
    others = stored.select(schema.names).take(rest)

    newer = {**first, ordering: first[ordering] + 1, _other_column(table): None}
    added = {**newer, key: newer[key] + 1000 if isinstance(newer[key], int) else f"{newer[key]}-new"}
    late = {**first, ordering: first[ordering] - 1}

    def write(rows: list[Row], operation: str, expected: list[Row]) -> None:
        write_arrow(pa.Table.from_pylist(rows, schema=schema), path, OWN | {"operation": operation})
        agree(expected, operation)

    def agree(expected: list[Row], what: str) -> None:
        left = pa.concat_tables([others, pa.Table.from_pylist(expected, schema=others.schema)])
        assert_same(hoodoo_rows(path), rows_of(left), what, schema.names)
        assert_same(hudi_rows(path), hoodoo_rows(path), f"{what}: the hudi package", [*META, *schema.names])

    write([newer, added, late], "upsert", [newer, added, *more])
    write([added], "delete", [newer, *more])
    if table.properties.table_type == "MERGE_ON_READ":
        assert hoodoo.Table(path).compact() is not None
        assert not any(file_slice.logs for file_slice in hoodoo.Table(path).file_slices())
        agree([newer, *more], "compaction")
        write([added], "upsert", [newer, added, *more])


def _other_column(table: hoodoo.Table) -> str:
    """Return a column that is not part of key, partition or ordering."""
    taken = {*table.properties.record_key, *table.properties.partition_by, *table.properties.ordering, "ts_str"}
    return next(name for name in reversed(table.schema.names) if name not in taken)


@pytest.mark.parametrize("name", WITH_METADATA)
@pytest.mark.filterwarnings("ignore::hoodoo.txn.metadata.preparation.IndexDisabled")
def test_a_metadata_table_is_kept_and_removed_only_where_that_is_asked(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    partitions = load_properties(LocalStorage(str(path))).metadata_partitions
    if not partitions:
        pytest.skip("the table has none")
    rows = hoodoo.Table(path).to_arrow(hoodoo.Table(path).schema.names).slice(0, 1)
    write_arrow(rows, path, {})
    assert load_properties(LocalStorage(str(path))).metadata_partitions == tuple(
        partition for partition in partitions if not partition.startswith("secondary_index_")
    )
    assert [finding for finding in validate(path).findings if finding.status is Status.PROBLEM] == []
    write_arrow(rows, path, OWN)
    assert not (path / ".hoodie/metadata").exists()
    assert not load_properties(LocalStorage(str(path))).metadata_partitions


def test_a_table_whose_partition_column_is_not_what_its_key_generator_reads(real_table: Unpack) -> None:
    path = real_table(TEXTS_AS_TIMES)
    rows = hoodoo.Table(path).to_arrow(hoodoo.Table(path).schema.names)
    with pytest.raises(SchemaError, match="'ts_millis' holds texts and timestamp type EPOCHMILLISECONDS reads numbers"):
        write_arrow(rows, path, OWN)
