"""The validators, with commits that they accept and commits that they refuse; the tests need only the core."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hoodoo_validators import row_counts, unique_keys

from hoodoo.errors import CommitRefused, OptionError
from hoodoo.plugin import Catalogue, CommitSummary


class Split:
    def __init__(self, partition, keys):
        self.partition, self.keys = partition, keys

    def read(self):
        return pa.table({"_hoodie_record_key": pa.array(self.keys, pa.string())}).to_reader(max_chunksize=2)


class Stored:
    """Table that holds record keys by partition; each list is a file."""

    def __init__(self, *files):
        self.files = [Split(*file) for file in files]

    def splits(self, columns):
        assert columns == ["_hoodie_record_key"]
        return self.files


def judged(name, options, after, *, before=Stored(), counts=(0, 0, 0), touched=()):  # noqa: B008 - never changed
    """Call a validator as the core does."""
    hook = Catalogue().hook("pre_commit", name)
    told = CommitSummary("upsert", "2024", 9, *counts, 0, 1, 1, touched, hook.make(options), open=lambda: after)
    hook.call(table=before, summary=told)


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({"most_inserted": 3}, (3, 9, 9)),
        ({"fewest_inserted": "3"}, (3, 0, 0)),
        ({"most_updated": 0, "fewest_deleted": 1}, (9, 0, 1)),
        ({"most_deleted": 2}, (0, 0, 2)),
    ],
)
def test_counts_within_their_limits(options, counts):
    judged("row-counts", options, Stored(), counts=counts)


@pytest.mark.parametrize(
    ("options", "counts", "words"),
    [
        ({"most_inserted": 3}, (4, 0, 0), "^4 rows are inserted, and most_inserted is 3$"),
        ({"fewest_inserted": 1}, (0, 5, 5), "^0 rows are inserted, and fewest_inserted is 1$"),
        ({"most_updated": 0, "fewest_deleted": 1}, (9, 2, 0), "2 rows are updated.*; 0 rows are deleted"),
        ({"most_deleted": 2}, (0, 0, 3), "^3 rows are deleted, and most_deleted is 2$"),
    ],
)
def test_counts_beyond_their_limits(options, counts, words):
    with pytest.raises(CommitRefused, match=words):
        judged("row-counts", options, Stored(), counts=counts)


@pytest.mark.parametrize(("left", "refused"), [(10, False), (12, False), (8, False), (7, True), (0, True)])
def test_the_share_of_rows_that_may_be_lost(left, refused):
    before = Stored(("x", list("abcdef")), ("y", list("ghij")))
    after = Stored(("x", [str(n) for n in range(left)]))

    if refused:
        with pytest.raises(CommitRefused, match=f"shrinks from 10 to {left} rows, and most_lost_share is 0.2"):
            judged("row-counts", {"most_lost_share": 0.2}, after, before=before)
    else:
        judged("row-counts", {"most_lost_share": 0.2}, after, before=before)


def test_a_new_table_loses_nothing():
    judged("row-counts", {"most_lost_share": 0}, Stored(("x", ["a"])))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no limit is given"),
        ({"most_lost_share": 2}, "most_lost_share"),
        ({"most_inserted": -1}, "most_inserted"),
        ({"most": 5}, "'most'"),
    ],
)
def test_limits_that_cannot_be(options, words):
    with pytest.raises(OptionError, match=words):
        judged("row-counts", options, Stored())


KEYS = Stored(("x", ["a", "b", "c"]), ("y", ["a"]), ("x", ["d"]), ("z", ["q", "q"]))


@pytest.mark.parametrize(("scope", "touched"), [("partition", ("x", "y")), ("partition", ())])
def test_keys_that_are_stored_once(scope, touched):
    judged("unique-keys", {"scope": scope}, KEYS, touched=touched)


@pytest.mark.parametrize(
    ("options", "after", "touched", "words"),
    [
        ({}, KEYS, ("y", "z"), r"^partition 'z' would store 1 record key more .* 'q' \(2 times\); remove the .*$"),
        ({"scope": "table"}, KEYS, ("x",), r"^the table .* 2 record keys .*: 'a' \(2 times\), 'q' \(2 times\);"),
        ({}, Stored(("", list("abcd")), ("", list("dcba"))), ("",), r"4 record keys .* 'c' \(2 times\), \.\.\.;"),
    ],
)
def test_keys_that_are_stored_twice(options, after, touched, words):
    with pytest.raises(CommitRefused, match=words):
        judged("unique-keys", options, after, touched=touched)


def test_a_scope_that_does_not_exist():
    with pytest.raises(OptionError, match="'scope'"):
        judged("unique-keys", {"scope": "bucket"}, KEYS)


def test_both_say_what_they_are():
    for module in (row_counts, unique_keys):
        assert module.__doc__.startswith("A commit ")
        assert module.Options.__doc__
