"""Tables of Hudi with the less usual indexes: hoodoo reads their metadata tables, and finds no fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from tests.interop.conftest import Sides

pytestmark = pytest.mark.interop

SETTINGS = {
    "hoodie.metadata.enable": "true",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}


def made(hudi: Sides, path: Path, keys: Mapping[str, str], indexes: Sequence[str] = ()) -> MetadataTable:
    """Return the metadata table of a table that Hudi makes by SQL, after a validation of the table that finds no fault.

    Args:
        hudi: The function that returns the session of a release of Hudi.
        path: The folder of the table.
        keys: Additional table properties.
        indexes: Statements that create indexes, with `{table}` instead of the name of the table.
    """
    name = f"indexed_{path.name.replace('-', '_')}"
    given = "".join(f", '{key}' = '{value}'" for key, value in keys.items())
    create = (
        f"create table {name} (id string, v int, s string, ts bigint, part string) using hudi partitioned by (part)"
        f" tblproperties (type = 'mor', primaryKey = 'id', preCombineField = 'ts'{given}) location '{path}'"
    )
    insert = (
        f"insert into {name} values ('a', 1, 'x', 1700000000, 'p'), ('b', 2, 'y', 1700100000, 'p'),"
        " ('c', 3, null, 1700200000, 'q')"
    )
    statements = [
        create,
        insert,
        f"update {name} set v = 10, s = 'z$' where id = 'a'",
        *(index.format(table=name) for index in indexes),
        f"insert into {name} values ('d', 4, 'w', 1700300000, 'q')",
        f"delete from {name} where id = 'b'",
    ]
    hudi("1.2.0").sql(statements, SETTINGS)
    assert [f for f in validate(path).findings if f.status is not Status.OK] == []
    storage = storage_for(path)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    assert metadata is not None
    return metadata


def test_all_kinds(hudi: Sides, tmp_path: Path) -> None:
    keys = {"hoodie.metadata.index.bloom.filter.enable": "true", "hoodie.metadata.record.index.enable": "true"}
    day = "create index day on {table} using column_stats(ts) options(expr='from_unixtime', format='yyyy-MM-dd')"
    metadata = made(hudi, tmp_path / "all", keys, ["create index s on {table} (s)", day])
    assert set(metadata.partitions) == {
        "bloom_filters",
        "column_stats",
        "expr_index_day",
        "files",
        "partition_stats",
        "record_index",
        "secondary_index_s",
    }
    entries = metadata.secondary_entries("secondary_index_s").to_pylist()
    assert {(row["value"], row["key"]) for row in entries} == {("z$", "a"), (None, "c"), ("w", "d")}
    assert metadata.secondary_entries("secondary_index_s", ["z$"]).column("key").to_pylist() == ["a"]
    assert set(metadata.record_locations().column("key").to_pylist()) == {"a", "c", "d"}
    days = {s.file: s.minimum for s in metadata.expression_stats("expr_index_day")}
    assert (days["part=p"], days["part=q"]) == ("2023-11-14", "2023-11-17")
    bases = [(p, name) for p, names in metadata.files().items() for name in names if name.endswith(".parquet")]
    assert set(metadata.bloom_filters(bases)) == set(bases)


def test_a_partitioned_record_index(hudi: Sides, tmp_path: Path) -> None:
    keys = {"hoodie.metadata.record.level.index.enable": "true", "hoodie.index.type": "RECORD_LEVEL_INDEX"}
    metadata = made(hudi, tmp_path / "partitioned", keys)
    found = metadata.record_locations()
    assert {(row["key"], row["partition"]) for row in found.to_pylist()} == {
        ("a", "part=p"),
        ("c", "part=q"),
        ("d", "part=q"),
    }
    assert metadata.record_locations(["c", "x"]).column("key").to_pylist() == ["c"]
