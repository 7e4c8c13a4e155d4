"""Jobs of Hudi's documentation and users have the same results as in Hudi 1.2.

The expected rows are those that Hudi 1.2.0 wrote and read for the same batches and options, except where a test states
that a batch is refused.
"""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

from hoodoo import Table, check
from hoodoo.errors import DataError, OptionError
from hoodoo.options import NoEffectWarning
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "p",
    "hoodie.datasource.write.precombine.field": "ts",
}
KEYLESS = {key: value for key, value in OPTIONS.items() if "recordkey" not in key and "precombine" not in key}
OPERATION = "hoodie.datasource.write.operation"


def rows(*values: tuple[str, str, int]) -> pa.Table:
    ids, partitions, times = zip(*values, strict=True)
    return pa.table({"id": ids, "p": partitions, "ts": pa.array(times, pa.int64())})


STORED = rows(("a", "x", 1), ("b", "y", 2))
REPEATED = rows(("c", "x", 3), ("c", "x", 4), ("a", "x", 5), ("a", "x", 6))


def stored(path) -> list[tuple[str, str, int]]:
    found = Table(path).to_arrow(["id", "p", "ts"]).to_pylist()
    assert len(hudi_rows(path)) == len(found)
    return sorted((row["id"], row["p"], row["ts"]) for row in found)


def test_an_upsert_that_drops_duplicates_is_an_insert(tmp_path):
    write_arrow(STORED, tmp_path / "t", OPTIONS)

    drop = {"hoodie.datasource.write.insert.drop.duplicates": "true", OPERATION: "upsert"}
    with pytest.warns(NoEffectWarning, match="takes the place of operation upsert"):
        write_arrow(REPEATED, tmp_path / "t", {**OPTIONS, **drop})

    assert stored(tmp_path / "t") == [("a", "x", 1), ("b", "y", 2), ("c", "x", 4)]


def test_mode_overwrite_with_insert_overwrite_replaces_the_whole_table(tmp_path):
    write_arrow(STORED, tmp_path / "t", OPTIONS)

    write_arrow(rows(("c", "x", 3)), tmp_path / "t", {**OPTIONS, OPERATION: "insert_overwrite"}, "overwrite")

    assert stored(tmp_path / "t") == [("c", "x", 3)]


def test_rows_without_a_record_key_are_appended(tmp_path):
    write_arrow(STORED, tmp_path / "t", KEYLESS)
    write_arrow(rows(("a", "x", 3)), tmp_path / "t", {"hoodie.table.name": "t"})

    assert stored(tmp_path / "t") == [("a", "x", 1), ("a", "x", 3), ("b", "y", 2)]
    table = Table(tmp_path / "t")
    assert [commit.operation for commit in table.history()] == ["bulk_insert", "bulk_insert"]
    assert "hoodie.table.recordkey.fields" not in table.properties


def test_a_table_without_a_record_key_is_overwritten(tmp_path):
    write_arrow(STORED, tmp_path / "t", KEYLESS)
    write_arrow(rows(("c", "x", 3)), tmp_path / "t", KEYLESS, "overwrite")

    assert stored(tmp_path / "t") == [("c", "x", 3)]


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("ordering", [{}, {"hoodie.datasource.write.precombine.field": "ts"}])
def test_an_upsert_of_rows_without_a_record_key_inserts_them(tmp_path, kind, ordering):
    given = {**KEYLESS, **ordering, OPERATION: "upsert", "hoodie.datasource.write.table.type": kind}
    for _ in range(2):
        with pytest.warns(NoEffectWarning, match="inserts all rows, as in Hudi"):
            write_arrow(STORED, tmp_path / "t", given)

    assert stored(tmp_path / "t") == [("a", "x", 1), ("a", "x", 1), ("b", "y", 2), ("b", "y", 2)]


def test_a_delete_of_rows_without_a_record_key_is_refused(tmp_path):
    """The delete is refused, because it would find no row; Hudi fails while it makes the keys."""
    write_arrow(STORED, tmp_path / "t", KEYLESS)
    with pytest.raises(OptionError, match="would find none of them"):
        write_arrow(STORED, tmp_path / "t", {**KEYLESS, OPERATION: "delete"})


UNCOMBINED = {"hoodie.combine.before.upsert": "false"}


@pytest.mark.parametrize("index", ["SIMPLE", "GLOBAL_SIMPLE", "BUCKET"])
def test_an_upsert_of_rows_that_are_not_combined(tmp_path, index):
    given = {**OPTIONS, **UNCOMBINED, "hoodie.index.type": index}
    write_arrow(STORED, tmp_path / "t", given)
    write_arrow(rows(("c", "x", 3), ("a", "x", 5)), tmp_path / "t", given)
    expected = [("a", "x", 5), ("b", "y", 2), ("c", "x", 3)]
    assert stored(tmp_path / "t") == expected

    with pytest.raises(DataError, match=r"record keys such as '[ac]'.* occur in several incoming rows") as raised:
        write_arrow(REPEATED, tmp_path / "t", given)

    assert raised.value.code == "repeated_key"
    assert stored(tmp_path / "t") == expected


