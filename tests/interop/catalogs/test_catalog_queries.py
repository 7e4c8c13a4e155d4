"""Spark with Hudi's bundle reads and writes tables by their names in a Hive metastore, where hoodoo listed them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from attrs import frozen

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import difference, parquet_table
from tests.interop.processes.hudi_side import HudiFailed, HudiSide
from tests.interop.rows import PLAIN, WIDE, batch

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]

HIVE = "hoodie.datasource.hive_sync."
WIDER = WIDE.append(pa.field("extra", pa.float64()))
FORMATS = (("COPY_ON_WRITE", 6, "0.15.0"), ("MERGE_ON_READ", 6, "0.15.0"), ("COPY_ON_WRITE", 6, "1.2.0"))
FORMATS += (("MERGE_ON_READ", 6, "1.2.0"), ("COPY_ON_WRITE", 9, "1.2.0"), ("MERGE_ON_READ", 9, "1.2.0"))
PARTITIONS: Mapping[str, dict[str, Any]] = {
    "plain": {"partition_by": "part"},
    "hive-style": {"partition_by": "part", "hive_style": True},
    "day": {"partition_by": "day"},
    "two-columns": {"partition_by": "part,day", "hive_style": True},
    "none": {"partition_by": ""},
}
DAYS = {"x": date(2024, 2, 28), "y": date(2024, 2, 29), "z": date(1969, 12, 31)}


@frozen
class Listed:
    """A table, and its database in the metastore."""

    path: Path
    database: str
    options: Mapping[str, Any]

    def write(self, ids: list[str], ts: int, operation: str = "upsert", schema: pa.Schema = WIDER) -> None:
        """Write rows of these keys, and update the metastore."""
        days = {key.partition(":")[0]: DAYS[key.partition(":")[2]] for key in ids}
        write_arrow(batch(ids, ts, schema=schema, day=days), self.path, {**self.options, "operation": operation})

    @property
    def names(self) -> dict[str, str]:
        """Return the query type of each name of the table in the metastore."""
        if self.options["table_type"] == "COPY_ON_WRITE":
            return {"t": "snapshot"}
        return {"t": "snapshot", "t_rt": "snapshot", "t_ro": "read_optimized"}


def assert_selected_alike(listed: Listed, side: HudiSide, folder: Path) -> None:
    """Assert that Spark selects the rows that hoodoo reads, and lists and prunes the partitions, by each name."""
    table = hoodoo.Table(listed.path)
    live = {slice_.partition for slice_ in table.file_slices()} - {""}
    for name, query_type in listed.names.items():
        full = f"{listed.database}.{name}"
        ours = table.to_arrow(query_type=query_type)
        # a session caches what it has read of a table
        side.sql([f"REFRESH TABLE {full}"])
        side.query(f"SELECT * FROM {full}", folder / name)
        assert not difference(ours, parquet_table(folder / name)), name
        side.query(f"SELECT * FROM {full} WHERE part = 'x' AND day = DATE'2024-02-28'", folder / f"{name}-x")
        x = ours.filter(pc.and_(pc.equal(ours["part"], "x"), pc.equal(ours["day"], pa.scalar(DAYS["x"]))))
        assert not difference(x, parquet_table(folder / f"{name}-x")), name
        if live:
            assert len(side.sql([f"SHOW PARTITIONS {full}"])) == len(live), name
    shutil.rmtree(folder)


@pytest.mark.parametrize(("type_", "version", "release"), FORMATS)
@pytest.mark.parametrize("partitions", PARTITIONS)
def test_spark_selects_by_name_and_writes_on(
    partitions: str, type_: str, version: int, release: str, metastore: str, hive: Sides, tmp_path: Path
) -> None:
    if partitions == "two-columns" and release < "1.1":
        pytest.skip("0.15.0 writes other keys for one key column and two partition columns than all other releases")
    side, read = hive(release), tmp_path / "read"
    database = f"q_{partitions}_{type_[0]}{version}_{release}".lower().replace(".", "_").replace("-", "_")
    listed = Listed(
        tmp_path / "table",
        database,
        {
            "table_name": "t",
            "record_key": "id",
            "ordering": "ts",
            "table_type": type_,
            "table_version": version,
            **PARTITIONS[partitions],
            "catalogs": "hive",
            "catalog_database": database,
            HIVE + "metastore.uris": metastore,
            # Hudi's SQL makes a metadata table
            "hoodie.metadata.enable": "false",
            # Hudi's SQL lists timestamps so, and cannot change the type of a column that is listed otherwise
            HIVE + "support_timestamp": "true",
        },
    )
    listed.write(["a:x", "b:x", "c:y"], 10, schema=WIDE)
    assert_selected_alike(listed, side, read)
    # a new column, and a new partition
    listed.write(["a:x", "d:z"], 20)
    assert_selected_alike(listed, side, read)
    if partitions != "none":
        listed.write(["c:y"], 30, "delete_partition")
        assert_selected_alike(listed, side, read)
    listed.write(["c:y", "e:y"], 40)
    assert_selected_alike(listed, side, read)

    # Spark finds the table by its name, and updates the metastore by Hudi's own sync
    full = f"{database}.t"
    statements = [f"UPDATE {full} SET s = 'updated', ts = 50 WHERE id = 'a'", f"DELETE FROM {full} WHERE id = 'd'"]
    settings = {
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        # 1.2.0 refuses tables of one key column and two partition columns otherwise, because of the keys of 0.15.0
        "hoodie.write.complex.keygen.validation.enable": "false",
    }
    side.sql(statements, settings)
    assert_selected_alike(listed, side, read)
    listed.write(["a:x", "f:z"], 60)
    assert_selected_alike(listed, side, read)
    rows = hoodoo.Table(listed.path).to_arrow(columns=["id", "ts"]).to_pylist()
    assert sorted(tuple(row.values()) for row in rows) == [("a", 60), ("b", 10), ("c", 40), ("e", 40), ("f", 60)]


@pytest.mark.parametrize(("type_", "version", "release"), FORMATS)
def test_hives_input_formats_read_by_name(
    type_: str, version: int, release: str, metastore: str, hive: Sides, tmp_path: Path
) -> None:
    """Without the properties for Spark, Spark reads as Hive does, by the input formats of the entries.

    The input formats of Hudi 1.2.0 fail for files that lack a column of the table. Rows of other files are read then.
    """
    side, table = hive(release), tmp_path / "table"
    database = f"i_{type_[0]}{version}_{release}".lower().replace(".", "_")
    options = {
        "table_name": "t",
        "record_key": "id",
        "ordering": "ts",
        "partition_by": "part",
        "table_type": type_,
        "table_version": version,
        "catalogs": "hive",
        "catalog_database": database,
        HIVE + "metastore.uris": metastore,
        HIVE + "sync_as_datasource": "false",
    }
    names = {"t": "snapshot", "t_rt": "snapshot", "t_ro": "read_optimized"}
    # the partition x exists before its column `extra`
    wider = PLAIN.append(pa.field("extra", pa.float64()))
    for ids, ts, schema in ((["a:x", "b:x", "c:y"], 10, PLAIN), (["a:x", "d:z"], 21, wider)):
        write_arrow(batch(ids, ts, schema=schema), table, options)
        for name in list(names)[: 1 if type_ == "COPY_ON_WRITE" else 3]:
            ours = hoodoo.Table(table).to_arrow(query_type=names[name])
            if ts > 10 and name != "t_ro":
                assert None not in ours.filter(pc.equal(ours["id"], "a"))["extra"].to_pylist()
            side.sql([f"REFRESH TABLE {database}.{name}"])
            selected = f"SELECT * FROM {database}.{name}"
            if ts > 10 and release == "1.2.0":
                with pytest.raises(HudiFailed, match="NullWritable cannot be cast"):  # see `known.NULL_WRITABLE`
                    side.query(selected, tmp_path / f"{name}-{ts}")
                # rows whose files have all columns
                selected, ours = f"{selected} WHERE part = 'z'", ours.filter(pc.equal(ours["part"], "z"))
            side.query(selected, tmp_path / f"{name}-{ts}-rows")
            assert ours.num_rows
            assert not difference(ours, parquet_table(tmp_path / f"{name}-{ts}-rows")), name
