"""Plans of changes: commits, file groups, and files that are missing."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.errors import OptionError, SchemaError

from .conftest import SCHEMA


def test_one_split_for_each_commit_and_file_group(recorded, story):
    story(recorded)
    assert [split.partition for split in recorded.splits()] == ["x", "y", "x", "y", "x"]
    sizes = [split.size for split in recorded.table.splits(query_type="incremental", incremental_format="cdc")]
    assert sizes == sorted(sizes, reverse=True)


def test_bounds_are_instants(recorded, logged):
    for made in (recorded, logged):
        times = [made.write(("a", "x", number, str(number))) for number in range(4)]
        assert made.changes(begin=times[1]) == [("u", ("a", "1"), ("a", "2")), ("u", ("a", "2"), ("a", "3"))]
        assert made.changes(begin=times[0], end=times[1]) == [("u", ("a", "0"), ("a", "1"))]
        assert made.changes(begin=times[3]) == []
        assert len(made.changes(begin="0")) == 4


def test_a_replaced_file_group_is_deleted(recorded, logged):
    for made in (recorded, logged):
        made.write(("a", "x", 1, "1"), ("b", "y", 1, "1"))
        time = made.write(("a", "x", 2, "2"))
        made.write(("c", "x", 1, "3"), operation="insert_overwrite")
        assert made.changes(begin=time) == [("d", ("a", "2"), None), ("i", None, ("c", "3"))]


def test_services_are_no_changes(logged, story):
    expected = story(logged)
    logged.compact()
    assert logged.changes() == expected
    after = logged.write(("c", "y", 9, "3"))
    compaction = logged.table.timeline.commits[-2].time
    assert compaction < after
    assert logged.changes(begin=compaction) == [("u", ("c", "2"), ("c", "3"))]


def test_columns_and_filter(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.write(("a", "x", 2, "2"), ("b", "x", 2, "2"))
    query = {"query_type": "incremental", "incremental_format": "cdc"}
    found = recorded.table.to_arrow(["after", "op"], pc.field("op") == "u", **query)
    assert found.to_pylist() == [{"after": '{"id":"a","p":"x","ts":2,"v":"2"}', "op": "u"}]
    for wrong in ({"columns": ["id"]}, {"filter": pc.field("id") == "a"}):
        with pytest.raises(SchemaError, match=r"'id'|\(id\) in op"):
            recorded.table.to_arrow(**wrong, **query)


def test_an_added_column_is_null_in_earlier_images(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.write(("a", "x", 2, "2", 7), schema=SCHEMA.append(pa.field("later", pa.int64())))
    found = recorded.table.to_arrow(["before", "after"], query_type="incremental", incremental_format="cdc")
    assert found.sort_by("before").to_pylist()[0] == {
        "before": '{"id":"a","p":"x","ts":1,"v":"1","later":null}',
        "after": '{"id":"a","p":"x","ts":2,"v":"2","later":7}',
    }


def test_changes_whose_files_were_cleaned_are_refused(recorded):
    times = [recorded.write(("a", "x", number, str(number))) for number in range(5)]
    recorded.table.clean(commits_retained=1)
    with pytest.raises(OptionError, match=rf"changes of commit {times[3]} .*begin the query at {times[3]}") as refused:
        recorded.changes()
    assert refused.value.code == "cleaned"
    assert recorded.changes(begin=times[3]) == [("u", ("a", "3"), ("a", "4"))]


def test_a_change_log_of_both_images_needs_no_earlier_base_file(recorded):
    times = [recorded.write(("a", "x", number, str(number))) for number in range(3)]
    recorded.add_logs("data_before_after")
    [earlier] = (recorded.path / "x").glob(f"*{times[1]}.parquet")
    earlier.unlink()
    assert recorded.changes(begin=times[1]) == [("u", ("a", "1"), ("a", "2"))]
    recorded.record("op_key_only")
    with pytest.raises(OptionError, match=f"commit {times[2]} cannot be found"):
        recorded.changes(begin=times[1])


def test_a_replaced_file_group_without_files_is_refused(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.write(("b", "x", 1, "1"), operation="insert_overwrite")
    [old] = (recorded.path / "x").glob(f"*_{recorded.table.timeline.commits[0].time}.parquet")
    old.unlink()
    with pytest.raises(OptionError, match="cannot be found"):
        recorded.changes()


def test_archived_commits_are_refused(recorded):
    times = [recorded.write((f"k{number}", "x", 1, "1")) for number in range(5)]
    recorded.table.archive(keep_min_commits=2, keep_max_commits=3, commits_retained=1)
    kept = [instant.time for instant in recorded.table.timeline.commits]
    last = times[-len(kept) - 1]
    with pytest.raises(OptionError, match=f"were archived, .*begin at {last} or later") as refused:
        recorded.changes()
    assert refused.value.code == "archived"
    assert len(recorded.changes(begin=last)) == len(kept)


def test_a_table_that_records_no_changes_is_refused(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.stop()
    with pytest.raises(OptionError, match=r"does not record changes .*incremental_format='latest_state'") as refused:
        recorded.changes()
    assert refused.value.code == "cdc"
