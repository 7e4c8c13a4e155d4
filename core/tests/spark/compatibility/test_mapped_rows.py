"""Rows that Python returns for splits, and the filters that Spark pushes down."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from hoodoo.spark.compatibility.mapped_rows import MOST_PARTS, constants_of, parts_for_filters
from hoodoo.spark.pyspark_version import Feature

FIELDS = (pa.field("day", pa.string()), pa.field("n", pa.int32()))


def group(count):
    """Return a group of two splits for each of `count` partitions: splits, partition fields, and values by path."""
    splits = [SimpleNamespace(partition=f"d{n}/{n}", number=k) for k in range(2) for n in range(count)]
    return splits, FIELDS, {f"d{n}/{n}": (f"d{n}", n) for n in range(count)}


@pytest.fixture
def old(monkeypatch):
    monkeypatch.setattr(Feature, "is_available", lambda self: False)


@pytest.mark.usefixtures("old")
def test_each_partition_of_a_few_is_a_part():
    parts = list(parts_for_filters([group(3)]))

    assert [sorted(values) for _, _, values in parts] == [["d0/0"], ["d1/1"], ["d2/2"]]
    assert [[(split.partition, split.number) for split in splits] for splits, _, _ in parts] == [
        [(f"d{n}/{n}", 0), (f"d{n}/{n}", 1)] for n in range(3)
    ]


@pytest.mark.usefixtures("old")
def test_many_partitions_and_unknown_values_are_one_part():
    for given in (group(MOST_PARTS + 1), (group(2)[0], (), {})):
        assert list(parts_for_filters([given])) == [given]


def test_groups_stay_whole_with_arrow_functions(monkeypatch):
    monkeypatch.setattr(Feature, "is_available", lambda self: True)
    given = group(3)

    assert list(parts_for_filters([given])) == [given]


def test_one_value_is_a_constant_and_several_are_none(spark):
    expressions = constants_of(FIELDS, {"a": ("it's", 7)})

    assert tuple(spark.range(1).selectExpr(*expressions.values()).first()) == ("it's", 7)
    assert constants_of(FIELDS, {"a": ("x", 1), "b": ("y", 2)}) == {}
    assert constants_of((), {}) == {}
