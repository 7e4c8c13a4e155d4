"""Splits read in two parts: base rows that an engine reads itself, and changed rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError
from tests.rows_merged.handmade.blocks import IS_PARTIAL, Delete
from tests.rows_merged.handmade.tables import T, built
from tests.support.rows import assert_same, rows_of
from tests.support.two_parts import rows_in_two_parts

pytestmark = pytest.mark.slow

PARTIAL_UPDATE = {
    "hoodie.compaction.payload.class": "org.apache.hudi.common.model.PartialUpdateAvroPayload",
}
BASE = [(key, 5, f"old {key}") for key in "abcd"]
LOGS = [[("a", 6, "wins"), ("b", 4, "loses"), ("new", 1, "comes")], [Delete("c", "")]]


@pytest.mark.parametrize("columns", [None, ["v"], ["_hoodie_record_key"]])
@pytest.mark.parametrize("version", [6, 9])
def test_rows_that_a_log_does_not_change_are_left_to_the_engine(
    version: int, columns: list[str] | None, tmp_path: Path
) -> None:
    built(tmp_path, version, BASE, LOGS)
    [split] = hoodoo.Table(tmp_path).splits(columns)
    assert split.is_divisible
    assert split.divided().deletion_vector.tolist() == [True, False, True, False]
    assert split.changed().read().read_all().num_rows == 2
    assert_same(rows_in_two_parts(split), rows_of(split.read().read_all()), "in two parts")


def test_surviving_records_are_read_without_the_base_file(tmp_path: Path) -> None:
    built(tmp_path, 9, BASE, LOGS)
    [split] = hoodoo.Table(tmp_path).splits(["id", "v"])
    surviving = split.divided().surviving
    assert surviving is not None
    # by key, in the order of the logs
    assert surviving.tolist() == [True, False, True, False]
    (tmp_path / (split.path or "")).unlink()
    assert split.changed(surviving).read().read_all()["v"].to_pylist() == ["wins", "comes"]


def test_logs_that_changed_since_the_deletion_vector_are_rejected(tmp_path: Path) -> None:
    built(tmp_path, 9, BASE, LOGS)
    [split] = hoodoo.Table(tmp_path).splits(["id", "v"])
    for surviving in ([True, False, True], [True, False, True, False, True]):
        with pytest.raises(CorruptTableError, match="read the table again"):
            split.changed(np.array(surviving)).read().read_all()


def test_a_key_that_is_stored_twice_is_replaced_twice(tmp_path: Path) -> None:
    built(tmp_path, 9, [("a", 1, "x"), ("b", 1, "x"), ("a", 3, "y"), ("a", 1, "z")], [[("a", 2, "wins")]])
    [split] = hoodoo.Table(tmp_path).splits(["id", "v"])
    assert split.divided().deletion_vector.tolist() == [True, False, False, True]
    assert split.divided().surviving is None
    assert sorted(split.changed().read().read_all()["v"].to_pylist()) == ["wins", "wins"]
    assert_same(rows_in_two_parts(split), rows_of(split.read().read_all()), "in two parts")


def test_a_partial_record_takes_over_what_it_lacks(tmp_path: Path) -> None:
    table = built(tmp_path, 9, BASE, [])
    row = {name: value for name, value in table.row(T(2), "a", 6).items() if name != "v"}
    columns = {name: type_ for name, type_ in table.columns.items() if name != "v"}
    table.write_log(2, table.parquet(T(2), [row], {IS_PARTIAL: "true"}, columns))
    [split] = hoodoo.Table(tmp_path).splits()
    assert split.is_divisible
    assert split.divided().surviving is None
    assert [row["v"] for row in split.changed().read().read_all().to_pylist()] == ["old a"]
    assert_same(rows_in_two_parts(split), rows_of(split.read().read_all()), "in two parts")


def test_a_slice_whose_logs_do_not_count(tmp_path: Path) -> None:
    table = built(tmp_path, 9, BASE, [])
    table.write_log(2, ("a", 6, "not yet"), completed=None)
    table.write_log(3, Delete("e", ""))
    [split] = hoodoo.Table(tmp_path).splits()
    assert split.divided().deletion_vector.tolist() == [False] * 4
    assert split.changed().read().read_all().num_rows == 0


def test_a_rule_that_changes_columns_needs_whole_rows(tmp_path: Path) -> None:
    built(tmp_path, 6, BASE, LOGS, properties=PARTIAL_UPDATE)
    [split] = hoodoo.Table(tmp_path).splits()
    assert not split.is_divisible


def test_a_slice_without_a_base_file_is_not_divisible(tmp_path: Path) -> None:
    built(tmp_path, 9, None, LOGS)
    [split] = hoodoo.Table(tmp_path).splits()
    assert not split.is_divisible
