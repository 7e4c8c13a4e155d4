"""The entries in a Hive metastore that Hudi's sync makes for a table, compared with those of hoodoo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve
from moto import mock_aws

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.interop.processes.hudi_side import HudiSide
from tests.interop.rows import WIDE, batch
from tests.interop.story import COMMON

from .metastore import VOLATILE, Entry, entries, entry_difference

pytestmark = pytest.mark.interop

Sides = Callable[[str], HudiSide]

HIVE = "hoodie.datasource.hive_sync."
WRITE = "hoodie.datasource.write."
DECODE = "hoodie.meta.sync.decode_partition"
SNAPSHOT = "hoodie.meta.sync.sync_snapshot_with_table_name"
SCHEMA = "spark.sql.sources.schema."
FORMATS = (("COPY_ON_WRITE", 6, "0.15.0"), ("MERGE_ON_READ", 6, "0.15.0"))
FORMATS += (("COPY_ON_WRITE", 9, "1.2.0"), ("MERGE_ON_READ", 9, "1.2.0"))
WIDER = WIDE.append(pa.field("extra", pa.float64()))
KINDS: dict[str, dict[str, str]] = {
    "none": {WRITE + "partitionpath.field": ""},
    "plain": {WRITE + "partitionpath.field": "part"},
    "hive-style": {WRITE + "partitionpath.field": "part", WRITE + "hive_style_partitioning": "true"},
    "encoded": {WRITE + "partitionpath.field": "part", WRITE + "partitionpath.urlencode": "true", DECODE: "false"},
    "two-columns": {WRITE + "partitionpath.field": "part,v", WRITE + "hive_style_partitioning": "true"},
    "timestamps": {WRITE + "partitionpath.field": "part", HIVE + "support_timestamp": "true"},
    "hive-only": {WRITE + "partitionpath.field": "part", HIVE + "sync_as_datasource": "false"},
    "managed": {WRITE + "partitionpath.field": "part", HIVE + "create_managed_table": "true"},
    "properties": {
        WRITE + "partitionpath.field": "part",
        HIVE + "table_properties": "team=rides\nlevel=gold",
        HIVE + "serde_properties": "mode=fast",
    },
    "comments": {WRITE + "partitionpath.field": "part", HIVE + "sync_comment": "true"},
    # the schema for Spark has several parts
    "many-columns": {WRITE + "partitionpath.field": "part"},
    "read-optimized": {WRITE + "partitionpath.field": "part", HIVE + "table.strategy": "RO"},
    "realtime": {WRITE + "partitionpath.field": "part", HIVE + "table.strategy": "RT"},
    # without the last option, Hudi lists the read-optimized and the merged rows alternately under one name
    "no-suffix": {WRITE + "partitionpath.field": "part", HIVE + "skip_ro_suffix": "true", SNAPSHOT: "false"},
    "no-meta-columns": {WRITE + "partitionpath.field": "part", HIVE + "omit_metadata_fields": "true"},
}


def with_known_differences(hudis: Entry, release: str) -> Entry:
    """Return an entry of Hudi as hoodoo makes it, where hoodoo differs on purpose: see docs/catalogs.md."""
    properties = joined_schema(hudis.properties, release)
    if release == "1.2.0":
        assert properties.pop("hudi_writer_version") == release
    elif "schema" in properties:
        # 0.15.0 lists arrays as without nulls, which the writer's arrays may have
        properties["schema"] = properties["schema"].replace('"containsNull":false', '"containsNull":true')
    return evolve(hudis, properties=properties)


def joined_schema(properties: Mapping[str, str], release: str) -> dict[str, str]:
    """Return properties with the parts of the schema for Spark as one text, if Hudi's parts have other lengths."""
    if release == "1.2.0" or SCHEMA + "numParts" not in properties:
        return dict(properties)
    names = [f"{SCHEMA}part.{number}" for number in range(int(properties[SCHEMA + "numParts"]))]
    rest = {name: text for name, text in properties.items() if name not in (*names, SCHEMA + "numParts")}
    return {**rest, "schema": "".join(properties[name] for name in names)}


