"""File slices: base files, logs, compactions, and uncommitted or missing files, also with the `hudi` package."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError, OptionError
from tests.rows_merged.handmade.blocks import Delete
from tests.rows_merged.handmade.builder import base_name
from tests.rows_merged.handmade.columns import TYPES
from tests.rows_merged.handmade.instants import Timeline, Written
from tests.rows_merged.handmade.tables import COLUMNS, GROUP, T, Table, seen, wheel
from tests.support.rows import Refused, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

OTHER = "a1b2c3d4-e5f6-4788-99aa-bbccddeeff00-0"
COMMIT_TIME = {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])


# compactions


def _compacting(path: Path, version: int) -> Table:
    """Write a base file and a log, a pending compaction of both, and a newer log."""
    table = Table(path, version)
    table.write_base(1, ("a", 10, "base"), ("c", 10, "base"))
    table.write_log(2, ("a", 20, "log"))
    table.plan_compaction(3, 1)
    table.write_log(4, ("a", 30, "newer"), ("b", 1, "newer"), Delete("c", ""), version=1)
    return table


@VERSIONS
def test_logs_behind_a_pending_compaction_are_read(version: int, tmp_path: Path) -> None:
    table = _compacting(tmp_path, version)
    assert seen(tmp_path) == [("a", 30, "newer"), ("b", 1, "newer")]
    assert seen(tmp_path, as_of=T(3)) == seen(tmp_path, as_of=T(2)) == [("a", 20, "log"), ("c", 10, "base")]
    assert seen(tmp_path, query_type="read_optimized") == [("a", 10, "base"), ("c", 10, "base")]
    assert seen(tmp_path, query_type="incremental", begin=f"{T(3)[:-3]}600") == [("a", 30, "newer"), ("b", 1, "newer")]

    rows = [table.row(T(2), "a", 20, "log"), table.row(T(1), "c", 10, "base")]
    file = table.base("", GROUP, T(3), rows)
    assert seen(tmp_path) == [("a", 30, "newer"), ("b", 1, "newer")]
    table.commit("commit", T(3), T(5), [file], operation="COMPACT", begun=True)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 30, "newer"), ("b", 1, "newer")]
    assert seen(tmp_path, as_of=T(3)) == [("a", 20, "log"), ("c", 10, "base")]
    assert seen(tmp_path, query_type="read_optimized") == [("a", 20, "log"), ("c", 10, "base")]


@pytest.mark.parametrize(
    "version",
    [
        pytest.param(
            6,
            marks=pytest.mark.xfail(
                strict=True, raises=AssertionError, reason="the package does not read them in version 6"
            ),
        ),
        8,
        9,
    ],
)
def test_logs_behind_a_pending_compaction_are_read_by_the_package(version: int, tmp_path: Path) -> None:
    _compacting(tmp_path, version)
    assert wheel(tmp_path) == [("a", 30, "newer"), ("b", 1, "newer")]


@pytest.mark.parametrize("version", [8, 9])
def test_a_log_that_was_completed_late_belongs_to_the_compaction_that_did_not_hold_it(
    version: int, tmp_path: Path
) -> None:
    table = Table(tmp_path, version, properties=COMMIT_TIME)
    table.write_base(1, ("a", 0, "base"), ("b", 0, "base"))
    late = table.write_log(2, ("a", 0, "late"), ("b", 0, "late"), completed=None)
    table.write_log(3, ("a", 0, "soon"))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "soon"), ("b", 0, "base")]
    table.plan_compaction(4, 1)
    table.commit("deltacommit", T(2), T(5), [late], begun=True)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "soon"), ("b", 0, "late")]
    # the base file holds the log of 3 alone, and that of 2 is merged with it, though it was requested before
    rows = [table.row(T(3), "a", 0, "soon"), table.row(T(1), "b", 0, "base")]
    table.write_compaction(4, 6, *rows)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "late"), ("b", 0, "late")]
    assert seen(tmp_path, as_of=T(3)) == [("a", 0, "soon"), ("b", 0, "late")]


# groups without a base file


@VERSIONS
def test_a_group_may_begin_with_a_log(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_log(1, ("a", 1, "x"), ("b", 1, "x"), version=1)
    table.write_log(2, ("a", 2, "y"), Delete("b", ""), version=2)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 2, "y")]
    assert seen(tmp_path, as_of=T(1)) == wheel(tmp_path, as_of_timestamp=T(1)) == [("a", 1, "x"), ("b", 1, "x")]
    assert seen(tmp_path, query_type="read_optimized") == []
    [file_slice] = hoodoo.Table(tmp_path).file_slices()
    assert (file_slice.path, file_slice.base_instant, len(file_slice.logs)) == (None, T(1), 2)


@VERSIONS
def test_a_group_of_logs_is_compacted(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_log(1, ("a", 1, "x"), version=1)
    table.plan_compaction(2, None)
    table.write_log(3, ("b", 1, "y"), version=1)
    assert seen(tmp_path) == [("a", 1, "x"), ("b", 1, "y")]
    table.write_compaction(2, 4, table.row(T(1), "a", 1, "x"))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 1, "x"), ("b", 1, "y")]
    assert seen(tmp_path, query_type="read_optimized") == [("a", 1, "x")]


def _archived_logs(path: Path, version: int) -> None:
    table = Table(path, version)
    table.write_base(1, ("z", 1, "base"), file_id=OTHER)
    table.slice = ""
    table.write_log(2, ("a", 1, "x"), ("b", 1, "x"), version=1)
    table.write_log(3, ("a", 2, "y"), version=2)
    table.write_log(4, ("c", 1, "z"), version=3)
    table.timeline.forget_until(T(3))


@VERSIONS
def test_logs_whose_commits_were_archived_count(version: int, tmp_path: Path) -> None:
    _archived_logs(tmp_path, version)
    assert seen(tmp_path) == [("a", 2, "y"), ("b", 1, "x"), ("c", 1, "z"), ("z", 1, "base")]


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package ignores archived logs without a base file")
def test_logs_whose_commits_were_archived_count_in_the_package(version: int, tmp_path: Path) -> None:
    _archived_logs(tmp_path, version)
    assert wheel(tmp_path) == [("a", 2, "y"), ("b", 1, "x"), ("c", 1, "z"), ("z", 1, "base")]


# base files


@VERSIONS
def test_the_base_file_that_was_requested_last_counts_though_it_was_completed_first(
    version: int, tmp_path: Path
) -> None:
    table = Table(tmp_path, version)
    table.timeline.begin("commit", T(1))
    first = table.base("", GROUP, T(1), [table.row(T(1), "a", 1, "first")])
    second = table.base("", GROUP, T(2), [table.row(T(2), "a", 1, "second")])
    table.commit("commit", T(2), T(3), [second])
    table.commit("commit", T(1), T(4), [first], begun=True)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 1, "second")]
    assert seen(tmp_path, as_of=T(1)) == wheel(tmp_path, as_of_timestamp=T(1)) == [("a", 1, "first")]


@VERSIONS
def test_base_files_without_rows_have_no_row_group(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    file = table.write_base(1)
    empty = table.arrow([])
    with pq.ParquetWriter(tmp_path / file.path, empty.schema, store_schema=False):
        pass
    assert pq.ParquetFile(tmp_path / file.path).num_row_groups == 0
    assert seen(tmp_path) == wheel(tmp_path) == []
    table.write_log(2, ("a", 1, "log"), Delete("b", ""))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 1, "log")]
    assert seen(tmp_path, "v", columns=["v"]) == [("log",)]


def _two_attempts(path: Path, version: int) -> Table:
    """Write a commit that names one of two attempts at a base file."""
    table = Table(path, version)
    named = table.base("", GROUP, T(1), [table.row(T(1), "a", 1, "named")], "1-0-1")
    table.base("", GROUP, T(1), [table.row(T(1), "a", 1, "left")], "2-0-2")
    table.commit("commit", T(1), T(2), [named])
    return table


@VERSIONS
def test_of_two_attempts_at_a_base_file_the_one_that_the_commit_names_counts(version: int, tmp_path: Path) -> None:
    _two_attempts(tmp_path, version)
    assert seen(tmp_path) == [("a", 1, "named")]


@pytest.mark.xfail(strict=True, raises=Refused, reason="the package refuses two attempts at a base file")
def test_of_two_attempts_at_a_base_file_the_one_that_the_commit_names_counts_in_the_package(tmp_path: Path) -> None:
    _two_attempts(tmp_path, 9)
    assert wheel(tmp_path) == [("a", 1, "named")]


@VERSIONS
def test_a_base_file_that_its_commit_does_not_name_counts_as_a_group_of_its_own(version: int, tmp_path: Path) -> None:
    """Writers remove such files before they complete the commit; readers cannot recognize them."""
    table = Table(tmp_path, version)
    table.base("", OTHER, T(1), [table.row(T(1), "o", 1, "orphan", file_id=OTHER)])
    table.write_base(1, ("a", 1, "named"))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 1, "named"), ("o", 1, "orphan")]


def _orphan_log(path: Path, version: int) -> Table:
    """Write a delta commit that names one of two logs of a group."""
    table = Table(path, version)
    table.write_base(1, ("a", 1, "base"))
    block = table.avro(T(2), [table.row(T(2), "a", 3, "left"), table.row(T(2), "b", 3, "left")])
    table.put_log(2, [block], 7, token="2-0-2")
    table.write_log(2, ("a", 2, "named"), version=1)
    return table


@VERSIONS
def test_a_log_that_its_commit_does_not_name_is_left_out_beside_one_that_it_does(version: int, tmp_path: Path) -> None:
    _orphan_log(tmp_path, version)
    assert seen(tmp_path) == [("a", 2, "named")]


@VERSIONS
@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package reads every log of a completed commit")
def test_a_log_that_its_commit_does_not_name_is_left_out_by_the_package(version: int, tmp_path: Path) -> None:
    _orphan_log(tmp_path, version)
    assert wheel(tmp_path) == [("a", 2, "named")]


# the order of logs


@VERSIONS
def test_logs_are_read_by_number_then_by_write_token(version: int, tmp_path: Path) -> None:
    """The tenth log comes after the ninth; tokens are compared as texts."""
    table = Table(tmp_path, version, ordering="", properties=COMMIT_TIME if version > 6 else {})
    table.write_base(1, ("a", 0, "base"), ("b", 0, "base"))

    def log(number: int, token: str, *rows: tuple[str, int, str]) -> Written:
        blocks = [table.avro(T(2), [table.row(T(2), *row) for row in rows])]
        return table.put_log(2, blocks, number, token=token)

    written = [log(n, "0-0-0", ("a", 0, f"log {n}")) for n in (10, 2, 1, 9)]
    written += [log(11, token, ("b", 0, token)) for token in ("2-0-1", "10-0-1")]
    table.commit("deltacommit", T(2), T(3), written)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "log 10"), ("b", 0, "2-0-1")]


@VERSIONS
def test_blocks_are_read_in_their_order(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version, ordering="", properties=COMMIT_TIME if version > 6 else {})
    table.write_log(1, ("a", 0, "1"), ("a", 0, "2"), Delete("b", ""), ("b", 0, "3"), ("c", 0, "4"), Delete("c", ""))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "2"), ("b", 0, "3")]


# the metadata table


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_metadata_table_is_not_read(table_type: str, tmp_path: Path) -> None:
    """A metadata table that the last writer did not maintain names old files: here none at all."""
    metadata = {"hoodie.table.metadata.partitions": "files,column_stats"}
    table = Table(tmp_path, 9, table_type=table_type, properties=metadata)
    inner = tmp_path / ".hoodie" / "metadata" / ".hoodie"
    inner.mkdir(parents=True)
    (inner / "hoodie.properties").write_text((tmp_path / ".hoodie" / "hoodie.properties").read_text())
    table.write_base(1, ("a", 1, "old"))
    table.write_base(2, ("a", 2, "new"))
    table.write_base(3, ("b", 1, "new"), file_id=OTHER)
    assert seen(tmp_path) == [("a", 2, "new"), ("b", 1, "new")]


@pytest.fixture(params=[("sample_table_cow__v9_txns_simple_meta", "txn_id"), ("cow9-clustered", "id")])
def stale(request: pytest.FixtureRequest, real_table: Callable[[str], Path]) -> tuple[Path, int, str]:
    """Write a table whose metadata table lacks the last commit of the table.

    Return the path, the number of rows before that commit, and the name of the key column.
    """
    name, key = request.param
    path = real_table(name)
    rows = len(hudi_rows(path))
    file = max(path.glob("*/*.parquet"), key=lambda file: file.name.split("_")[-1])
    last = max((path / ".hoodie" / "timeline").glob("*.*commit"), key=lambda instant: instant.name)
    [commit] = list(fastavro.reader(io.BytesIO(last.read_bytes())))
    time, completion = f"2099{last.name[4:17]}", f"2099{last.name[4:16]}9"
    row = pq.read_table(file).slice(0, 1)
    for name, value in (("_hoodie_record_key", "new"), (key, "new"), ("_hoodie_commit_time", time)):
        row = row.set_column(row.column_names.index(name), name, pa.array([value]))
    partition = file.parent.name
    written = Written(partition, OTHER, f"{partition}/{base_name(OTHER, time)}")
    pq.write_table(row, path / written.path, store_schema=False)
    timeline = Timeline(path, 9)
    schema = json.loads(commit["extraMetadata"]["schema"])
    timeline.complete("commit", time, completion, timeline.commit_body([written], schema, "INSERT"))
    return path, rows, key


def test_a_metadata_table_that_is_behind_is_not_asked(stale: tuple[Path, int, str]) -> None:
    path, rows, key = stale
    assert len(hoodoo_rows(path)) == rows + 1
    assert ("new",) in seen(path, key, columns=[key])


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package reads an outdated metadata table")
def test_an_outdated_metadata_table_is_not_read_by_the_package(stale: tuple[Path, int, str]) -> None:
    path, rows, _ = stale
    assert len(hudi_rows(path)) == rows + 1


# missing files


@VERSIONS
def test_a_base_file_that_is_gone_is_named(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    file = table.write_base(1, ("a", 1, "base"))
    table.write_log(2, ("a", 2, "log"))
    table.remove(file)
    with pytest.raises(CorruptTableError, match=file.path) as caught:
        seen(tmp_path)
    assert caught.value.file == file.path


@VERSIONS
def test_a_log_that_is_gone_is_named(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, ("a", 1, "base"))
    file = table.write_log(2, ("a", 2, "log"))
    table.write_log(3, ("a", 3, "log"))
    table.remove(file)
    with pytest.raises(CorruptTableError, match=file.path) as caught:
        seen(tmp_path)
    assert caught.value.file == file.path
    assert seen(tmp_path, as_of=T(1)) == seen(tmp_path, query_type="read_optimized") == [("a", 1, "base")]


@VERSIONS
def test_what_was_cleaned_is_not_missed_in_the_present(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    base = table.write_base(1, ("a", 1, "base"))
    log = table.write_log(2, ("a", 2, "log"))
    table.plan_compaction(3, 1)
    table.write_compaction(3, 4, table.row(T(2), "a", 2, "log"))
    table.remove(base, log)
    table.clean(T(5), T(6), T(3))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 2, "log")]
    with pytest.raises(OptionError, match=f"a cleaner removed files that only commits before {T(3)} need"):
        seen(tmp_path, as_of=T(2))
    table.clean(T(7), T(8), "")
    with pytest.raises(CorruptTableError, match="gone"):
        seen(tmp_path, as_of=T(2))


@VERSIONS
def test_partitions(version: int, tmp_path: Path) -> None:
    """The same file id in two partitions identifies two groups."""
    columns = {**COLUMNS, "place": TYPES["string"]}
    table = Table(tmp_path, version, columns, partition_by="place", hive_style=True)
    table.write_base(1, ("a", 1, "x", "p"), partition="place=p")
    table.write_base(2, ("a", 1, "y", "q"), partition="place=q")
    table.write_log(3, ("a", 2, "z", "q"), Delete("b", "place=q"), partition="place=q")
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 1, "x"), ("a", 2, "z")]
    assert sorted(s.partition for s in hoodoo.Table(tmp_path).file_slices()) == ["place=p", "place=q"]


@VERSIONS
def test_a_compaction_keeps_every_log_that_a_commit_names(version: int, tmp_path: Path) -> None:
    """Logs of several tasks, and equal blocks in one log, are not attempts at one log."""
    table = Table(tmp_path, version, properties=COMMIT_TIME if version > 6 else {})
    table.write_base(1, ("a", 1, "base"), ("b", 1, "base"), ("c", 1, "base"), ("d", 1, "base"))
    block = table.avro(T(2), [table.row(T(2), "c", 2, "twice")])
    logs = [
        table.put_log(2, [table.avro(T(2), [table.row(T(2), key, 2, token)]) for key in keys], number, token=token)
        for number, token, keys in ((1, "0-0-0", "a"), (1, "1-0-0", "b"), (2, "0-0-0", "d"))
    ]
    logs.append(table.put_log(2, [block, block], 3))
    table.commit("deltacommit", T(2), f"{T(2)[:-3]}500", logs)
    expected = [("a", 2, "0-0-0"), ("b", 2, "1-0-0"), ("c", 2, "twice"), ("d", 2, "0-0-0")]
    assert seen(tmp_path) == wheel(tmp_path) == expected
    assert hoodoo.Table(tmp_path).compact() is not None
    assert [file_slice.logs for file_slice in hoodoo.Table(tmp_path).file_slices()] == [()]
    assert seen(tmp_path) == wheel(tmp_path) == expected
