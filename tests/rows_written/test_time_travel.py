"""Time travel: every form of an instant, in process, with Spark and with another reader."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError, OptionError
from hoodoo.testing.engine import write_arrow
from tests.support.by_format import by_format
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows, rows_of

from .comparing import check_against
from .model import Rule, TableModel

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

Row = dict[str, Any]

SPELLINGS: dict[str, Callable[[str], str]] = {
    "digits": lambda t: t,
    "seconds": lambda t: t[:14],
    "spelled": lambda t: f"{t[:4]}-{t[4:6]}-{t[6:8]} {t[8:10]}:{t[10:12]}:{t[12:14]}.{t[14:]}",
    "spelled with T": lambda t: f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:14]}.{t[14:]}",
    "spelled seconds": lambda t: f"{t[:4]}-{t[4:6]}-{t[6:8]} {t[8:10]}:{t[10:12]}:{t[12:14]}",
    "day": lambda t: f"{t[:4]}-{t[4:6]}-{t[6:8]}",
}


def _rows(**values: tuple[int, str]) -> list[Row]:
    return [{"id": key, "place": "xy"[key in "cd"], "ts": ts, "v": v} for key, (ts, v) in values.items()]


HISTORY = (
    ("upsert", _rows(a=(1, "a1"), b=(1, "b1"), c=(1, "c1"))),
    ("upsert", _rows(a=(2, "a2"), d=(1, "d1"))),
    ("delete", _rows(c=(9, ""), d=(9, ""))),
    ("upsert", _rows(b=(0, "late"), c=(1, "c again"))),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table with the commits of the history, and return its path."""
    for operation, rows in HISTORY:
        options = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts"}
        write_arrow(pa.Table.from_pylist(rows), tmp_path, {**options, "operation": operation})
    return tmp_path


@pytest.fixture
def states(table: Path) -> dict[str, TableModel]:
    """Return the model after each commit, by instant."""
    states = {}
    instants = [commit.instant for commit in reversed(hoodoo.Table(table).history())]
    for length, instant in enumerate(instants, start=1):
        assert instant is not None
        rule = Rule("merger", "event-time", ("ts",))
        model = TableModel(["id", "place", "ts", "v"], lambda row: row["id"], lambda row: row["place"], rule)
        for (operation, rows), written in zip(HISTORY[:length], instants, strict=False):
            model.apply(operation, rows)
            model.stamp(written or "")
        states[instant] = model
    return states


def test_as_of_each_commit_is_what_the_model_was_then(table: Path, states: dict[str, TableModel]) -> None:
    assert len(states) == len(HISTORY)
    for instant, model in states.items():
        check_against(model, table, instant)


def test_between_commits_the_earlier_one_counts(table: Path, states: dict[str, TableModel]) -> None:
    instants = sorted(states)
    for earlier, later in pairwise(instants):
        check_against(states[earlier], table, _shifted(later, -1))


def test_after_the_last_commit_is_now(table: Path, states: dict[str, TableModel]) -> None:
    for as_of in ("99991231235959", "9999-12-31", "9999-12-31T23:59:59.999"):
        assert_same(hoodoo_rows(table, as_of=as_of), hoodoo_rows(table), as_of)


