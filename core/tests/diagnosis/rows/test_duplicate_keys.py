"""The check for keys that several rows have."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status
from hoodoo.diagnosis.rows import duplicate_keys


@pytest.fixture
def repeated(make):
    """Return a function that makes a table with k1 twice in partition y, in one file group or in two."""

    def made(*, in_one_file=False, **options):
        table = make(**options)
        table.write(range(4))
        again = {"operation": "insert"} if in_one_file else {"operation": "insert", "small_file_limit": 0}
        table.write([1], 2, **again)
        return table

    return made


@pytest.mark.parametrize("in_one_file", [False, True])
def test_a_key_twice_in_a_partition_is_a_problem(repeated, found, in_one_file):
    table = repeated(in_one_file=in_one_file)
    (finding,) = found(table.diagnose(), "duplicate keys")
    assert finding.status is Status.PROBLEM
    assert finding.found.startswith("1 row with a record key that another row of the same partition has")
    assert f"{0 if in_one_file else 1} of 1 key in several file groups" in finding.found
    (place,) = finding.places
    assert (place.partition, place.key) == ("y", "k1")


def test_a_key_in_two_partitions_is_a_problem_only_with_a_global_index(make, found):
    table = make()
    table.write([1], 1, "x")
    table.write([1], 2, "y")

    information, fine = found(table.diagnose(), "duplicate keys")
    assert information.status is Status.INFO
    assert information.found.startswith("1 key in several partitions")
    assert fine.status is Status.OK

    problem, _ = found(table.diagnose({"index": "global-simple"}), "duplicate keys")
    assert problem.status is Status.PROBLEM
    assert problem.places[0].key == "k1"


def test_an_update_in_a_log_is_not_a_second_row(make, found):
    table = make(table_type="MERGE_ON_READ")
    table.write(range(4))
    table.write(range(4), 2)
    (finding,) = found(table.diagnose(), "duplicate keys")
    assert (finding.status, finding.found) == (Status.OK, "4 rows: no key occurs twice")


def test_keys_beyond_the_limit_are_counted_by_their_hashes(make, found, monkeypatch):
    monkeypatch.setattr(duplicate_keys, "_LIMIT", 3)
    table = make()
    table.write(range(20), 1, "x")
    table.write(range(20), 2, "x", operation="insert")

    (finding,) = found(table.diagnose(), "duplicate keys")
    assert finding.found.startswith("about 20 rows with a record key that another row of the same partition has")
    assert len(finding.places) == 3
