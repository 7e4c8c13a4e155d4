"""Procedures return the rows that Hudi's return, on a table of Hudi with compactions, cleans and archived commits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

SETTINGS = {
    "hoodie.metadata.enable": "false",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.clean.commits.retained": "1",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
}

COMPACTION = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "3"}

CALLS = (
    "CALL stats_wa(table => '{t}', limit => 50)",
    "CALL show_clean_plans(table => '{t}', limit => 50)",
    "CALL show_archived_commits(table => '{t}', limit => 50, start_ts => '0', end_ts => '99991231000000000')",
    "CALL show_archived_commits(table => '{t}')",
    "CALL show_archived_commits_metadata(table => '{t}', limit => 50, start_ts => '0', end_ts => '99991231000000000')",
    "CALL show_logfile_metadata(table => '{t}', log_file_path_pattern => '{path}/*/.*.log.*', limit => 50)",
)


def rows(system: Hudi | Hoodoo, text: str) -> list[dict[str, Any]]:
    """Return the rows of a call, with parsed JSON headers; those of log files are sorted."""
    found = []
    for row in system.run(text):
        header = row.get("header_metadata")
        found.append(row if header is None else {**row, "header_metadata": json.loads(header)})
    # Hudi shows the blocks of log files in the order of a hash table
    return sorted(found, key=repr) if "logfile" in text else found


@pytest.mark.parametrize("type_", ["cow", "mor"])
def test_procedures_return_hudis_rows(type_: str, theirs: Hudi, ours: Hoodoo, tmp_path: Path) -> None:
    path = tmp_path / "t"
    theirs.settings = {**SETTINGS, **(COMPACTION if type_ == "mor" else {})}
    theirs.run(
        "CREATE TABLE t (id INT, v STRING, ts BIGINT, p STRING) USING hudi PARTITIONED BY (p) TBLPROPERTIES "
        f"(primaryKey = 'id', preCombineField = 'ts', type = '{type_}') LOCATION '{path}'"
    )
    theirs.run("INSERT INTO t VALUES (1, 'a', 1L, 'x'), (2, 'b', 1L, 'x'), (3, 'c', 1L, 'y')")
    for number in range(7):
        theirs.run(f"UPDATE t SET v = 'v{number}', ts = ts + 1 WHERE id <= {1 + number % 3}")
    for text in CALLS if type_ == "mor" else CALLS[:-1]:
        call = text.replace("{path}", str(path))
        expected, found = (
            rows(system, call.replace("{t}", name)) for system, name in ((theirs, "t"), (ours, f"hoodoo.`{path}`"))
        )
        assert [list(row.values()) for row in found] == [list(row.values()) for row in expected], text
        assert all(list(row) == list(other) for row, other in zip(found, expected, strict=True)), text
        assert found or "start_ts" not in text
