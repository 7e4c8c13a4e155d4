"""Visibility of commits that failed, were rolled back, were replaced or are later than the requested instant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rows_merged.handmade.blocks import COMPACTED, Delete, rollback_block
from tests.rows_merged.handmade.instants import Operation
from tests.rows_merged.handmade.tables import GROUP, T, Table, seen, wheel

pytestmark = pytest.mark.slow

OTHER = "a1b2c3d4-e5f6-4788-99aa-bbccddeeff00-0"
THIRD = "b2c3d4e5-f6a7-4899-aabb-ccddeeff0011-0"
VERSIONS = pytest.mark.parametrize("version", [6, 8, 9])
BASE = [("a", 10, "base")]


# commits that were not completed


@VERSIONS
def test_files_of_pending_and_unknown_instants_are_not_seen(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "inflight"), completed=None)
    assert seen(tmp_path) == wheel(tmp_path) == BASE
    block = table.avro(T(3), [table.row(T(3), "a", 20, "unknown")])
    table.put_log(3, [block])
    table.base("", GROUP, T(4), [table.row(T(4), "a", 20, "unknown")])
    table.base("", OTHER, T(5), [table.row(T(5), "b", 20, "requested")])
    table.timeline.request("commit", T(5))
    table.log("", THIRD, T(6), [table.avro(T(6), [table.row(T(6), "c", 20, "unknown")])])
    assert seen(tmp_path) == wheel(tmp_path) == BASE
    assert seen(tmp_path, query_type="read_optimized") == BASE
    assert seen(tmp_path, as_of=T(9)) == BASE
    assert seen(tmp_path, query_type="incremental") == BASE
    table.write_log(7, ("a", 30, "done"))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 30, "done")]


def test_in_version_6_a_log_may_hold_blocks_of_several_commits(tmp_path: Path) -> None:
    """Blocks of a failed commit are located between those of completed ones in one file."""
    table = Table(tmp_path, 6)
    table.write_base(1, *BASE)
    blocks = [table.avro(T(n), [table.row(T(n), key, n, f"commit {n}")]) for n, key in ((2, "a"), (3, "a"), (4, "b"))]
    file = table.put_log(2, blocks, 1)
    table.commit("deltacommit", T(2), T(2), [file])
    table.timeline.begin("deltacommit", T(3))
    table.commit("deltacommit", T(4), T(4), [file])
    expected = [("a", 10, "base"), ("b", 4, "commit 4")]
    assert seen(tmp_path) == wheel(tmp_path) == expected
    assert seen(tmp_path, as_of=T(3)) == wheel(tmp_path, as_of_timestamp=T(3)) == BASE
    table.commit("deltacommit", T(3), T(5), [file], begun=True)
    table.write_log(6, ("a", 11, "commit 6"))
    assert seen(tmp_path, as_of=T(5)) == expected
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 11, "commit 6"), ("b", 4, "commit 4")]


def _failed(table: Table) -> bytes:
    return table.avro(T(2), [table.row(T(2), "a", 20, "failed"), table.row(T(2), "b", 1, "failed")])


def test_in_version_6_a_command_revokes_the_blocks_of_a_failed_commit(tmp_path: Path) -> None:
    table = Table(tmp_path, 6)
    table.write_base(1, *BASE)
    table.put_log(2, [_failed(table)], 1)
    table.put_log(2, [_failed(table), table.deletes(T(2), [Delete("a", "")])], 2)
    table.put_log(2, [rollback_block(T(3), T(2))], 3)
    table.rollback(T(3), T(4), T(2))
    assert seen(tmp_path) == wheel(tmp_path) == BASE
    table.write_log(5, ("c", 1, "after"), version=4)
    assert seen(tmp_path) == wheel(tmp_path) == [*BASE, ("c", 1, "after")]
    # after the instants around it are archived, only the command shows that it failed
    table.timeline.forget_until(T(4))
    assert seen(tmp_path) == wheel(tmp_path) == [*BASE, ("c", 1, "after")]


def _behind(path: Path) -> None:
    """Write a block of a failed commit after the command that revokes it."""
    table = Table(path, 6)
    table.write_base(1, *BASE)
    table.put_log(2, [rollback_block(T(3), T(2))], 1)
    table.put_log(2, [_failed(table)], 2)
    table.write_log(5, ("c", 1, "after"), version=3)
    table.timeline.forget_until(T(4))


def test_in_version_6_a_command_revokes_later_blocks(tmp_path: Path) -> None:
    _behind(tmp_path)
    assert seen(tmp_path) == [*BASE, ("c", 1, "after")]


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the package revokes only blocks before the command")
def test_in_version_6_a_command_revokes_later_blocks_in_the_package(tmp_path: Path) -> None:
    _behind(tmp_path)
    assert wheel(tmp_path) == [*BASE, ("c", 1, "after")]


def test_in_version_6_a_command_revokes_blocks_of_a_completed_commit(tmp_path: Path) -> None:
    """A restore rolls back completed commits."""
    table = Table(tmp_path, 6)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "restored away"))
    table.put_log(3, [rollback_block(T(3), T(2))])
    assert seen(tmp_path) == wheel(tmp_path) == BASE


@pytest.mark.parametrize("version", [8, 9])
def test_from_version_8_on_a_rollback_deletes_the_logs(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    failed = table.write_log(2, ("a", 20, "failed"), completed=None)
    table.remove(failed)
    table.rollback(T(3), T(4), T(2))
    table.write_log(5, ("b", 1, "after"))
    assert seen(tmp_path) == wheel(tmp_path) == [*BASE, ("b", 1, "after")]


# time travel


@VERSIONS
def test_blocks_later_than_the_requested_instant_are_not_visible(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    for number in (2, 3, 4):
        table.write_log(number, ("a", 10 * number, f"commit {number}"))
    table.write_log(5, Delete("a", ""))
    for number, rows in {1: BASE, 2: [("a", 20, "commit 2")], 4: [("a", 40, "commit 4")], 5: []}.items():
        assert seen(tmp_path, as_of=T(number)) == wheel(tmp_path, as_of_timestamp=T(number)) == rows, number
    assert seen(tmp_path, as_of=T(0)) == []
    assert seen(tmp_path) == []


@VERSIONS
def test_a_table_as_of_a_time_before_a_compaction_has_its_old_slice(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "log"), ("b", 1, "log"))
    table.plan_compaction(3, 1)
    table.write_compaction(3, 4, table.row(T(2), "a", 20, "log"), table.row(T(2), "b", 1, "log"))
    table.write_log(5, Delete("b", ""))
    for number, rows in {1: BASE, 2: [("a", 20, "log"), ("b", 1, "log")], 5: [("a", 20, "log")]}.items():
        assert seen(tmp_path, as_of=T(number)) == wheel(tmp_path, as_of_timestamp=T(number)) == rows, number
    assert seen(tmp_path, as_of=T(2), query_type="read_optimized") == BASE


# replaced groups


@VERSIONS
def test_an_overwrite_hides_what_it_replaced_from_its_time_on(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "log"), ("b", 1, "log"))
    new = table.base("", OTHER, T(3), [table.row(T(3), "c", 1, "new", file_id=OTHER)])
    table.timeline.begin("replacecommit", T(3), table.timeline.replace_plan(None, ""))
    before, after = [("a", 20, "log"), ("b", 1, "log")], [("c", 1, "new")]
    assert seen(tmp_path) == wheel(tmp_path) == before
    table.commit("replacecommit", T(3), T(4), [new], operation="INSERT_OVERWRITE", replaced={"": [GROUP]}, begun=True)
    assert seen(tmp_path) == wheel(tmp_path) == after
    assert seen(tmp_path, query_type="read_optimized") == after
    assert seen(tmp_path, as_of=T(1)) == wheel(tmp_path, as_of_timestamp=T(1)) == BASE
    assert seen(tmp_path, as_of=T(2)) == wheel(tmp_path, as_of_timestamp=T(2)) == before
    assert seen(tmp_path, as_of=T(3)) == wheel(tmp_path, as_of_timestamp=T(3)) == after


@VERSIONS
def test_a_deleted_partition_is_empty(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "log"))
    table.commit("replacecommit", T(3), T(4), [], operation="DELETE_PARTITION", replaced={"": [GROUP]})
    assert seen(tmp_path) == wheel(tmp_path) == []
    assert seen(tmp_path, as_of=T(2)) == [("a", 20, "log")]


@VERSIONS
def test_a_pending_clustering_hides_nothing(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("b", 1, "log"))
    base = f"{GROUP}_0-0-0_{T(1)}.parquet"
    table.request_clustering(T(3), [Operation("", GROUP, T(1), base)])
    rows = [table.row(T(1), *BASE[0], file_id=OTHER), table.row(T(2), "b", 1, "log", file_id=OTHER)]
    new = table.base("", OTHER, T(3), rows)
    expected = [*BASE, ("b", 1, "log")]
    assert seen(tmp_path) == wheel(tmp_path) == expected
    table.commit("replacecommit", T(3), T(4), [new], operation="CLUSTER", replaced={"": [GROUP]}, begun=True)
    assert seen(tmp_path) == wheel(tmp_path) == expected
    # its rows keep the commits that wrote them
    assert seen(tmp_path, "id", "_hoodie_commit_time") == [("a", T(1)), ("b", T(2))]


# archived instants


@VERSIONS
def test_what_is_older_than_the_timeline_is_committed(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "log"))
    table.write_log(3, ("b", 1, "log"))
    table.write_log(4, ("c", 1, "log"))
    for number in (1, 2, 3):
        table.timeline.forget_until(T(number))
        assert seen(tmp_path) == wheel(tmp_path) == [("a", 20, "log"), ("b", 1, "log"), ("c", 1, "log")], number


@VERSIONS
def test_services_on_the_timeline_change_nothing(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.savepoint(T(1), T(2))
    table.write_log(3, ("a", 20, "log"))
    table.clean(T(4), T(5), T(1))
    table.rollback(T(6), T(7), T(5))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 20, "log")]


# log compaction


@VERSIONS
def test_a_log_compaction_has_the_position_of_the_newest_block_that_it_replaced(version: int, tmp_path: Path) -> None:
    """Blocks between the last replaced one and the compacted block are newer than the compacted block."""
    table = Table(tmp_path, version, ordering="", properties={"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"})
    if version == 6:
        table.properties.pop("hoodie.record.merge.mode")
        table.save_properties()
    table.write_base(1, ("a", 0, "base"), ("d", 0, "base"))
    table.write_log(2, ("a", 0, "2"), ("b", 0, "2"))
    table.write_log(3, ("a", 0, "3"), ("c", 0, "3"), Delete("d", ""))
    table.write_log(4, ("b", 0, "4"))
    header = {COMPACTED: f"{T(2)},{T(3)}"}
    rows = [table.row(T(3), "a", 0, "3"), table.row(T(2), "b", 0, "2"), table.row(T(3), "c", 0, "3")]
    table.write_log(5, table.avro(T(5), rows, header), table.deletes(T(5), [Delete("d", "")], header))
    expected = [("a", 0, "3"), ("b", 0, "4"), ("c", 0, "3")]
    assert seen(tmp_path) == wheel(tmp_path) == expected
    table.write_log(6, ("c", 0, "6"))
    # and one of that compaction and later blocks
    rows = [table.row(T(3), "a", 0, "3"), table.row(T(4), "b", 0, "4"), table.row(T(6), "c", 0, "6")]
    header = {COMPACTED: f"{T(5)},{T(4)},{T(6)}"}
    table.write_log(7, table.avro(T(7), rows, header), table.deletes(T(7), [Delete("d", "")], header))
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 0, "3"), ("b", 0, "4"), ("c", 0, "6")]
    for number, found in {3: "3", 4: "3", 5: "3", 6: "6"}.items():
        assert ("c", 0, found) in seen(tmp_path, as_of=T(number)), number


@VERSIONS
def test_a_compaction_of_logs_that_failed_replaces_nothing(version: int, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, *BASE)
    table.write_log(2, ("a", 20, "log"))
    table.write_log(3, ("b", 1, "log"))
    header = {COMPACTED: f"{T(2)},{T(3)}"}
    table.put_log(4, [table.avro(T(4), [table.row(T(4), "a", 99, "half")], header)])
    table.request_compaction(T(4), [], log=True)
    assert seen(tmp_path) == wheel(tmp_path) == [("a", 20, "log"), ("b", 1, "log")]
