"""Procedures about log files, archived commits and the amplification of writes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.errors import StatementError
from hoodoo.spark.sql.procedures.commits import _factor


@pytest.mark.nightly
def test_the_blocks_of_log_files_are_shown(run, database: str) -> None:
    run("CREATE TABLE t (id INT, v STRING) USING hudi TBLPROPERTIES (primaryKey = 'id', type = 'mor')")
    run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    run("UPDATE t SET v = upper(v)")
    run("DELETE FROM t WHERE id = 1")
    *_, updated, deleted = hoodoo.Table(f"{database}/t").timeline.commits
    found = run(f"CALL show_logfile_metadata('t', '{database}/t/.*.log.*')")
    assert [row[:3] for row in found] == [
        (updated.time, 2, "PARQUET_DATA_BLOCK"),
        (deleted.time, 1, "DELETE_BLOCK"),
    ]
    header = json.loads(found[0][3])
    assert header["INSTANT_TIME"] == updated.time
    assert {field["name"] for field in json.loads(header["SCHEMA"])["fields"]} >= {"id", "v"}
    assert {row[4] for row in found} == {"{}"}
    assert run("CALL show_logfile_metadata(table => 't', log_file_path_pattern => '*.log.*', limit => 1)") == found[:1]
    with pytest.raises(StatementError, match=r"no log file of the table at .* has a path like '/none'"):
        run("CALL show_logfile_metadata('t', '/none')")
    with pytest.raises(StatementError, match="plans of archived cleans are not read"):
        run("CALL show_clean_plans('t', showArchived => true)")


@pytest.mark.representatives(version=[6])
@pytest.mark.parametrize("version", [6, 9])
def test_archived_commits_have_the_columns_of_others(run, version: int, tmp_path: Path) -> None:
    path = tmp_path / "t"
    for number in range(5):
        rows = pa.table({"id": [number % 2, 2], "v": [f"v{number}"] * 2})
        options = {"table_name": "t", "record_key": "id", "table_version": version, "table_type": "MERGE_ON_READ"}
        hoodoo.write(rows, path, options)
    hoodoo.Table(path).archive(keep_min_commits=2, keep_max_commits=3, commits_retained=1)
    archive = Archive(hoodoo.Table(path).timeline)
    times = [instant.time for instant in reversed(archive.commits)]
    everything = f"path => '{path}', start_ts => '0', limit => 100"
    found = run(f"CALL show_archived_commits({everything}, end_ts => '9')")
    assert [row[0] for row in found] == times
    assert len(times) == 3
    metadata = archive.commit_metadata(archive.commits[-1])
    assert found[0][6] == sum(stat.num_writes for stat in metadata.stats())
    files = run(f"CALL show_archived_commits_metadata({everything}, end_ts => '{times[-1]}')")
    assert {row[0] for row in files} == {times[-1]}
    later = run(f"CALL show_archived_commits(path => '{path}', start_ts => '{times[-1]}', end_ts => '9', limit => 100)")
    assert [row[0] for row in later] == times[:-1]


@pytest.mark.parametrize(
    ("written", "updated", "shown"), [(5, 0, "0"), (3, 2, "1.50"), (1, 2, ".50"), (1, 8, ".12"), (7, 7, "1.00")]
)
def test_amplification_has_two_digits(written: int, updated: int, shown: str) -> None:
    """Java's DecimalFormat with `#.00` rounds a half to the even digit."""
    assert _factor(written, updated) == shown
