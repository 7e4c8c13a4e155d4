"""Members that a plugin class declares with a wrong type, or as an option by mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from hoodoo.plugin.declarations import LoneKey, MergeMode, Substitute
from hoodoo.plugin.installed.class_members import class_place, is_pairs, member_problems


def declaring(**members: Any) -> type:
    return type("Rule", (), members)


@pytest.mark.parametrize(
    ("family", "name", "wrong", "right", "expected"),
    [
        ("merger", "delete_rules", "any-of", ("any-of",), "a tuple of names, such as ('acme-rule',), got 'any-of'"),
        ("merger", "delete_rules", ["any-of"], (), "a tuple of names, such as ('acme-rule',), got list"),
        (
            "merger",
            "uses",
            ("aggregate", "sum"),
            (("aggregate", "sum"),),
            "(('aggregate', 'acme-function'),), got tuple",
        ),
        ("merger", "merge_mode", "CUSTOM", MergeMode("CUSTOM", "x"), "MergeMode('CUSTOM', '<UUID>'), got 'CUSTOM'"),
        ("merger", "whole_versions", "yes", True, "True or False, got 'yes'"),
        ("merger", "reasons", ["late"], {0: "late"}, "a dictionary of sentences by number, got list"),
        (
            "payload",
            "substitute",
            "event-time",
            Substitute("event-time"),
            "Substitute('acme-merger'), got 'event-time'",
        ),
        ("payload", "hudi_class", 7, "com.acme.Rule", "the text of a Java class name, got int"),
        ("keygen", "lone_key", "value", LoneKey.VALUE, "a LoneKey, such as LoneKey.VALUE, got 'value'"),
        ("lock", "presets", ["a"], {}, "a dictionary of options by alias, got list"),
        ("aggregate", "laws_of_retraction", (), frozenset(), "a frozenset of hoodoo.record.Law members, got tuple"),
    ],
)
def test_a_member_of_another_type_is_named_with_the_value_to_write(
    family: str, name: str, wrong: Any, right: Any, expected: str
) -> None:
    [problem] = member_problems(family, declaring(**{name: wrong}))

    assert problem.startswith(f"class Rule must declare `{name}` as ")
    assert problem.endswith(expected)
    assert [*member_problems(family, declaring(**{name: right}))] == []


def test_a_property_is_not_evaluated() -> None:
    assert [*member_problems("merger", declaring(delete_rules=property(lambda self: ("any-of",))))] == []


def test_members_of_other_families_are_free() -> None:
    assert [*member_problems("delete", declaring(merge_mode="CUSTOM"))] == []
    assert [*member_problems("pre_commit", declaring(uses="x"))] == []


def test_an_annotation_makes_a_member_an_option() -> None:
    @frozen
    class Annotated:
        keeps_with_deletes: tuple[str, ...] = ("source",)
        delete_rules: str = "any-of"
        column: str = "v"

    problems = [*member_problems("merger", Annotated)]

    assert [problem.partition(" declares ")[2].split()[0] for problem in problems] == [
        "`delete_rules`",
        "`keeps_with_deletes`",
    ]
    assert all("without an annotation" in problem for problem in problems)


def test_pairs_of_texts() -> None:
    assert is_pairs(())
    assert is_pairs((("aggregate", "sum"),))
    assert not is_pairs(("aggregate", "sum"))
    assert not is_pairs([("aggregate", "sum")])
    assert not is_pairs((("aggregate",),))


def test_the_place_of_a_class() -> None:
    line = Path(__file__).read_text(encoding="utf-8").splitlines().index("class Plain:") + 1

    assert class_place(Plain) == f'File "{__file__}", line {line}'
    assert class_place(int) == class_place("no class") == ""


class Plain:
    pass