@pytest.mark.parametrize(("type_", "version", "release"), FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_entries_equal_those_of_hudis_sync(
    kind: str, type_: str, version: int, release: str, metastore: str, hive: Sides, tmp_path: Path
) -> None:
    side, table, file = hive(release), tmp_path / "table", tmp_path / "rows.parquet"
    name = f"{kind}_{type_[0]}{version}_{release}".lower().replace(".", "_").replace("-", "_")
    sync = {
        HIVE + "metastore.uris": metastore,
        **{key: value for key, value in KINDS[kind].items() if WRITE not in key},
    }
    options = {
        **COMMON,
        "hoodie.datasource.write.table.type": type_,
        "hoodie.write.table.version": str(version),
        HIVE + "enable": "true",
        HIVE + "mode": "hms",
        HIVE + "database": f"hudi_{name}",
        HIVE + "table": "T1",
        **sync,
        **KINDS[kind],
    }
    parts = (":a/b c", ":é=1") if kind == "encoded" else (":x", ":y")
    differences: dict[str, Any] = {}
    more = [pa.field(f"column_{number}", pa.int64()) for number in range(90 if kind == "many-columns" else 0)]
    for step, schema in enumerate((pa.schema([*WIDE, *more]), pa.schema([*WIDER, *more]))):
        pq.write_table(batch([f"a{parts[0]}", f"b{parts[step]}"], 10 + step, schema=schema, v=7), file)
        side.write(table, file, options)
        hoodoo.Table(table).sync(
            **sync,
            **{
                "catalogs": "hive",
                "catalog_database": f"hoodoo_{name}",
                "catalog_table": "T1",
                "hoodie.meta_sync.spark.version": "3.5.9",
            },
        )
        ours, hudis = (entries(metastore, f"{side_}_{name}") for side_ in ("hoodoo", "hudi"))
        assert set(ours) == set(hudis)
        for each in ours:
            mine = evolve(ours[each], properties=joined_schema(ours[each].properties, release))
            expected = with_known_differences(hudis[each], release)
            for path, values in entry_difference(mine, expected).items():
                if kind == "hive-only" and path.startswith("partitions/") and path.endswith("/serde_properties/path"):
                    continue  # a known difference
                differences[f"step {step}, {each}, {path}"] = values
    assert not differences, "\n".join(
        f"{path}: hoodoo {mine!r}, Hudi {his!r}" for path, (mine, his) in differences.items()
    )


@pytest.mark.parametrize(("type_", "version", "release"), FORMATS)
def test_an_entry_of_spark_sql_differs_as_hudis_own_do(
    type_: str, version: int, release: str, metastore: str, hive: Sides, tmp_path: Path
) -> None:
    """The entry of hoodoo differs from that of Hudi's `CREATE TABLE ... USING hudi` in known values only.

    Hudi's own sync makes another entry than its catalog: see docs/catalogs.md.
    """
    table, name = tmp_path / "table", f"{type_[0]}{version}_{release}".lower().replace(".", "_")
    options = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "part"}
    synced = {"catalogs": "hive", "catalog_database": f"hoodoo_sql_{name}", HIVE + "metastore.uris": metastore}
    write_arrow(batch(["a:x", "b:y"], 10), table, {**options, "table_type": type_, "table_version": version, **synced})
    sql = f"CREATE TABLE sql_{name}.t USING hudi LOCATION '{table}'"
    hive(release).sql([f"CREATE DATABASE sql_{name}", sql])

    ours, hudis = entries(metastore, f"hoodoo_sql_{name}"), entries(metastore, f"sql_{name}")
    found = entry_difference(ours["t"], hudis["t"])
    assert {path for path in found if not path.startswith(("partitions/", "descriptor/serde_properties/hoodoo."))} == {
        # only Hudi's catalog lists a timestamp with the type `timestamp`
        "columns",
        # Hudi's catalog reads both forms of a merge-on-read table from one entry
        "descriptor/serde_properties/hoodie.query.as.ro.table",
        *(() if release < "1.1" else ("properties/path",)),
        "properties/primaryKey",
        "properties/provider",
        "properties/spark.sql.create.version",
        # the same without spaces
        "properties/spark.sql.sources.schema.part.0",
        "properties/type",
        "properties/preCombineField" if release < "1.1" else "properties/orderingFields",
    }
    texts = [entry.properties[SCHEMA + "part.0"].replace(" ", "") for entry in (ours["t"], hudis["t"])]
    assert texts[0] == texts[1]
    # partitions are not listed before MSCK REPAIR or a sync
    assert (len(ours["t"].partitions), len(hudis["t"].partitions)) == (2, 0)


