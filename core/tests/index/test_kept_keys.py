"""Keys of base files that a look-up has read, for the rewrite of these files."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.simple_index import locate


def texts(*values):
    return pa.array(values, pa.string())


STORED = [texts("a", "b", "c"), texts("d", "b")]
INCOMING = texts("x", "b", "d", "y")


def test_codes_are_positions_among_the_incoming_keys():
    kept = KeptKeys()

    found = [codes.to_pylist() for codes in kept.matched("f", STORED, INCOMING)]

    assert found == [[None, 1, None], [2, 1]]


def test_the_partners_of_stored_rows_among_some_of_the_incoming_keys():
    kept = KeptKeys()
    list(kept.matched("f", STORED, INCOMING))
    read = kept.take("f")

    assert read.keys.to_pylist() == ["a", "b", "c", "d", "b"]
    assert read.partners(INCOMING).tolist() == [-1, 1, -1, 2, 1]
    assert read.partners(texts("d", "new", "b")).tolist() == [-1, 2, -1, 0, 2]
    assert read.partners(texts("new")).tolist() == [-1] * 5
    assert read.partners(texts()).tolist() == [-1] * 5


def test_keys_are_taken_once():
    kept = KeptKeys()
    list(kept.matched("f", STORED, INCOMING))

    assert kept.take("other") is None
    assert kept.take("f") is not None
    assert kept.take("f") is None


def test_keys_are_forgotten_by_clear():
    kept = KeptKeys()
    list(kept.matched("f", STORED, INCOMING))
    kept.clear()

    assert kept.take("f") is None


def test_a_file_whose_keys_exceed_the_limit_is_not_kept_and_its_keys_are_found():
    size = sum(keys.nbytes for keys in STORED) + 5 * 4
    for limit, is_kept in ((size - 1, False), (size + 8, True)):
        kept = KeptKeys(limit)

        assert locate(STORED, texts("b", "x", "b", "d"), kept, "f").tolist() == [0, 2, 3]
        assert (kept.take("f") is not None) is is_kept


def test_files_share_the_limit_until_they_are_cleared():
    one = KeptKeys()
    list(one.matched("one", STORED, INCOMING))
    kept = KeptKeys(2 * one.used - 1)
    for path in ("one", "two"):
        list(kept.matched(path, STORED, INCOMING))

    assert kept.take("one") is not None
    assert kept.take("two") is None

    kept.clear()
    list(kept.matched("two", STORED, INCOMING))
    assert kept.take("two") is not None
