"""The check for small files, and for slices with many delta commits."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status

MANY = {"operation": "insert", "small_file_limit": 0, "clean_automatic": False, "archive_automatic": False}


def test_many_small_files_of_a_partition_are_a_warning(make, found):
    table = make()
    for value in range(21):
        table.write([value], value, "x", **MANY)
    table.write([99], 1, "y", **MANY)

    (finding,) = found(table.diagnose(), "small files")
    assert finding.status is Status.WARNING
    assert finding.found.startswith("22 of 22 base files smaller than 100.0 MiB")
    assert "would fit into 20 files fewer, of which 20 are in partition 'x'" in finding.found
    assert [place.partition for place in finding.places] == ["x"]

    # with a limit below the size of the files, none is small
    (finding,) = found(table.diagnose({"small_file_limit": 10}), "small files")
    assert finding.status is Status.OK


@pytest.mark.parametrize("version", [6, 9])
def test_slices_with_many_delta_commits_are_a_warning(make, found, version):
    table = make(table_type="MERGE_ON_READ", table_version=version)
    for value in range(11):
        table.write([1], value)
    (finding,) = found(table.diagnose(), "logs")
    assert (finding.status, finding.found.partition(" of ")[0]) == (Status.OK, "1")

    table.write([1], 11)
    (finding,) = found(table.diagnose(), "logs")
    assert finding.status is Status.WARNING
    assert "1 with more than 10 delta commits, up to 11" in finding.found
    assert finding.places[0].partition == "y"


def test_a_table_with_buckets_has_a_fixed_number_of_files(make, found):
    table = make(index="bucket", buckets=30, partition_by=None)
    table.options.pop("partition_by")
    table.write(range(300))
    (finding,) = found(table.diagnose(), "small files")
    assert finding.status is Status.OK
    assert "the bucket index fixes the number of files" in finding.found
