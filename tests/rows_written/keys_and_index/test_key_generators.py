"""Key generators in a table: keys, stored properties, refused options, and the output of a task that runs again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo import Table
from hoodoo.errors import HoodooError, OptionError
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

ROWS = pa.table({"v": ["a", "b", "a", "a"], "city": ["oslo", "rome", "oslo", "rome"], "ts": [1, 2, 3, 3]})
TIMES = {
    "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
    "hoodie.keygen.timebased.output.dateformat": "yyyy",
}


def properties(path: Path) -> dict[str, str]:
    return dict(load_properties(storage_for(path)))


def options(**more: Any) -> dict[str, Any]:
    return {"table_name": "t", "operation": "insert", **more}


def forget(path: Path, prefix: str) -> None:
    """Remove the properties whose keys begin with a prefix, as if Hudi had created the table."""
    file = path / ".hoodie/hoodie.properties"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith(prefix)), encoding="utf-8")


def keys(path: Path) -> list[str]:
    return sorted(row["_hoodie_record_key"] for row in hoodoo_rows(path))


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 9])
def test_generated_keys_are_those_of_hudi(version: int, table_type: str, tmp_path: Path) -> None:
    given = options(keygen="auto", partition_by="city", table_version=version, table_type=table_type)
    first = write_arrow(ROWS, tmp_path, given)
    second = write_arrow(ROWS.slice(0, 1), tmp_path, options())

    expected = [f"{first.instant}_0_{row}" for row in range(4)] + [f"{second.instant}_0_0"]
    assert keys(tmp_path) == expected
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package")
    stored = properties(tmp_path)
    assert "hoodie.table.recordkey.fields" not in stored
    # the class is that of the partition paths: Hudi recognizes generated keys by the missing record key
    simple = ("class", "org.apache.hudi.keygen.SimpleKeyGenerator") if version == 6 else ("type", "SIMPLE")
    assert stored[f"hoodie.table.keygenerator.{simple[0]}"] == simple[1]


def test_a_table_of_hudi_without_record_key_gets_generated_keys(tmp_path: Path) -> None:
    write_arrow(ROWS, tmp_path, options(keygen="auto", partition_by="city"))
    forget(tmp_path, "hoodoo.keygen")

    commit = write_arrow(ROWS.slice(0, 1), tmp_path, options())
    assert keys(tmp_path)[-1] == f"{commit.instant}_0_0"


def test_uuids_are_new_in_each_write(tmp_path: Path) -> None:
    for _ in range(2):
        write_arrow(ROWS, tmp_path, options(keygen="uuid"))

    assert len(set(keys(tmp_path))) == 8
    assert properties(tmp_path)["hoodie.table.keygenerator.class"] == "org.apache.hudi.keygen.UuidKeyGenerator"
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package")


def keys_of(uri: str, statuses: Iterable[FileStatus]) -> list[str]:
    tables = [pq.read_table(Path(uri.removeprefix("file://")) / status.path) for status in statuses]
    return sorted(key for table in tables for key in table["_hoodie_record_key"].to_pylist())


@pytest.mark.parametrize("keygen", ["auto", "uuid"])
def test_a_task_that_runs_again_gives_its_rows_the_same_keys(
    keygen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []
    run = ArrowBatch.run

    def twice(self: ArrowBatch, plan: TaskPlan, **arguments: Any) -> list[FileStatus]:
        results = [run(self, plan, **arguments) for _ in range(2)]
        assert {s.path for s in results[0]}.isdisjoint(s.path for s in results[1])
        attempts.extend(keys_of(plan.table.uri, statuses) for statuses in results)
        return results[1]

    monkeypatch.setattr(ArrowBatch, "run", twice)
    write_arrow(ROWS, tmp_path, options(keygen=keygen, partition_by="city"))

    assert attempts[0] == attempts[1] == keys(tmp_path)
    assert len(set(attempts[0])) == len(ROWS)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"combine_before_insert": True}, "'combine_before_insert' or 'drop_duplicates' has no effect"),
        ({"drop_duplicates": True}, "'dup_policy' or 'drop_duplicates' has no effect"),
        ({"index": "bucket"}, "index 'bucket' needs record key columns"),
        ({"arrival": "ts"}, "'arrival' is 'ts', which rows may share"),
        ({"record_key": "v"}, "generates keys and 'record_key' names v"),
    ],
)
@pytest.mark.parametrize("keygen", ["auto", "uuid"])
def test_lookups_of_generated_keys_are_rejected(keygen: str, more: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=words):
        write_arrow(ROWS, tmp_path / "t", options(keygen=keygen, **more))
    assert not (tmp_path / "t").exists()


def test_a_delete_by_generated_keys_is_refused(tmp_path: Path) -> None:
    write_arrow(ROWS, tmp_path, options(keygen="auto"))
    with pytest.raises(OptionError, match="operation 'delete' would find none"):
        write_arrow(ROWS, tmp_path, options(operation="delete"))


def test_the_error_for_a_missing_record_key_names_the_solution(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'record_key', or leave 'keygen' out.*\('auto'"):
        write_arrow(ROWS, tmp_path / "t", options(keygen="simple"))


@pytest.mark.parametrize("version", [6, 9])
def test_kinds_of_partition_columns_stay_with_the_table(version: int, tmp_path: Path) -> None:
    given = options(record_key="v", partition_by="city:simple,ts:timestamp", table_version=version, **TIMES)
    write_arrow(ROWS.slice(0, 2), tmp_path, given)
    stored = properties(tmp_path)
    if version == 6:
        assert stored["hoodie.table.partition.fields"] == "city,ts"
        assert stored["hoodie.table.keygenerator.class"] == "org.apache.hudi.keygen.CustomKeyGenerator"
    else:
        assert stored["hoodie.table.partition.fields"] == "city:simple,ts:timestamp"
        assert stored["hoodie.table.keygenerator.type"] == "CUSTOM"

    for again in ({}, {"partition_by": "city:simple,ts:timestamp"}, {"partition_by": "city,ts"}):
        write_arrow(ROWS.slice(0, 2), tmp_path, {"operation": "upsert", **again})
    assert sorted(row["_hoodie_partition_path"] for row in hoodoo_rows(tmp_path)) == ["oslo/1970", "rome/1970"]
    if version == 6:
        assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package")
    else:  # the package reads the kinds, which Hudi itself stores from version 8 on, as parts of names
        with pytest.raises(Exception, match="is not present in the table schema"):
            hudi_rows(tmp_path)
    for other in ("city:timestamp,ts:timestamp", "ts:timestamp,city:simple", "city:simple"):
        with pytest.raises(OptionError, match="contradict"):
            write_arrow(ROWS.slice(0, 2), tmp_path, {"partition_by": other})


def test_kinds_that_a_table_does_not_store_come_from_the_options(tmp_path: Path) -> None:
    """Below version 8, Hudi stores the names of the partition columns without their kinds."""
    kinds = "city:simple,ts:timestamp"
    write_arrow(ROWS.slice(0, 2), tmp_path, options(record_key="v", partition_by=kinds, **TIMES))
    forget(tmp_path, "hoodoo.")

    with pytest.raises(HoodooError) as caught:
        write_arrow(ROWS.slice(0, 1), tmp_path, {})
    assert caught.value.code == "partition_type_missing"
    commit = write_arrow(ROWS.slice(0, 1), tmp_path, {"partition_by": kinds})
    assert commit.rows_updated == 1


def test_global_delete_makes_a_table_without_partitions(tmp_path: Path) -> None:
    write_arrow(ROWS.slice(0, 2), tmp_path / "t", options(record_key="v", keygen="GLOBAL_DELETE"))

    assert keys(tmp_path / "t") == ["v:a", "v:b"]
    with pytest.warns(NoEffectWarning, match="makes no partitions"):
        write_arrow(ROWS, tmp_path / "u", options(record_key="v", keygen="global-delete", partition_by="city"))
    assert not Table(tmp_path / "u").properties.get("hoodie.table.partition.fields")


def test_a_delete_in_all_partitions_by_named_keys(tmp_path: Path) -> None:
    """A delete with Hudi's GlobalDeleteKeyGenerator needs no partition column; an upsert with it is refused."""
    given = {"table_name": "t", "record_key": "v,ts", "partition_by": "city", "index": "global-simple"}
    write_arrow(ROWS, tmp_path, given)
    delete = {"operation": "delete", "keygen": "org.apache.hudi.keygen.GlobalDeleteKeyGenerator"}
    write_arrow(pa.table({"v": ["a"], "ts": [1]}), tmp_path, {**delete, "index": "global-simple"})

    assert keys(tmp_path) == ["v:a,ts:3", "v:b,ts:2"]
    with pytest.raises(OptionError, match="two generators cannot be compared"):
        write_arrow(ROWS, tmp_path, {**delete, "operation": "upsert"})


