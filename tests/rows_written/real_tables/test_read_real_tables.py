"""Every real table with every query type and all columns, compared with another reader."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import OptionError
from tests.support.rows import assert_same, rows_of
from tests.support.versions import META

pytestmark = pytest.mark.slow

Unpack = Callable[[str], Path]

TABLES = (
    "quickstart_trips_table_mor_avro__v6_trips_8i1u",
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_cow__v6_complexkeygen_hivestyle",
    "sample_table_cow__v6_nonpartitioned",
    "sample_table_cow__v6_simplekeygen_hivestyle_no_metafields",
    "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable",
    "sample_table_cow__v6_timebasedkeygen_nonhivestyle",
    "sample_table_cow__v8_nonpartitioned",
    "sample_table_cow__v8_simplekeygen_nonhivestyle",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_cow__v9_txns_complex_nometa",
    "sample_table_cow__v9_txns_simple_meta",
    "sample_table_cow__v9_txns_simple_overwrite",
    "sample_table_mor_avro__v9_nonpartitioned_rollback",
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
    "sample_table_mor_avro__v9_txns_complex_meta",
    "sample_table_mor_avro__v9_txns_simple_nometa",
    "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
    "sample_table_mor_parquet__v6_nonpartitioned_rollback",
    "sample_table_mor_parquet__v6_simplekeygen_nonhivestyle_overwritetable",
)
EMPTY = ("sample_table_cow__v6_empty", "sample_table_mor_parquet__v6_empty")


GOLDEN = (
    "cow6-bloom-by-0.15.0",
    "mor6-by-0.15.0",
    "mor6-parquet-by-0.15.0",
    "cow8-by-1.0.2",
    "mor8-overwrite-by-1.0.2",
    "mor8-archived-by-1.0.2",
    "cow9-clustered",
    "mor9-bucket",
    "mor9-columns-added",
    "mor9-compaction-pending",
    "mor9-event-time",
    "mor9-parquet",
    "mor9-timestamp-key",
)
"""Some of the golden tables, for tests beyond the comparison of all golden tables with the rows that Hudi read."""


def _expected(shared_data: Path, name: str, kind: str) -> pa.Table:
    file = shared_data / "expected" / f"{name}.{kind}.parquet"
    if not file.exists():
        pytest.skip(f"no expected rows of this kind: {file.name}")
    return pq.read_table(file)


def _same(read: pa.Table, wanted: pa.Table, what: str) -> None:
    stored_meta = META[0] in wanted.column_names
    assert [name for name in read.column_names if stored_meta or name not in META] == wanted.column_names
    assert_same(rows_of(read), rows_of(wanted), what, wanted.column_names)


@pytest.mark.parametrize("name", TABLES)
def test_snapshot(name: str, shared_data: Path, real_table: Unpack) -> None:
    _same(hoodoo.Table(real_table(name)).to_arrow(), _expected(shared_data, name, "snapshot"), "snapshot")


@pytest.mark.parametrize("name", [name for name in TABLES if "_mor_" in name])
def test_read_optimized(name: str, shared_data: Path, real_table: Unpack) -> None:
    read = hoodoo.Table(real_table(name)).to_arrow(query_type="read_optimized")
    _same(read, _expected(shared_data, name, "ro"), "read-optimized")


@pytest.mark.parametrize("name", TABLES)
def test_incremental_between_the_first_and_the_last_instant(name: str, shared_data: Path, real_table: Unpack) -> None:
    table = hoodoo.Table(real_table(name))
    first, last = table.timeline.commits[0].time, table.timeline.commits[-1].time
    wanted = _expected(shared_data, name, "incr")
    _same(table.to_arrow(query_type="incremental", begin=first, end=last), wanted, "incremental")


def test_incremental_without_meta_columns(real_table: Unpack) -> None:
    table = hoodoo.Table(real_table("sample_table_cow__v6_simplekeygen_hivestyle_no_metafields"))
    with pytest.raises(OptionError, match="its rows do not contain their commit"):
        table.to_arrow(query_type="incremental", begin="0")


@pytest.mark.parametrize("name", EMPTY)
def test_a_table_without_commits_has_no_rows_and_its_columns(name: str, real_table: Unpack) -> None:
    table = hoodoo.Table(real_table(name))
    assert table.to_arrow().num_rows == 0
    assert "id" in table.schema.names


@pytest.mark.parametrize("name", TABLES + GOLDEN)
def test_columns_and_splits_give_what_the_whole_gives(name: str, real_table: Unpack) -> None:
    table = hoodoo.Table(real_table(name))
    whole = table.to_arrow()
    for column in table.schema.names:
        assert_same(rows_of(table.to_arrow([column])), rows_of(whole.select([column])), column)
    shipped = [pickle.loads(pickle.dumps(split)) for split in table.splits()]
    assert_same(rows_of(pa.concat_tables(split.read().read_all() for split in shipped)), rows_of(whole), "splits")