@pytest.mark.parametrize(("type_", "version", "release"), FORMATS)
def test_entries_in_glue_equal_those_of_hudi_in_a_metastore(
    type_: str,
    version: int,
    release: str,
    metastore: str,
    hive: Sides,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The descriptors in Glue have the content of those in a metastore; only Glue has a property for Athena."""
    table, file = tmp_path / "table", tmp_path / "rows.parquet"
    database = f"glue_{type_[0]}{version}_{release}".lower().replace(".", "_")
    options = {
        **COMMON,
        WRITE + "table.type": type_,
        "hoodie.write.table.version": str(version),
        WRITE + "partitionpath.field": "part",
        HIVE + "enable": "true",
        HIVE + "mode": "hms",
        HIVE + "metastore.uris": metastore,
        HIVE + "database": database,
        HIVE + "table": "t",
    }
    pq.write_table(batch(["a:x", "b:y"], 10), file)
    hive(release).write(table, file, options)
    for name, value in {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1"}.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        names = {"catalog_database": database, "catalog_table": "t", "hoodie.meta_sync.spark.version": "3.5.9"}
        hoodoo.Table(table).sync(catalogs="glue", **names)
        client = boto3.client("glue", region_name="eu-west-1")
        found = {each["Name"]: each for each in client.get_tables(DatabaseName=database)["TableList"]}
        partitions = {
            name: client.get_partitions(DatabaseName=database, TableName=name)["Partitions"] for name in found
        }
    hudis = {name: with_known_differences(entry, release) for name, entry in entries(metastore, database).items()}
    assert set(found) == set(hudis)
    for name, entry in hudis.items():
        mine, descriptor = found[name], found[name]["StorageDescriptor"]
        assert mine["Parameters"].pop("hudi.metadata-listing-enabled") == "FALSE"
        lasting = {key: value for key, value in mine["Parameters"].items() if key not in VOLATILE}
        assert joined_schema(lasting, release) == entry.properties
        assert mine["TableType"] == entry.kind
        assert glue_columns(descriptor["Columns"]) == entry.columns
        assert glue_columns(mine["PartitionKeys"]) == entry.partition_columns
        assert glue_descriptor(descriptor) == {key: entry.descriptor[key] for key in glue_descriptor(descriptor)}
        for each in partitions[name]:
            theirs = entry.partitions["/".join(each["Values"])]
            mine_too = glue_descriptor(each["StorageDescriptor"])
            assert {key: theirs[key] for key in ("location", "input_format", "output_format", "serde")} == {
                key: mine_too[key] for key in ("location", "input_format", "output_format", "serde")
            }
        assert len(partitions[name]) == len(entry.partitions) == 2


def glue_columns(found: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    return [(each["Name"], each["Type"], each.get("Comment", "")) for each in found]


def glue_descriptor(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "location": found["Location"].removeprefix("file://"),
        "input_format": found["InputFormat"],
        "output_format": found["OutputFormat"],
        "serde": found["SerdeInfo"]["SerializationLibrary"],
        "serde_properties": {
            name: value.removeprefix("file://") for name, value in found["SerdeInfo"].get("Parameters", {}).items()
        },
    }
