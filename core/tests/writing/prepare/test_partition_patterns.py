"""Selection of partitions by patterns."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError
from hoodoo.writing.prepare.partition_patterns import matching_partitions

PARTITIONS = ["2024/01/01", "2024/01/02", "2024/02/01", "a.c", "abc"]


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["2024/01/01"], {"2024/01/01"}),
        (["2024/01/*"], {"2024/01/01", "2024/01/02"}),
        (["2024/*1"], {"2024/01/01", "2024/02/01"}),
        (["/2024/02/01/"], {"2024/02/01"}),
        (["*"], set(PARTITIONS)),
        (["abc", "2024/02*"], {"abc", "2024/02/01"}),
        ([], set()),
    ],
)
def test_a_star_stands_for_any_text(patterns, found):
    assert matching_partitions(patterns, PARTITIONS) == found


def test_other_characters_stand_for_themselves():
    assert matching_partitions(["a.c"], PARTITIONS) == {"a.c"}


def test_a_pattern_must_match_the_whole_path():
    with pytest.raises(OptionError, match="no such partition"):
        matching_partitions(["2024/01"], ["2024/01/01"])


def test_a_pattern_without_a_partition_is_refused_with_those_near_it():
    with pytest.raises(OptionError, match=r"'2024/01/03'.*'2024/01/02'") as refused:
        matching_partitions(["abc", "2024/01/03"], PARTITIONS)
    assert refused.value.code == "unknown_partition"