def test_a_delete_by_named_keys_of_a_table_with_plain_ones_is_refused(tmp_path: Path) -> None:
    given = {"table_name": "t", "record_key": "v", "partition_by": "city", "index": "global-simple"}
    write_arrow(ROWS, tmp_path, given)
    with pytest.raises(OptionError, match="are plain values; leave the option 'keygen' out"):
        write_arrow(pa.table({"v": ["a"]}), tmp_path, {"operation": "delete", "keygen": "global-delete"})


def test_mode_overwrite_replaces_rows_of_generated_keys(tmp_path: Path) -> None:
    for _ in range(2):
        write_arrow(ROWS, tmp_path, options(keygen="auto"), mode="overwrite")

    assert len(hoodoo_rows(tmp_path)) == 4
    assert hoodoo.Table(tmp_path).history()[0].operation == "insert_overwrite_table"


@pytest.mark.spark
@pytest.mark.parametrize("operation", ["insert", "bulk_insert"])
@pytest.mark.parametrize("keygen", ["auto", "uuid"])
def test_generated_keys_by_spark(keygen: str, operation: str, spark: Any, tmp_path: Path) -> None:
    """Every row gets a different key, in every task."""
    frame = spark.range(0, 1000, 1, 3).selectExpr("cast(id as string) as v", "cast(id % 2 as string) as city")
    given = options(keygen=keygen, partition_by="city", operation=operation)
    hoodoo.write(frame, tmp_path, given)
    hoodoo.write(frame.limit(10), tmp_path, given)

    rows = hoodoo_rows(tmp_path)
    assert sorted(int(row["v"]) for row in rows) == sorted([*range(1000), *range(10)])
    assert len({row["_hoodie_record_key"] for row in rows}) == 1010
    assert {(row["_hoodie_partition_path"], int(row["v"]) % 2) for row in rows} == {("0", 0), ("1", 1)}
