"""The comparison of data files with the commits."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status
from hoodoo.diagnosis.checks.data_files import check_data_files
from hoodoo.errors import TableChanged


def test_a_missing_base_file_is_a_problem(table, found):
    lost = table.files()[0]
    (table.path / lost).unlink()

    finding = found(table.diagnose(), "data files", Status.PROBLEM)[0]
    assert finding.found.startswith("the store lacks 1 file of completed commits")
    assert finding.places[0].file == lost


@pytest.mark.parametrize("version", [6, 9])
def test_a_missing_log_is_a_problem(make, found, version):
    table = make(table_type="MERGE_ON_READ", table_version=version)
    table.write(range(6))
    table.write(range(6), 2)
    lost = next(path for path in table.files("") if ".log." in path)
    (table.path / lost).unlink()

    finding = found(table.diagnose(), "data files", Status.PROBLEM)[0]
    assert finding.places[0].file == lost


def test_a_file_of_another_size_is_a_problem(table, found):
    path = table.path / table.files()[1]
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-7])

    (finding,) = found(table.diagnose(), "data files", Status.PROBLEM)
    assert f"{size - 7:,} instead of {size:,} bytes" in finding.found
    assert finding.places[0].file == table.files()[1]


@pytest.mark.parametrize("kind", ["unknown instant", "other attempt"])
def test_files_that_failed_writes_left_are_a_warning(table, found, kind):
    file = table.path / table.files()[0]
    group, token, instant = file.stem.split("_")
    name = f"{group}_{token}_20990101000000000" if kind == "unknown instant" else f"{group}_9-9-9_{instant}"
    file.with_name(f"{name}.parquet").write_bytes(file.read_bytes())

    (finding,) = found(table.diagnose(), "data files", Status.WARNING)
    assert finding.found.startswith("1 data file ")
    assert finding.places[0].file == f"x/{name}.parquet"


def test_files_of_a_write_in_progress_are_not_left_over(table, found):
    file = table.path / table.files()[0]
    (table.path / ".hoodie/20990101000000000.commit.requested").touch()
    file.with_name(f"{file.stem.split('_')[0]}_0-0-0_20990101000000000.parquet").write_bytes(file.read_bytes())

    assert not found(table.diagnose(), "data files", Status.WARNING)


def test_other_files_are_mentioned(table, found):
    (table.path / "x/notes.txt").write_text("x")
    (finding,) = found(table.diagnose(), "data files", Status.INFO)
    assert finding.places[0].file == "x/notes.txt"


def test_a_partition_without_metadata_is_a_warning(table, found):
    (table.path / "y/.hoodie_partition_metadata").unlink()
    (finding,) = found(table.diagnose(), "data files", Status.WARNING)
    assert finding.places[0].partition == "y"


def test_files_of_a_write_that_began_after_the_timeline_was_listed_are_not_left_over(table):
    state = table.state()
    assert len(state.timeline.commits) == 1
    table.write(range(6), 2)

    assert [finding.status for finding in check_data_files(state)] == [Status.OK]


def test_files_that_a_cleaner_removed_in_the_meantime_are_not_missing(table):
    state = table.state()
    assert len(state.timeline.commits) == 1
    table.write(range(6), 2, clean_policy="KEEP_LATEST_FILE_VERSIONS", file_versions_retained=1)
    assert len(table.files()) == 2

    with pytest.raises(TableChanged):
        list(check_data_files(state))
