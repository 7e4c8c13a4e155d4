"""Comparison of expressions in statements with Spark's own evaluation over plain DataFrames of the same rows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

import hoodoo
from hoodoo.errors import DataError
from hoodoo.spark.statements import merge

from .bits import bits_of, numbers
from .edge_rows import COMMON, OF_SOURCE, OF_TABLE, columns_of, rows_of
from .grammar import Grammar

__all__ = ["Batch", "session_with", "without_join"]

KINDS = (
    {},
    {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 2},
    {"table_version": 6},
    {"index": "bloom", "table_version": 8},
    {"table_type": "MERGE_ON_READ", "table_version": 6},
)
JOINED = {4, 16}
"""The seeds with a condition over the source that hoodoo treats as one over both sides, so that the statement joins."""

ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
STORED, GIVEN = range(16), range(8, 24)
"""The keys of the table and of the source."""


@contextmanager
def session_with(spark: SparkSession, **settings: str) -> Iterator[None]:
    """Change settings of the session in a `with` block; the names of the settings have `_` for a dot."""
    names = {name: name.replace("_", ".") for name in settings}
    before = {name: spark.conf.get(name) for name in names.values()}
    for name, value in settings.items():
        spark.conf.set(names[name], value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


@dataclass(frozen=True)
class Expression:
    """Expression over one or both sides.

    Attributes:
        text: The expression in Spark's SQL.
        type: The type of a column of a table that holds its values.
        condition: A condition that depends on its value.
    """

    text: str
    type: T.DataType
    condition: str


@dataclass
class Batch:
    """Expressions that are evaluated by a few statements.

    Attributes:
        spark: The Spark session.
        folder: The folder in which the tables are created.
        seed: The seed of expressions, rows and settings.
        count: The number of expressions, a multiple of three.
        failing: The expressions for which Spark has no value in one of the rows, with their sides.
    """

    spark: SparkSession
    folder: Path
    seed: int
    count: int
    failing: list[tuple[str, str]] = field(default_factory=list)

    def compare(self) -> set[str]:
        """Compare the values and conditions of expressions with those of Spark, and return the expressions.

        A third of them names the table and the source, a third only the table, and a third only the source.
        """
        with session_with(
            self.spark,
            spark_sql_ansi_enabled=str(self.ansi).lower(),
            spark_sql_session_timeZone=ZONES[self.seed % len(ZONES)],
        ):
            self.stored = self._frame(STORED, OF_TABLE, 1)
            self.given = self._frame(GIVEN, OF_SOURCE, 2)
            table, source = self.stored.alias("t"), self.given.alias("s")
            both = {"t": {**COMMON, **OF_TABLE}, "s": {**COMMON, **OF_SOURCE}}
            self.of_both = self._valid(table.join(source, F.expr("t.id = s.id")), both, "own")
            # an UPDATE also changes the rows that a MERGE has inserted
            self.of_table = self._valid(self._all_rows().alias("t"), {"t": both["t"]}, "all")
            self.of_source = self._valid(source, {"s": both["s"]}, "none" if self.is_qualified else "all")
            self._compare_values()
            self._compare_conditions_with_join()
            self._compare_conditions_without_join()
        return {each.text for each in (*self.of_both, *self.of_table, *self.of_source)}

    @property
    def ansi(self) -> bool:
        """Return whether the session is in ANSI mode."""
        return self.seed % 2 == 0

    @property
    def is_qualified(self) -> bool:
        """Return whether expressions over the source name all columns with its alias."""
        return self.seed % 3 != 0

    def check_failing(self) -> int:
        """Assign each expression over the table for which Spark has no value; return the number of these statements.

        Each fails with a `DataError` and writes no commit.
        """
        with session_with(self.spark, spark_sql_ansi_enabled="true"):
            stored = self._frame(STORED, OF_TABLE, 1)
            path = self._table(stored)
            self._valid(stored.alias("t"), {"t": {**COMMON, **OF_TABLE}}, "all")
            before = list(hoodoo.Table(path).timeline.commits)
            failing = 0
            for _, text in self.failing:
                assigned = f"cast({text} AS string)"
                try:
                    stored.alias("t").select(F.expr(assigned)).toArrow()
                except AnalysisException:
                    # not every type can be converted
                    continue
                except PySparkException:
                    failing += 1
                    with pytest.raises(DataError, match="has no value for a row"):
                        hoodoo.Table(path).update(None, {"text": assigned}, spark=self.spark)
            assert list(hoodoo.Table(path).timeline.commits) == before
        return failing

    def _frame(self, ids: range, own: Mapping[str, str], seed: int) -> DataFrame:
        rows = rows_of(ids, dict(own), 10 * self.seed + seed, extreme=not self.ansi)
        return self.spark.createDataFrame(rows)

    def _valid(self, frame: DataFrame, sides: dict[str, dict[str, str]], bare: str) -> list[Expression]:
        """Return expressions that have a value for each row of a DataFrame, and add the others to `failing`."""
        alias = "".join(sides)
        seed = f"{self.seed} {alias}"
        grammar = Grammar(seed, columns_of(seed, sides, bare), self.ansi)
        wanted = self.count // 3
        found: list[Expression] = []
        chosen = random.Random(seed)
        texts = grammar.expressions(4 * wanted)
        while len(found) < wanted:
            analysed = []
            for text, _ in texts:
                type_ = _type(frame, text)
                if type_ is not None:
                    wider = _wider(type_) if chosen.random() < 0.15 else type_
                    analysed.append(Expression(text, wider, _condition(chosen, text, type_)))
                if len(found) + len(analysed) == wanted:
                    break
            evaluated = list(self._evaluated(frame, analysed))
            self.failing += [(alias, each.text) for each in analysed if each not in evaluated]
            found += evaluated
        return found

    def _evaluated(self, frame: DataFrame, given: list[Expression]) -> Iterator[Expression]:
        """Yield the expressions that have a value in each row; find the others by halving the list."""
        try:
            found = frame.select(*_columns(given, "v"), *(F.expr(each.condition) for each in given)).toArrow()
            for column in found.columns:
                numbers(column).to_pylist()
        except (PySparkException, UnicodeDecodeError):
            # a table holds no text that is not UTF-8
            if len(given) > 1:
                middle = len(given) // 2
                yield from self._evaluated(frame, given[:middle])
                yield from self._evaluated(frame, given[middle:])
        else:
            yield from given

    def _table(self, frame: DataFrame, **options: Any) -> Path:
        path = self.folder / f"table{len(list(self.folder.iterdir()))}"
        hoodoo.write(frame, path, {"table_name": "t", "record_key": "id", **options})
        return path

    def _compare_values(self) -> None:
        """Assign each expression to a column by a MERGE, and those of the table by an UPDATE of all rows, too."""
        groups = {"b": self.of_both, "t": self.of_table, "s": self.of_source}
        empty = [
            F.lit(None).cast(each.type).alias(f"{prefix}{number}")
            for prefix, group in groups.items()
            for number, each in enumerate(group)
        ]
        path = self._table(self.stored.select("*", *empty), **KINDS[self.seed % len(KINDS)])
        texts = {prefix: _assigned(group, prefix) for prefix, group in groups.items()}
        common = {name: f"s.{name}" for name in ("id", *COMMON)}
        result = (
            hoodoo.Table(path)
            .merge(self.given, "t.id = s.id")
            .whenMatchedUpdate(set=texts["b"])
            .whenNotMatchedInsert(values={**common, **texts["s"]})
            .whenNotMatchedBySourceUpdate(set=texts["t"])
            .execute()
        )
        table, source = self.stored.alias("t"), self.given.alias("s")
        joined = table.join(source, F.expr("t.id = s.id"))
        expected = {
            "b": joined.select("t.id", *_columns(self.of_both, "b")),
            "t": table.join(source, F.expr("t.id = s.id"), "left_anti").select("t.id", *_columns(self.of_table, "t")),
            "s": source.join(table, F.expr("t.id = s.id"), "left_anti").select("s.id", *_columns(self.of_source, "s")),
        }
        assert (result.inserted, result.updated, result.deleted) == (len(set(GIVEN) - set(STORED)), len(STORED), 0)
        found = self._read(path)
        for prefix, frame in expected.items():
            self._same(found, frame, prefix, groups[prefix], "MERGE")
        updated = hoodoo.Table(path).update(None, texts["t"], spark=self.spark)
        assert updated.updated == len(set(STORED) | set(GIVEN))
        rows = self._all_rows().alias("t")
        self._same(self._read(path), rows.select("t.id", *_columns(self.of_table, "t")), "t", self.of_table, "UPDATE")

    def _all_rows(self) -> DataFrame:
        """Return the rows of the table after the MERGE, without the columns of the expressions."""
        # inserted rows have nulls in the columns that the source lacks
        common_rows = [*(F.col(f"s.{name}") for name in ("id", *COMMON)), *_nulls(self.stored, OF_TABLE)]
        table, source = self.stored.alias("t"), self.given.alias("s")
        inserted = source.join(table, F.expr("t.id = s.id"), "left_anti").select(*common_rows)
        return self.stored.unionByName(inserted)

    def _read(self, path: Path) -> DataFrame:
        return hoodoo.read(self.spark, path, meta_columns=False)

    def _same(self, found: DataFrame, expected: DataFrame, prefix: str, group: Sequence[Expression], what: str) -> None:
        names = ["id", *(f"{prefix}{number}" for number in range(len(group)))]
        types = [
            [field.dataType.simpleString() for field in frame.select(*names).schema] for frame in (found, expected)
        ]
        assert types[0] == types[1]
        wanted, got = bits_of(expected.select(*names)), bits_of(found.select(*names))
        wrong = []
        for key, values in wanted.items():
            for number, each in enumerate(group):
                if values[number] != got[key][number]:
                    wrong.append(f"{each.text}\n  row {key}: {got[key][number]} instead of {values[number]}")
        assert not wrong, f"{what}, {len(wrong)} values of seed {self.seed}:\n" + "\n".join(wrong[:10])

    def _compare_conditions_with_join(self) -> None:
        """Compare the rows that clauses with each condition select, where the table is joined."""
        numbers = self.spark.range(len(self.of_both)).selectExpr("cast(id AS int) AS number")
        own_key = F.expr("id + 100 * number").alias("id")
        base = [*COMMON, *OF_TABLE]
        stored = self.stored.crossJoin(numbers).select(own_key, *base, "number", F.lit("").alias("mark"))
        given = self.given.crossJoin(numbers).select(own_key, *COMMON, *OF_SOURCE, "number")
        path = self._table(stored, **KINDS[(self.seed + 1) % len(KINDS)])
        values = {"id": "s.id", "number": "s.number", "mark": "'s'"}
        result = (
            hoodoo.Table(path)
            .merge(given, "t.id = s.id")
            .whenMatchedUpdate(_by_number("s.number", self.of_both), {"mark": "'b'"})
            .whenNotMatchedInsert(_by_number("s.number", self.of_source), values)
            .whenNotMatchedBySourceUpdate(_by_number("number", self.of_table), {"mark": "'t'"})
            .execute()
        )
        table, source = self.stored.alias("t"), self.given.alias("s")
        matched = F.expr("t.id = s.id")
        wanted = {
            "b": self._selected(table.join(source, matched), "t", self.of_both),
            "t": self._selected(table.join(source, matched, "left_anti"), "t", self.of_table),
            "s": self._selected(source.join(table, matched, "left_anti"), "s", self.of_source),
        }
        rows = self._read(path).where("mark <> ''").select("id", "mark").toArrow().to_pylist()
        for mark, group in (("b", self.of_both), ("t", self.of_table), ("s", self.of_source)):
            self._same_rows({row["id"] for row in rows if row["mark"] == mark}, wanted[mark], group, f"join {mark}")
        assert (result.inserted, result.updated) == (len(wanted["s"]), len(wanted["b"]) + len(wanted["t"]))

    def _compare_conditions_without_join(self) -> None:
        """Compare the rows that clauses with each condition over the source select, where no table is joined."""
        numbers = self.spark.range(len(self.of_source)).selectExpr("cast(id AS int) AS number")
        given = self.given.crossJoin(numbers).select(
            F.expr("id + 100 * number").alias("id"), *COMMON, *OF_SOURCE, "number", F.lit("s").alias("mark")
        )
        path = self._table(given.where("id % 2 = 0").withColumn("mark", F.lit("")), index="simple")
        builder = hoodoo.Table(path).merge(given, "t.id = s.id")
        condition = _by_number("s.number", self.of_source)
        if self.is_qualified:
            # otherwise a name without an alias would be a column of both sides
            builder.whenMatchedUpdateAll(condition)
        builder.whenNotMatchedInsertAll(condition)
        with nullcontext() if self.seed in JOINED else without_join():
            builder.execute()
        wanted = self._selected(self.given.alias("s"), "s", self.of_source)
        asked = {key for key in wanted if key % 2 or self.is_qualified}
        rows = self._read(path).where("mark = 's'").select("id").toArrow().to_pylist()
        self._same_rows({row["id"] for row in rows}, asked, self.of_source, "no join")

    def _selected(self, frame: DataFrame, alias: str, group: Sequence[Expression]) -> set[int]:
        conditions = (F.expr(each.condition).alias(f"c{number}") for number, each in enumerate(group))
        rows = frame.select(F.col(f"{alias}.id"), *conditions).toArrow().to_pylist()
        return {row["id"] + 100 * number for row in rows for number in range(len(group)) if row[f"c{number}"]}

    def _same_rows(self, found: set[int], wanted: set[int], group: Sequence[Expression], what: str) -> None:
        wrong = [
            f"{group[key // 100].condition}\n  row {key % 100}: {'selected' if key in found else 'not selected'}"
            for key in sorted(found ^ wanted)
        ]
        assert not wrong, f"{what}, {len(wrong)} rows of seed {self.seed}:\n" + "\n".join(wrong[:10])


@contextmanager
def without_join() -> Iterator[None]:
    """Fail if a MERGE joins the source with the table."""

    def refuse(*_: Any) -> DataFrame:
        raise AssertionError("the statement joins the source with the table")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge._Joined, "frame", refuse)
        yield


def _type(frame: DataFrame, text: str) -> T.DataType | None:
    """Return the type of a column that holds an expression; None if Spark refuses the expression."""
    try:
        return _stored(frame.select(F.expr(text)).schema[0].dataType)
    except PySparkException:
        return None


def _stored(type_: T.DataType) -> T.DataType:
    """Return the type in which a table stores values of a type: short integers as int, nulls and texts as string."""
    if isinstance(type_, (T.ByteType, T.ShortType)):
        return T.IntegerType()
    if isinstance(type_, (T.StringType, T.NullType)):
        return T.StringType()
    if isinstance(type_, T.ArrayType):
        return T.ArrayType(_stored(type_.elementType))
    if isinstance(type_, T.MapType):
        return T.MapType(_stored(type_.keyType), _stored(type_.valueType))
    if isinstance(type_, T.StructType):
        return T.StructType([T.StructField(each.name, _stored(each.dataType)) for each in type_])
    return type_


def _wider(type_: T.DataType) -> T.DataType:
    """Return another type to which Spark's INSERT converts each value of a type, or the same if there is none."""
    if isinstance(type_, T.IntegerType):
        return T.LongType()
    if isinstance(type_, T.LongType):
        return T.DecimalType(20, 0)
    if isinstance(type_, T.DecimalType):
        return T.DecimalType(38, type_.scale)
    if isinstance(type_, T.FloatType):
        return T.DoubleType()
    if isinstance(type_, T.DateType):
        return T.TimestampType()
    if isinstance(type_, T.ArrayType) and isinstance(type_.elementType, T.IntegerType):
        return T.ArrayType(T.DoubleType())
    return type_ if isinstance(type_, (T.ArrayType, T.MapType, T.StructType)) else T.StringType()


def _condition(chosen: random.Random, text: str, type_: T.DataType) -> str:
    if isinstance(type_, T.BooleanType):
        return text
    if isinstance(type_, T.MapType):
        return f"xxhash64(map_entries({text})) % 2 = 0"
    return chosen.choice([f"{text} IS NOT NULL", f"pmod(xxhash64({text}), 2) = 0", f"hash({text}) % 3 <> 0"])


def _by_number(number: str, group: Sequence[Expression]) -> str:
    """Return a condition that evaluates, in each row, the condition of the expression with the number of the row."""
    cases = " ".join(f"WHEN {place} THEN ({each.condition}\n)" for place, each in enumerate(group))
    return f"CASE {number} {cases} END"


def _columns(group: Sequence[Expression], prefix: str) -> list[Any]:
    return [F.expr(each.text).cast(each.type).alias(f"{prefix}{number}") for number, each in enumerate(group)]


def _assigned(group: Sequence[Expression], prefix: str) -> dict[str, str]:
    return {f"{prefix}{number}": each.text for number, each in enumerate(group)}


def _nulls(frame: DataFrame, names: Mapping[str, str]) -> list[Any]:
    return [F.lit(None).cast(frame.schema[name].dataType).alias(name) for name in names]
