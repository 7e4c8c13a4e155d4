"""The check of a job: all blockers and notices, by the code of a write, without a write."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.job_check import check, check_entries
from hoodoo.testing.engine import write_arrow

OPTIONS = {"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id", "ordering": "ts"}
COLUMNS = {"id": "string", "ts": "long"}
ROWS = pa.table({"id": ["a", "b"], "ts": [1, 2]})

REFUSED = "hoodie.allow.operation.metadata.field"


def test_a_job_without_errors_is_accepted() -> None:
    found = hoodoo.check(OPTIONS, columns=COLUMNS)
    assert (found.id, found.accepted, found.blockers, found.notices) == (None, True, (), ())


def test_all_blockers_are_found_at_once() -> None:
    given = {
        **OPTIONS,
        REFUSED: "true",
        "recordkey": "id",
        "merger": "no-such-merger",
        "pre_commit": "no-such-hook",
    }
    found = check(given, mode="overwrit", columns=COLUMNS)
    assert not found.accepted
    for word in (
        REFUSED,
        "'recordkey'",
        "no-such-merger",
        "no-such-hook",
        "'overwrit'",
    ):
        assert sum(word in text for text in found.blockers) == 1, word


def test_missing_columns_are_found_at_once() -> None:
    found = check({**OPTIONS, "partition_by": "p", "delete_field": "op", "delete_marker": "D"}, columns={"x": "int"})
    assert len(found.blockers) == 4
    for name in ("'id'", "'ts'", "'p'", "'op'"):
        assert sum(name in text for text in found.blockers) == 1, name


def test_the_errors_of_a_check_are_those_of_a_write(tmp_path) -> None:
    for given in ({"index": "bucket", "bucket_by": "ts"}, {"operation": "bulk_insert", "dup_policy": "fail"}):
        with pytest.raises(OptionError) as raised:
            write_arrow(ROWS, tmp_path / "t", {**OPTIONS, **given})
        assert check({**OPTIONS, **given}, columns=COLUMNS).blockers == (str(raised.value),)


def test_notices_are_the_warnings_of_a_write() -> None:
    found = check({**OPTIONS, "hoodie.datasource.hive_sync.enable": "true"}, columns=COLUMNS)
    [notice] = found.notices
    assert found.accepted
    assert "is not updated" in notice


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"catalogs": "no-such-catalog"}, "no-such-catalog"),
        ({"hive_sync": "wrong"}, "'wrong'"),
        ({"hive_sync": True, "catalog_table_properties": "no pair"}, "'no pair'"),
    ],
)
def test_a_wrong_option_of_a_catalog_is_a_blocker(wrong, words) -> None:
    found = check({**OPTIONS, **wrong}, columns=COLUMNS)
    assert [words in text for text in found.blockers] == [True]


def test_an_enabling_key_that_hudi_takes_as_false_enables_no_sync() -> None:
    found = check({**OPTIONS, "hoodie.datasource.hive_sync.enable": "${SYNC}"}, columns=COLUMNS)
    assert found.accepted
    assert not any("is not updated" in notice for notice in found.notices)


def test_a_table_is_looked_at_and_not_changed(tmp_path) -> None:
    write_arrow(ROWS, tmp_path / "t", OPTIONS)
    before = sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "t").rglob("*"))

    other_key = check({**OPTIONS, "hoodie.datasource.write.recordkey.field": "ts"}, tmp_path / "t", columns=COLUMNS)
    exists = check(OPTIONS, tmp_path / "t", mode="errorifexists", columns=COLUMNS)
    good = check({"ordering": "ts", "path": "s3://elsewhere/t"}, tmp_path / "t", columns=COLUMNS)

    assert "contradict" in other_key.blockers[0]
    assert "exists" in exists.blockers[0]
    assert good.accepted
    assert sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "t").rglob("*")) == before


def test_nothing_is_written_for_a_new_table(tmp_path) -> None:
    assert check(OPTIONS, tmp_path / "t", columns=COLUMNS).accepted
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"operation": "delete", **OPTIONS},
        {"operation": "delete_partition", "partitions_to_delete": "*", **OPTIONS},
        {"operation": "delete", **{key: value for key, value in OPTIONS.items() if "name" not in key}},
        {key: value for key, value in OPTIONS.items() if "name" not in key},
    ],
)
def test_a_job_that_needs_a_table_is_accepted_where_the_table_is_not_seen(tmp_path, options: dict[str, Any]) -> None:
    unseen = check(options, columns=COLUMNS)
    assert unseen.accepted, unseen.blockers
    assert not check(options, tmp_path / "t", columns=COLUMNS).accepted


def test_a_delete_is_checked_against_the_table_that_its_options_describe() -> None:
    found = check({"operation": "delete", **OPTIONS, "partition_by": "p"}, columns=COLUMNS)
    assert "'p'" in found.blockers[0]


def test_columns_that_are_not_given_block_nothing() -> None:
    found = check({**OPTIONS, "partition_by": "day:timestamp", "keygen": "custom", "event_time_field": "when"})
    assert all("timestamp" in text for text in found.blockers)
    assert check({**OPTIONS, "partition_by": "day", "delete_field": "op", "delete_marker": "D"}).accepted


def test_reads_are_checked(tmp_path) -> None:
    write_arrow(ROWS, tmp_path / "t", OPTIONS)
    assert check({"basePath": "s3://b/t", "as.of.instant": "20240101"}, kind="read").accepted
    cdc = {"hoodie.datasource.query.type": "incremental", "hoodie.datasource.query.incremental.format": "cdc"}
    assert check(cdc, kind="read").accepted
    assert "does not record changes" in check(cdc, tmp_path / "t", kind="read").blockers[0]
    assert "expected one of" in check({**cdc, "incremental_format": "other"}, kind="read").blockers[0]
    assert check({"columns": "id"}, tmp_path / "t", kind="read").accepted
    assert "nope" in check({"columns": "nope"}, tmp_path / "t", kind="read").blockers[0]


@pytest.mark.parametrize("seen", [True, False])
def test_options_of_another_query_are_found_without_a_table_too(tmp_path, seen: bool) -> None:
    write_arrow(ROWS, tmp_path / "t", OPTIONS)
    path = tmp_path / "t" if seen else None
    begin = {"hoodie.datasource.read.begin.instanttime": "20240101000000"}
    assert "set query_type='incremental'" in check(begin, path, kind="read").blockers[0]
    assert check({**begin, "query_type": "incremental"}, path, kind="read").accepted
    both = check({"as.of.instant": "20990101000000", "query_type": "incremental"}, path, kind="read")
    assert "'as_of' is not an option of an incremental query" in both.blockers[0]

    ignored = check({**begin, "hoodie.datasource.query.type": "read_optimized"}, path, kind="read")
    assert ignored.accepted
    assert "no effect on a query of type read_optimized" in ignored.notices[0]


def test_entries_have_names_kinds_and_modes() -> None:
    entries = [
        {"id": "J1", "kind": "write", "mode": "append", "options": OPTIONS, "columns": COLUMNS, "source": "x"},
        {"id": "J2", "kind": "read", "mode": None, "options": {"query_type": "metadata"}, "columns": {}},
        {"id": None, "options": OPTIONS},
        {"options": OPTIONS},
    ]
    assert [(found.id, found.accepted) for found in check_entries(entries)] == [
        ("J1", True),
        ("J2", False),
        ("3", True),
        ("4", True),
    ]


@pytest.mark.parametrize("entry", ["x", {"id": "J1"}, {"options": "x"}])
def test_an_entry_of_another_form_is_refused(entry: object) -> None:
    with pytest.raises(OptionError, match="entry 1 is not a job"):
        check_entries([entry])


def test_an_unknown_kind_and_an_unknown_type() -> None:
    assert "expected one of: write" in check(OPTIONS, kind="stream").blockers[0]  # type: ignore[arg-type]
    assert "decimal(p,s)" in check(OPTIONS, columns={"id": "text"}).blockers[0]


def test_a_bootstrap_is_checked_without_its_files() -> None:
    files = {"hoodie.datasource.write.operation": "bootstrap", "hoodie.bootstrap.base.path": "s3://bucket/missing"}
    [blocker] = check({**OPTIONS, **files}, mode="Overwrite", columns=COLUMNS).blockers
    assert "METADATA_ONLY" in blocker
    selector = {"hoodie.bootstrap.mode.selector": "FullRecordBootstrapModeSelector"}
    found = check({**OPTIONS, **files, **selector}, mode="overwrite", columns=COLUMNS)
    assert (found.accepted, found.blockers, found.notices) == (True, (), ())
