"""Conversion of schemas between Arrow and Spark, and quoted names."""

from __future__ import annotations

from hoodoo.spark.spark_types import quoted


def test_names_are_quoted_whatever_is_in_them():
    assert quoted(["a", "a.b", "x`y", "*"]) == ["`a`", "`a.b`", "`x``y`", "`*`"]
