"""Values of partition paths, as the value extractor classes of Hudi return them."""

import pytest

from hoodoo.catalog_sync.partition_values import ExtractorReplaced, partition_values_of
from hoodoo.errors import CatalogError, OptionError

P = "org.apache.hudi.hive."


def rule(extractor=None, columns=("c",), hive_style=False, decode=False):
    return partition_values_of(extractor, None, columns, hive_style=hive_style, decode=decode)


@pytest.mark.parametrize(
    ("extractor", "columns", "path", "values"),
    [
        (None, ("c",), "oslo", ("oslo",)),
        (None, ("c",), "2020/01/02", ("2020-01-02",)),
        (None, ("a", "b"), "x/y", ("x", "y")),
        (None, ("a", "b"), "a=x/b=y=z", ("x", "y=z")),
        (P + "MultiPartKeysValueExtractor", ("c",), "c=oslo", ("oslo",)),
        (P + "SinglePartPartitionValueExtractor", ("c",), "a/b", ("a-b",)),
        (P + "HiveStylePartitionValueExtractor", ("c",), "c=a/b", ("a/b",)),
        (P + "SlashEncodedDayPartitionValueExtractor", ("d",), "2020/1/2", ("2020-01-02",)),
        (P + "SlashEncodedDayPartitionValueExtractor", ("d",), "y=2020/m=01/d=02", ("2020-01-02",)),
        (P + "SlashEncodedHourPartitionValueExtractor", ("d",), "2020/1/2/3", ("2020-01-02-03",)),
    ],
)
def test_values(extractor, columns, path, values):
    assert rule(extractor, columns).of(path) == values


def test_the_default_of_one_column_follows_the_form_of_the_paths():
    assert rule(hive_style=True).of("c=a/b") == ("a/b",)


def test_values_are_decoded_after_the_path_is_split():
    assert rule(columns=("a", "b"), decode=True).of("x%2Fy/z%3D") == ("x/y", "z=")
    assert rule(columns=("a", "b")).of("x%2Fy/z") == ("x%2Fy", "z")


def test_a_table_without_partitions_in_the_catalog():
    assert rule(P + "NonPartitionedExtractor", ("c",)).columns == ()
    with pytest.raises(OptionError, match=r"for a table without partitions, and .*partition_fields names c"):
        partition_values_of(P + "NonPartitionedExtractor", ("c",), (), hive_style=False, decode=False)


def test_a_class_of_the_user_is_replaced_with_a_warning():
    with pytest.warns(ExtractorReplaced, match=r"acme.DayExtractor.* read by SinglePartPartitionValueExtractor"):
        assert rule("acme.DayExtractor").of("1") == ("1",)


@pytest.mark.parametrize(
    ("extractor", "path", "text"),
    [
        (P + "MultiPartKeysValueExtractor", "a/b", r"2 values, and the catalog has 1 partition column \(c\)"),
        (P + "HiveStylePartitionValueExtractor", "oslo", "not of the form column=value"),
        (P + "SlashEncodedDayPartitionValueExtractor", "2020/1", "3 numbers"),
        (P + "SlashEncodedDayPartitionValueExtractor", "2020/13/1", "month must be in 1..12"),
    ],
)
def test_a_path_that_does_not_fit_is_named(extractor, path, text):
    with pytest.raises(CatalogError, match=f"partition path '{path}'.*{text}.*correct hoodie"):
        rule(extractor).of(path)


def test_a_value_has_a_second_spelling_if_it_is_encoded():
    assert rule(columns=("a", "b"), decode=True).spellings("x%2Fy/b=z") == (("x/y", "z"), ("x%2Fy", "z"))
    assert rule(columns=("a", "b"), decode=False).spellings("x%2Fy/b=z") == (("x%2Fy", "z"), ("x/y", "z"))
    assert rule(columns=("a", "b"), decode=True).spellings("x/z") == (("x", "z"),)
