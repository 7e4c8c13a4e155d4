"""The check of the metadata table, which may be absent, left over, or without some commits."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status


def add_metadata(table, *times, named=True):
    """Add the timeline of a metadata table in layout 1, with delta commits of these times.

    If `named`, the table's properties name the partition `files`.
    """
    folder = table.path / ".hoodie/metadata/.hoodie"
    folder.mkdir(parents=True)
    (folder / "hoodie.properties").write_text("hoodie.timeline.layout.version=1\n")
    for time in times:
        (folder / f"{time}.deltacommit").write_text("{}")
    if named:
        table.set_property("hoodie.table.metadata.partitions", "files")


def test_a_table_without_one_needs_none(table, found):
    (finding,) = found(table.diagnose(), "metadata table")
    assert (finding.status, finding.found) == (Status.OK, "the table has no metadata table")


@pytest.mark.parametrize(("kept", "lacking"), [((0, 1, 2), ()), ((0, 1), (2,)), ((0, 2), (1,)), ((1, 2), ())])
def test_commits_that_it_lacks_are_listed(table, found, kept, lacking):
    """Commits before the first common one are contained in the files from which the metadata table was built."""
    times = [sorted(table.path.glob(".hoodie/*.commit"))[0].name.split(".")[0]]
    times += [table.write([1], value).instant for value in (2, 3)]
    add_metadata(table, *(times[number] for number in kept))

    finding = found(table.diagnose(), "metadata table")[0]
    assert [place.instant for place in finding.places] == [times[number] for number in lacking]
    assert finding.status is (Status.PROBLEM if lacking else Status.OK)


def test_one_that_was_built_from_the_files_is_not_behind(table, found):
    first = sorted(table.path.glob(".hoodie/*.commit"))[0].name.split(".")[0]
    add_metadata(table, f"{first}010")
    assert found(table.diagnose(), "metadata table")[0].status is Status.OK

    table.set_property("hoodie.table.metadata.partitions", "")
    table.write([1], 2)
    table.set_property("hoodie.table.metadata.partitions", "files")
    assert found(table.diagnose(), "metadata table")[0].status is Status.PROBLEM


def test_a_folder_that_no_property_names_is_a_warning(table, found):
    add_metadata(table, named=False)
    (finding,) = found(table.diagnose(), "metadata table")
    assert finding.status is Status.WARNING
    assert "may be stale" in finding.found


def test_a_property_without_a_folder_is_a_problem(table, found):
    table.set_property("hoodie.table.metadata.partitions", "files,column_stats")
    (finding,) = found(table.diagnose(), "metadata table")
    assert finding.status is Status.PROBLEM
    assert "does not exist" in finding.found


def test_partitions_that_are_being_built_are_a_warning(table, found):
    add_metadata(table)
    table.set_property("hoodie.table.metadata.partitions.inflight", "record_index")
    finding = found(table.diagnose(), "metadata table", Status.WARNING)[0]
    assert "record_index" in finding.found
