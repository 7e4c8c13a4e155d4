"""Tables whose files lack meta columns or partition columns: Hudi reads them, and hoodoo and Hudi write to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve

import hoodoo
from hoodoo.errors import UnsupportedTable
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import difference, parquet_table
from tests.interop.known import DROPPED
from tests.interop.processes.hudi_side import HudiFailed, HudiSide
from tests.interop.story import COMMON

from .written import KINDS, RELEASES, Kind, step_rows

pytestmark = pytest.mark.interop

LAYOUTS: Mapping[str, dict[str, Any]] = {
    "no-meta": {"populate_meta_fields": False},
    "dropped": {"drop_partition_columns": True},
}
CASES = [
    pytest.param(layout, name := f"{type_}{version}-{form}-{index}", release, id=f"{layout}-{name}-{release}")
    for layout in LAYOUTS
    for type_ in ("cow", "mor")
    for version in (6, 9)
    for form, index in (("hive", "simple"), ("encoded", "bucket"))
    for release in RELEASES[version]
]


def read_alike(table: Path, side: HudiSide, folder: Path, *, escaped: bool = False) -> list[str]:
    """Check that hoodoo and Hudi read the same snapshot and read-optimized rows, and return the keys of the snapshot.

    Meta columns are not compared.

    Args:
        table: The folder of the table.
        side: The session of Hudi.
        folder: Folder for the rows that Hudi returns.
        escaped: Whether Hudi has escaped paths in the column `part` of the snapshot: see `known.DROPPED`.
    """
    for query in ("snapshot", "read_optimized"):
        ours = hoodoo.Table(table)
        side.read(table, {"hoodie.datasource.query.type": query}, folder / query)
        hudis = parquet_table(folder / query)
        if escaped and query == "snapshot":
            shown = hudis["part"].to_pylist()
            values = [unquote(path) for path in shown]
            assert shown != values, f"a known difference has disappeared: {DROPPED}"
            hudis = hudis.set_column(hudis.schema.get_field_index("part"), "part", pa.array(values))
        names = [name for name in ours.schema.names if not name.startswith("_hoodie")]
        assert difference(ours.to_arrow(names, query_type=query), hudis.select(names)) == "", query
    return sorted(ours.to_arrow(["id"])["id"].to_pylist())


@pytest.mark.parametrize(("layout", "name", "release"), CASES)
def test_hudi_reads_the_table_and_both_write_on(
    layout: str, name: str, release: str, hudi: Callable[[str], HudiSide], tmp_path: Path
) -> None:
    kind, side, table = KINDS[name], hudi(release), tmp_path / "table"
    ours: Kind = evolve(kind, ours={**kind.ours, **LAYOUTS[layout]})
    rows = step_rows("encoded" in name)
    escaped = layout == "dropped" and name == "mor6-encoded-bucket" and release == "0.15.0"

    def hudi_writes(batch: Any, operation: str) -> None:
        pq.write_table(batch, tmp_path / "rows.parquet")
        options = {**COMMON, **kind.hudis, "hoodie.datasource.write.operation": operation}
        side.write(table, tmp_path / "rows.parquet", options)

    ours.write(rows["first"], table, "bulk_insert")
    ours.write(rows["update"], table, "upsert")
    ours.write(rows["delete"], table, "delete")
    assert read_alike(table, side, tmp_path / "1", escaped=escaped) == ["b", "c", "d", "f", "g"]
    hudi_writes(rows["again"].slice(1), "upsert")
    hudi_writes(rows["update"].slice(1, 1), "delete")
    assert read_alike(table, side, tmp_path / "2", escaped=escaped) == ["b", "d", "f", "g"]
    ours.write(rows["last"], table, "upsert")
    ours.write(rows["last"].slice(0, 1), table, "delete")
    assert read_alike(table, side, tmp_path / "3", escaped=escaped) == ["b", "d", "g", "i"]
    if name.startswith("mor"):
        hoodoo.Table(table).compact()
        assert read_alike(table, side, tmp_path / "4", escaped=escaped) == ["b", "d", "g", "i"]


# the options are those of Hudi's job, and some of them have no effect in hoodoo
@pytest.mark.filterwarnings("ignore:(this option has|these options have) no effect:hoodoo.options.NoEffectWarning")
@pytest.mark.parametrize("release", ["1.2.0", "0.15.0"])
def test_hudi_refuses_what_hoodoo_refuses(release: str, hudi: Callable[[str], HudiSide], tmp_path: Path) -> None:
    """Both refuse to change which columns are stored, and to use `CustomKeyGenerator` without meta columns."""
    side, kind = hudi(release), KINDS["cow6-hive-simple"]
    rows = step_rows(False)["first"]
    pq.write_table(rows, tmp_path / "rows.parquet")
    table = "hoodie.datasource.write."
    for number, (first, then, words) in enumerate(
        [
            ({"hoodie.populate.meta.fields": "false"}, {"hoodie.populate.meta.fields": "true"}, "onflict"),
            ({}, {"hoodie.populate.meta.fields": "false"}, "onflict"),
            ({f"{table}drop.partition.columns": "true"}, {f"{table}drop.partition.columns": "false"}, "onflict"),
            ({}, {f"{table}drop.partition.columns": "true"}, "onflict"),
            (
                None,
                {
                    "hoodie.populate.meta.fields": "false",
                    f"{table}keygenerator.class": "org.apache.hudi.keygen.CustomKeyGenerator",
                    f"{table}partitionpath.field": "part:simple",
                },
                "Only simple, non-partitioned or complex key generator",
            ),
        ]
    ):
        path = tmp_path / str(number)
        options = {**COMMON, **kind.hudis}
        if first is not None:
            side.write(path, tmp_path / "rows.parquet", {**options, **first})
        with pytest.raises(HudiFailed, match=words):
            side.write(path, tmp_path / "rows.parquet", {**options, **then})
        with pytest.raises(hoodoo.errors.OptionError):
            write_arrow(rows, path if first is not None else tmp_path / "new", {**options, **then})


def test_keys_are_not_added_to_a_table_with_consistent_hashing(hudi: Callable[[str], HudiSide], tmp_path: Path) -> None:
    """hoodoo refuses to write to the table; Hudi itself stores keys of the table twice if it has another index."""
    side, kind, table = hudi("1.2.0"), KINDS["mor9-hive-bucket"], tmp_path / "table"
    rows = step_rows(False)
    hashing = {**COMMON, **kind.hudis, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}

    def hudi_writes(batch: Any, options: Mapping[str, str]) -> None:
        pq.write_table(batch, tmp_path / "rows.parquet")
        side.write(table, tmp_path / "rows.parquet", options)

    hudi_writes(rows["first"], hashing)
    read_alike(table, side, tmp_path / "1")
    with pytest.raises(UnsupportedTable, match="consistent hashing"):
        write_arrow(rows["update"], table, {})
    hudi_writes(rows["update"], hashing)
    assert read_alike(table, side, tmp_path / "2") == ["a", "b", "c", "d", "e", "f", "g"]
    hudi_writes(rows["update"], {**hashing, "hoodie.index.type": "SIMPLE"})
    assert len(read_alike(table, side, tmp_path / "3")) > 7
