"""Jobs with options that Hudi ignores or whose names are misleading: the rows are those of Hudi 0.x."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo import Table, check
from hoodoo.errors import OptionError
from hoodoo.options import NoEffectWarning
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows

WRITE = "hoodie.datasource.write."
OPTIONS = {
    "hoodie.table.name": "t",
    WRITE + "recordkey.field": "id",
    WRITE + "partitionpath.field": "p",
    WRITE + "precombine.field": "ts",
}
EMPTY = {WRITE + "payload.class": "org.apache.hudi.common.model.EmptyHoodieRecordPayload"}
MODEL = "org.apache.hudi.common.model."


def rows(*values: tuple[str, str, int]) -> pa.Table:
    ids, partitions, times = zip(*values, strict=True)
    return pa.table({"id": ids, "p": partitions, "ts": pa.array(times, pa.int64())})


STORED = rows(("a", "x", 5), ("b", "y", 2), ("c", "x", 3))


def stored(path) -> list[tuple[str, str, int]]:
    found = Table(path).to_arrow(["id", "p", "ts"]).to_pylist()
    assert len(hudi_rows(path)) == len(found)
    return sorted((row["id"], row["p"], row["ts"]) for row in found)


def metadata(path) -> dict[str, str]:
    timeline = Table(path).timeline
    return dict(timeline.commit_metadata(timeline.commits[-1]).extra_metadata)


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("payload", [None, "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"])
@pytest.mark.parametrize("operation", [{}, {WRITE + "operation": "upsert"}, {WRITE + "operation": "delete"}])
def test_the_empty_payload_deletes_rows_of_a_table_with_another_rule(tmp_path, kind, payload, operation):
    table = {**OPTIONS, WRITE + "table.type": kind}
    write_arrow(STORED, tmp_path / "t", {**table, **({WRITE + "payload.class": MODEL + payload} if payload else {})})

    gone = rows(("a", "x", 4), ("never", "x", 9))  # the older ordering value does not matter
    if operation.get(WRITE + "operation") == "delete":
        write_arrow(gone, tmp_path / "t", {**table, **EMPTY, **operation})
    else:
        with pytest.warns(NoEffectWarning, match="'empty' deletes the row of every key"):
            write_arrow(gone, tmp_path / "t", {**table, **EMPTY, **operation})
    assert stored(tmp_path / "t") == [("b", "y", 2), ("c", "x", 3)]

    write_arrow(rows(("a", "x", 6)), tmp_path / "t", table)
    assert stored(tmp_path / "t") == [("a", "x", 6), ("b", "y", 2), ("c", "x", 3)]


def test_the_empty_payload_is_refused_where_later_releases_would_store_the_rows(tmp_path):
    write_arrow(STORED, tmp_path / "t", {**OPTIONS, "hoodie.write.table.version": "9"})

    with pytest.raises(OptionError, match="names payload 'empty'"):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **EMPTY})


def test_the_empty_payload_replaces_no_table(tmp_path):
    write_arrow(STORED, tmp_path / "t", OPTIONS)

    refused = pytest.raises(OptionError, match="mode 'overwrite' replaces the whole table, and operation is 'delete'")
    with refused, pytest.warns(NoEffectWarning):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **EMPTY}, "overwrite")
    assert len(stored(tmp_path / "t")) == 3


def test_partition_columns_of_a_generator_without_partitions(tmp_path):
    options = {**OPTIONS, WRITE + "keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator"}
    for batch in (STORED, rows(("a", "moved", 6))):
        with pytest.warns(NoEffectWarning, match="'non-partitioned' makes no partitions"):
            write_arrow(batch, tmp_path / "t", options)

    assert stored(tmp_path / "t") == [("a", "moved", 6), ("b", "y", 2), ("c", "x", 3)]
    assert set(Table(tmp_path / "t").to_arrow()["_hoodie_partition_path"].to_pylist()) == {""}


def test_options_of_timestamps_without_a_generator_for_them(tmp_path):
    timebased = {"hoodie.deltastreamer.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS"}
    with pytest.warns(NoEffectWarning, match="has no options of timestamps"):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **timebased})
    assert len(stored(tmp_path / "t")) == 3


def test_entries_of_the_commit_metadata(tmp_path):
    prefix = {WRITE + "commitmeta.key.prefix": "pipeline."}
    write_arrow(STORED, tmp_path / "t", {**OPTIONS, **prefix, "pipeline.run": 17})
    assert metadata(tmp_path / "t")["pipeline.run"] == "17"

    write_arrow(STORED, tmp_path / "t", {**OPTIONS, "commit_metadata": {"run": "18", "schema": "mine"}})
    kept = metadata(tmp_path / "t")
    assert kept["run"] == "18"
    assert "pipeline.run" not in kept
    assert kept["schema"].startswith("{")
    assert len(stored(tmp_path / "t")) == 3


@pytest.mark.parametrize("operation", ["insert_overwrite", "insert_overwrite_table"])
def test_duplicates_of_a_batch_that_replaces_partitions(tmp_path, operation):
    write_arrow(STORED, tmp_path / "t", OPTIONS)

    drop = {WRITE + "insert.drop.duplicates": "true", WRITE + "operation": operation}
    with pytest.warns(NoEffectWarning, match="merges incoming rows of one key only"):
        write_arrow(rows(("a", "x", 7), ("a", "x", 8)), tmp_path / "t", {**OPTIONS, **drop})

    others = [("b", "y", 2)] if operation == "insert_overwrite" else []
    assert stored(tmp_path / "t") == [("a", "x", 8), *others]


def test_a_policy_for_duplicates_with_the_default_operation(tmp_path):
    options = {**OPTIONS, "hoodie.datasource.insert.dup.policy": "drop"}
    for batch in (STORED, rows(("a", "x", 9), ("d", "x", 1))):
        write_arrow(batch, tmp_path / "t", options)
    assert stored(tmp_path / "t") == [("a", "x", 5), ("b", "y", 2), ("c", "x", 3), ("d", "x", 1)]


def test_misspelt_keys_of_services_and_keys_of_other_sources_stop_no_job(tmp_path):
    others = {
        "hoodie.datasource.write.hive_sync.enable": "true",
        "hoodie.cleaning.commits.keep": "9",
        "header": True,
        "kafka.bootstrap.servers": "host:9092",
        "compaction.tasks": 4,
        "deltaStreamer.x": None,
    }
    found = check({**OPTIONS, **others}, columns={"id": "string", "p": "string", "ts": "long"})
    assert found.accepted, found.blockers
    for key in ("write.hive_sync.enable", "cleaning.commits.keep", "header", "kafka.bootstrap.servers"):
        assert any(key in notice for notice in found.notices), key

    with pytest.warns(NoEffectWarning):
        write_arrow(STORED, tmp_path / "t", {**OPTIONS, **others})
    assert len(stored(tmp_path / "t")) == 3