def test_before_the_first_commit_the_table_is_empty(table: Path, states: dict[str, TableModel]) -> None:
    for as_of in (_shifted(min(states), -1), "20200101000000", "2020-01-01", "2020-01-01 00:00:00"):
        assert hoodoo_rows(table, as_of=as_of) == []
        assert hudi_rows(table, _digits(as_of)) == []
        assert hoodoo.Table(table).to_arrow(as_of=as_of).column_names[-4:] == ["id", "place", "ts", "v"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_the_same_point_in_time(spelling: str, table: Path, states: dict[str, TableModel]) -> None:
    for instant in states:
        spelled = SPELLINGS[spelling](instant)
        visible = [earlier for earlier in states if earlier <= _digits(spelled)]
        wanted = [{**held.values} for held in states[max(visible)].rows] if visible else []
        assert_same(hoodoo_rows(table, as_of=spelled, columns=["id", "place", "ts", "v"]), wanted, spelled)


@pytest.mark.parametrize("text", ["yesterday", "2024", "2024-13-01", "20240230000000", "", "2024-01-01 10:00"])
def test_texts_that_are_not_instants_are_rejected(text: str, table: Path) -> None:
    with pytest.raises(OptionError, match="is not an instant"):
        hoodoo.Table(table).to_arrow(as_of=text)


def test_columns_and_rows_can_be_chosen_in_the_past(table: Path, states: dict[str, TableModel]) -> None:
    read = hoodoo.Table(table).to_arrow(["v", "id"], pc.field("ts") > 1, as_of=sorted(states)[1])
    assert read.to_pylist() == [{"v": "a2", "id": "a"}]


def test_a_column_that_came_later_is_not_there_before(table: Path, states: dict[str, TableModel]) -> None:
    write_arrow(pa.table({"id": ["a"], "place": ["x"], "ts": [5], "v": ["a5"], "extra": [1.5]}), table, {})
    assert "extra" in hoodoo.Table(table).to_arrow().column_names
    assert "extra" not in hoodoo.Table(table).to_arrow(as_of=max(states)).column_names
    check_against(states[max(states)], table, max(states))


def test_past_whose_files_were_removed_is_an_error_that_names_the_file(
    table: Path, states: dict[str, TableModel]
) -> None:
    first = min(states)
    removed = next(s.path for s in hoodoo.Table(table).file_slices(first) if s.base_instant == first)
    (table / removed).unlink()
    with pytest.raises(CorruptTableError, match=removed) as caught:
        hoodoo.Table(table).to_arrow(as_of=first)
    assert caught.value.file == removed
    assert_same(hoodoo_rows(table, columns=["id", "v"]), _data(states[max(states)], "id", "v"), "the present")


def test_present_whose_file_is_gone_is_an_error_that_names_the_file(table: Path) -> None:
    removed = hoodoo.Table(table).file_slices()[0].path
    (table / removed).unlink()
    with pytest.raises(CorruptTableError, match=removed) as caught:
        hoodoo.Table(table).to_arrow()
    assert caught.value.file == removed


@pytest.mark.nightly
@pytest.mark.spark
def test_spark_reads_the_past(table: Path, states: dict[str, TableModel], spark: SparkSession) -> None:
    for instant, model in states.items():
        for as_of in (instant, SPELLINGS["spelled"](instant)):
            read = hoodoo.read(spark, table, as_of=as_of)
            assert_same(rows_of(read.toArrow()), hoodoo_rows(table, as_of=as_of), f"hoodoo.read as of {as_of}")
            assert_same(rows_of(read.toArrow()), _data(model, "id", "v"), as_of, ["id", "v"])
    for source in by_format(spark, table, as_of=min(states), columns="id,v"):
        assert_same(rows_of(source.toArrow()), _data(states[min(states)], "id", "v"), "the data source")
    hudi_key = hoodoo.read(spark, table, **{"as.of.instant": min(states)})
    assert_same(rows_of(hudi_key.toArrow()), hoodoo_rows(table, as_of=min(states)), "as.of.instant")
    empty = hoodoo.read(spark, table, as_of="2020-01-01")
    assert (empty.count(), empty.columns) == (0, hoodoo.Table(table).to_arrow().column_names)


@pytest.mark.spark
def test_spark_refuses_a_past_whose_files_were_removed(
    table: Path, states: dict[str, TableModel], spark: SparkSession
) -> None:
    first = min(states)
    removed = next(s.path for s in hoodoo.Table(table).file_slices(first) if s.base_instant == first)
    (table / removed).unlink()
    with pytest.raises(CorruptTableError, match=removed):
        hoodoo.read(spark, table, as_of=first).collect()


def _data(model: TableModel, *columns: str) -> list[Row]:
    return [{name: held.values[name] for name in columns} for held in model.rows]


def _digits(spelled: str) -> str:
    """Return the instant of a text: for `YYYY-MM-DD hh:mm:ss` the end of the second, as in Hudi, else the beginning."""
    digits = "".join(character for character in spelled if character.isdigit())
    return digits.ljust(17, "9" if len(spelled) == 19 else "0")


def _shifted(instant: str, milliseconds: int) -> str:
    time = datetime.strptime(instant, "%Y%m%d%H%M%S%f") + timedelta(milliseconds=milliseconds)
    return f"{time:%Y%m%d%H%M%S}{time.microsecond // 1000:03d}"
