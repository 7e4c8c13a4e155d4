"""CALL of procedures with the names and columns of Hudi."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import PluginError, StatementError
from tests.spark_sessions.sql.orders_table import ORDERS


@pytest.mark.nightly
def test_procedures_have_hudis_names_and_columns(spark: SparkSession, run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 2, NULL, DATE'2024-01-01'), (2, 2, NULL, DATE'2024-01-02')")
    run("SET hoodie.spark.sql.insert.into.operation=upsert")
    run("INSERT INTO orders VALUES (1, 3, NULL, DATE'2024-01-01')")
    commits = hoodoo.sql(spark, "CALL show_commits(table => 'statements.orders', limit => 5)")
    last, first = commits.collect()

    assert (first["action"], first["total_files_added"], first["total_records_written"]) == ("deltacommit", 2, 2)
    assert (last["action"], last["total_partitions_written"], last["total_update_records_written"]) == (
        "deltacommit",
        1,
        1,
    )
    files = hoodoo.sql(spark, "CALL show_commit_files(table => 'orders', instant_time => :at)", at=last["commit_time"])
    assert [(row["partition_path"], row["action"]) for row in files.collect()] == [("day=2024-01-01", "deltacommit")]
    by_partition = run("CALL show_commit_partitions(table => 'orders', instant_time => :at)", at=first["commit_time"])
    assert [row[:6] for row in by_partition] == [
        ("deltacommit", "day=2024-01-01", 1, 0, 1, 0),
        ("deltacommit", "day=2024-01-02", 1, 0, 1, 0),
    ]
    [stats] = run("CALL show_commit_write_stats('orders', 10, :at)", at=first["commit_time"])
    assert stats == ("deltacommit", first["total_bytes_written"], 2, -(-first["total_bytes_written"] // 2))
    [schema] = run("CALL show_commit_extra_metadata(table => 'orders', metadata_key => 'schema')")
    assert schema[:3] == (last["commit_time"], "deltacommit", "schema")
    assert '"name":"amount"' in schema[3].replace(" ", "")
    before = hoodoo.sql(
        spark, f"CALL show_fsview_latest(path => '{database}/orders', partition_path => 'day=2024-01-01')"
    )
    assert [row["num_delta_files"] for row in before.collect()] == [1]
    [compacted] = hoodoo.sql(spark, "CALL run_compaction(op => 'run', table => 'orders')").collect()
    assert (compacted["state"], compacted["operation_size"]) == ("COMPLETED", 1)
    assert run("SELECT id, amount FROM orders WHERE id = 1")[0][1] == 3
    [cleaned] = hoodoo.sql(
        spark,
        "CALL run_clean(table => 'orders', clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1)",
    ).collect()
    assert cleaned["total_files_deleted"] >= 1
    assert len(run("CALL show_table_properties(table => 'orders', limit => 3)")) == 3
    check_timeline(run, first["commit_time"], last["commit_time"], compacted["timestamp"], cleaned["start_clean_time"])


def check_timeline(run, first: str, last: str, compacted: str, cleaned: str) -> None:
    found = run("CALL show_timeline(table => 'orders', showArchived => true)")
    assert [row[:3] for row in found] == [
        (cleaned, "clean", "COMPLETED"),
        (compacted, "commit", "COMPLETED"),
        (last, "deltacommit", "COMPLETED"),
        (first, "deltacommit", "COMPLETED"),
    ]
    for row in found:
        assert all(re.fullmatch(r"\d\d-\d\d \d\d:\d\d:\d\d", time) for time in row[3:6])
        assert row[6:] == ("ACTIVE", None)
    assert run("CALL show_compaction('orders')") == [(compacted, 1, "COMPLETED")]
    [clean] = run("CALL show_cleans('orders')")
    assert clean[0] == clean[3] == cleaned
    assert clean[2] == "clean"
    assert clean[5] >= 1
    [plan] = run("CALL show_clean_plans('orders')")
    assert plan == (cleaned, "COMPLETED", "clean", None, compacted, "KEEP_LATEST_FILE_VERSIONS", 2, 1, 0, None)
    [one, total] = run("CALL stats_wa('orders')")
    assert (one[0], total[0]) == (compacted, "Total")
    assert one[1:] == total[1:]
    assert run("CALL show_savepoints('orders')") == run("CALL show_rollbacks('orders')") == []
    files = run("CALL show_commits_metadata(table => 'orders')")
    assert [row[0] for row in files] == [compacted, last, first, first]
    assert [row[6:10] for row in files[-2:]] == [(1, 1, 0, 0)] * 2
    *by_commit, everything = run("CALL stats_file_sizes('orders', 'day=2024-01-0*')")
    assert [row[0] for row in by_commit] == [compacted, first]
    sizes = [row[1] for row in by_commit]
    assert everything[:2] == ("ALL", min(sizes))
    assert everything[3:8] == (sum(sizes) / 2, sum(sizes) / 2, max(sizes), max(sizes), 2)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("CALL no_such(table => 'orders')", "the procedures are: archive_commits"),
        ("CALL show_commits(tablename => 'orders')", "has no argument 'tablename'"),
        ("CALL show_commits(table => 'none')", "there is no Hudi table 'none'"),
        ("CALL show_commits()", "argument 'table' or 'path' of show_commits is missing"),
        ("CALL show_commit_files(table => 'orders', instant_time => '2001')", "has no commit '2001'"),
        ("CALL show_commit_extra_metadata('orders')", "has no commits"),
        ("CALL show_commits('orders', path => '/x')", "the table is given twice; give either 'table' or 'path'"),
        ("CALL show_commits_metadata('orders', 1, limit => 2)", "argument 'limit' is repeated"),
        ("CALL show_commits('orders', limit => 'x')", "argument 'limit' is 'x'; give a number of rows"),
        ("CALL show_commits('orders', limit => NULL)", "argument 'limit' is null"),
        ("CALL show_commits('orders', limit => -1)", "argument 'limit' is '-1'"),
        ("CALL show_commit_files(table => 'orders')", "argument 'instant_time' of show_commit_files is missing"),
        ("CALL show_fsview_all('orders', 3)", "the argument needs a name"),
        ("CALL run_compaction(op => 'schedule', table => 'orders')", "use op => 'run'"),
    ],
)
def test_a_wrong_call_is_an_error(database: str, run, text: str, match: str) -> None:
    run(ORDERS)
    with pytest.raises(StatementError, match=match):
        run(text)


@pytest.mark.nightly
def test_table_services_have_the_lock_options_of_the_table(run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 1.5, array('a'), date'2024-01-01')")
    run("ALTER TABLE orders SET TBLPROPERTIES ('lock_provider' = 'no-such')")
    for service in ("run_clean", "archive_commits", "run_compaction"):
        arguments = "op => 'run', table => 'orders'" if service == "run_compaction" else "'orders'"
        with pytest.raises(PluginError, match="no-such"):
            run(f"CALL {service}({arguments})")