def test_one_key_in_two_partitions_is_not_repeated_but_for_a_global_index(tmp_path):
    both = rows(("a", "x", 1), ("a", "y", 2))
    write_arrow(both, tmp_path / "t", {**OPTIONS, **UNCOMBINED})
    assert stored(tmp_path / "t") == [("a", "x", 1), ("a", "y", 2)]

    with pytest.raises(DataError, match="such as 'a'"):
        write_arrow(both, tmp_path / "g", {**OPTIONS, **UNCOMBINED, "hoodie.index.type": "GLOBAL_SIMPLE"})


@pytest.mark.parametrize(("moves", "partition"), [(None, "y"), ("true", "x")])
def test_a_table_without_a_record_index_is_searched_by_a_global_one(tmp_path, moves, partition):
    given = {**OPTIONS, "hoodie.index.type": "RECORD_INDEX"}
    given |= {} if moves is None else {"hoodie.record.index.update.partition.path": moves}
    write_arrow(STORED, tmp_path / "t", given)
    with pytest.warns(NoEffectWarning, match="as 'global-simple' does: the table has no record index"):
        write_arrow(rows(("b", "x", 9)), tmp_path / "t", given)

    keys = Table(tmp_path / "t").to_arrow(["_hoodie_record_key", "_hoodie_partition_path", "ts"]).to_pylist()
    assert sorted(tuple(row.values()) for row in keys) == [("a", "x", 1), ("b", partition, 9)]


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("ordering", ["ts", None])
def test_a_table_of_version_8(tmp_path, kind, ordering):
    given = {**OPTIONS, "hoodie.write.table.version": "8", "hoodie.datasource.write.table.type": kind}
    given["hoodie.datasource.write.precombine.field"] = ordering
    write_arrow(STORED, tmp_path / "t", given)
    write_arrow(rows(("a", "x", 0), ("c", "x", 3)), tmp_path / "t", given)

    late = ("a", "x", 1 if ordering else 0)
    assert stored(tmp_path / "t") == [late, ("b", "y", 2), ("c", "x", 3)]
    properties = Table(tmp_path / "t").properties
    mode = "EVENT_TIME_ORDERING" if ordering else "COMMIT_TIME_ORDERING"
    payload = "DefaultHoodieRecordPayload" if ordering else "OverwriteWithLatestAvroPayload"
    assert properties["hoodie.table.version"] == properties["hoodie.table.initial.version"] == "8"
    assert properties["hoodie.record.merge.mode"] == mode
    assert properties["hoodie.compaction.payload.class"] == f"org.apache.hudi.common.model.{payload}"
    assert properties.get("hoodie.table.precombine.field") == ordering
    assert "hoodie.table.ordering.fields" not in properties


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_all_services_can_be_left_to_others(tmp_path, enabled):
    given = {**OPTIONS, "hoodie.table.services.enabled": enabled, "hoodie.clean.commits.retained": "1"}
    for _ in range(4):
        write_arrow(STORED, tmp_path / "t", given)

    cleans = [instant for instant in Table(tmp_path / "t").timeline.instants if instant.action == "clean"]
    assert bool(cleans) == (enabled == "true")


def test_the_path_is_an_option(tmp_path):
    write_arrow(STORED, None, {**OPTIONS, "path": str(tmp_path / "t")})
    write_arrow(STORED, tmp_path / "t", {**OPTIONS, "basePath": f"file://{tmp_path}/t/"})

    assert len(stored(tmp_path / "t")) == 2
    with pytest.raises(OptionError, match="give one path"):
        write_arrow(STORED, tmp_path / "u", {**OPTIONS, "path": str(tmp_path / "t")})


SHARED = {"hoodie.write.concurrency.mode": "OPTIMISTIC_CONCURRENCY_CONTROL"}


def test_without_a_lock_provider_only_writers_of_hoodoo_are_coordinated(tmp_path):
    with pytest.warns(NoEffectWarning, match="writers of Hudi are not"):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **SHARED})

    file = tmp_path / "t/.hoodie/hoodie.properties"
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("hoodoo.")))
    with pytest.raises(OptionError, match="Hudi made the table"):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **SHARED})


def test_keys_of_zookeeper_select_its_lock_as_in_hudi():
    keys = {f"hoodie.write.lock.zookeeper.{key}": "x" for key in ("url", "base_path", "lock_key")}
    given = {**OPTIONS, **SHARED, **keys, "hoodie.write.lock.zookeeper.port": "2181"}
    found = check(given, columns={"id": "string", "p": "string", "ts": "long"})
    assert (found.blockers, found.notices) == ((), ())


def test_the_sync_of_a_catalog_is_one_notice(tmp_path):
    sync = {"hoodie.datasource.hive_sync.enable": "true", "hoodie.datasource.hive_sync.mode": "hms"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **sync})
    [notice] = caught
    assert "is not updated" in str(notice.message)
