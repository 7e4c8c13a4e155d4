"""Conditions of a MERGE."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.statements.names import Names
from hoodoo.statements.on_condition import aliases_of, on_condition

TABLE = Names("t", ("id", "day", "v", "end", "flag"))
SOURCE = Names("s", ("id", "day", "v", "key", "end", "ID2"))


def parts(text, keys=("id",), partitions=("day",)):
    found = on_condition(text, TABLE, SOURCE, keys, partitions)
    return dict(found.equal), list(found.conjuncts), list(found.others)


@pytest.mark.parametrize(
    ("text", "equal", "others"),
    [
        ("t.id = s.id", {"id": "s.id"}, []),
        ("s.id<=>T.ID", {"id": "s.id"}, []),
        ("t.id == s.id", {"id": "s.id"}, []),
        ("((t.id) = (s.id))", {"id": "(s.id)"}, []),
        ("`t`.`id` = `s`.`key`", {"id": "`s`.`key`"}, []),
        ("t.id = key", {"id": "key"}, []),
        ("t.id = upper(trim(s.key)) || '='", {"id": "upper(trim(s.key)) || '='"}, []),
        ("t.id = s.id AND t.day = s.day", {"id": "s.id", "day": "s.day"}, []),
        ("(t.id = s.id and (t.day = s.day AND t.v > 1)) and s.v < 2",
         {"id": "s.id", "day": "s.day"}, ["t.v > 1", "s.v < 2"]),
        ("t.v BETWEEN 1 AND s.v and t.id = s.id", {"id": "s.id"}, ["t.v BETWEEN 1 AND s.v"]),
        ("t.v not between (1) and 2 + 3 AND t.id = s.id AND s.v BETWEEN 1 AND 2", {"id": "s.id"},
         ["t.v not between (1) and 2 + 3", "s.v BETWEEN 1 AND 2"]),
        ("t.id = s.id AND (t.v = 1 OR s.v = 2)", {"id": "s.id"}, ["t.v = 1 OR s.v = 2"]),
        ("t.id = s.id AND 'a AND b' = s.key", {"id": "s.id"}, ["'a AND b' = s.key"]),
        ("t.id = s.id AND CASE WHEN t.v > 1 AND s.v = 1 THEN true ELSE t.v = 3 OR false END", {"id": "s.id"},
         ["CASE WHEN t.v > 1 AND s.v = 1 THEN true ELSE t.v = 3 OR false END"]),
        ("t.id = CASE WHEN s.v IS NULL THEN s.id ELSE s.key END",
         {"id": "CASE WHEN s.v IS NULL THEN s.id ELSE s.key END"}, []),
        # a column may be called as a keyword
        ("t.end = s.end AND t.id = s.id", {"id": "s.id"}, ["t.end = s.end"]),
        ("t.id = s.id AND t.id = s.key", {"id": "s.id"}, []),
        ("t.id = s.id AND t.day = '2026'", {"id": "s.id"}, ["t.day = '2026'"]),
        ("t.id = s.id AND exists(s.v, x -> x = t.v and x > 1)", {"id": "s.id"},
         ["exists(s.v, x -> x = t.v and x > 1)"]),
        ("t.id /* AND */ = s.id -- AND x\n AND t.v > 1 -- end", {"id": "s.id"}, ["t.v > 1"]),
        ("\n t.id\n=\ns.id\n", {"id": "s.id"}, []),
    ],
)  # fmt: skip
def test_a_condition_has_equalities_of_the_key_and_others(text, equal, others):
    found_equal, _, found_others = parts(text)
    assert (found_equal, found_others) == (equal, others)


def test_comments_between_the_parts_belong_to_none():
    _, conjuncts, others = parts("t.id = s.id -- key\n AND -- next\n t.v > 1 /* end */")
    assert (conjuncts, others) == (["t.id = s.id"], ["t.v > 1"])


@pytest.mark.parametrize(
    "text",
    [
        "t.v = s.v",
        "t.id = s.id OR t.v = s.v",
        "t.id = s.id AND t.v = 1 OR true",
        "NOT t.id = s.id",
        "t.id <> s.id",
        "t.id > s.id",
        "t.id + 0 = s.id",
        "t.id = t.id",
        "t.id = 1",
        "t.id = s.id + t.v",
        "t.id = t.v + 1",
        "t.id = 's.id'",
        "t.id IN (s.id)",
        "upper(t.id) = s.id",
        # these compare the result of the comparison
        "t.id = s.id IS NOT NULL",
        "t.id = s.id = t.flag",
        "t.id = s.id IN (true)",
        "t.id = s.id BETWEEN true AND true",
        "s.v > t.id = s.id",
        "t.id = s.id LIKE 'true'",
    ],
)
def test_a_condition_without_the_key_is_refused(text):
    with pytest.raises(StatementError, match="does not compare the record key column 'id'") as refused:
        parts(text)
    assert refused.value.code == "merge_condition"
    assert "write t.id = s.id" in str(refused.value)


def test_each_column_of_the_key_must_be_compared():
    assert parts("t.id = s.id AND t.v = s.v", keys=("id", "v"))[0] == {"id": "s.id", "v": "s.v"}
    with pytest.raises(StatementError, match="record key column 'v'"):
        parts("t.id = s.id AND t.v > s.v", keys=("id", "v"))


def test_an_unqualified_column_of_both_sides_is_not_the_key_of_the_table():
    with pytest.raises(StatementError, match="record key column 'id'"):
        parts("id = s.key")
    found = on_condition("uuid = s.key", Names("t", ("uuid",)), SOURCE, ("uuid",), ())
    assert found.equal == {"uuid": "s.key"}


def test_a_nested_key_is_compared_by_its_path():
    table = Names("t", ("inner",))
    assert on_condition("t.inner.a = s.id", table, SOURCE, ("inner.a",), ()).equal == {"inner.a": "s.id"}


@pytest.mark.parametrize("text", ["", "  ", "-- nothing\n", "()"])
def test_an_empty_condition_is_refused(text):
    with pytest.raises(StatementError, match=r"the condition is empty|does not compare"):
        parts(text)


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("t.id = s.id", (None, None), ("t", "s")),
        ("target.id = updates.id", (None, None), ("target", "updates")),
        ("updates.id = TGT.id", (None, None), ("TGT", "updates")),
        ("id = key", (None, None), ("t", "s")),
        ("orders.id = new.id", ("orders", None), ("orders", "new")),
        ("orders.id = new.id", ("orders", "new"), ("orders", "new")),
        ("s.id = x.id", ("s", None), ("s", "x")),
        ("id = key", ("s", None), ("s", "source")),
        ("t.id = s.id AND exists(s.v, x -> x.a > 1)", (None, None), ("t", "s")),
        ("t.id = s.id AND t.v IN (SELECT w.v FROM w)", (None, None), ("t", "s")),
        ("t.id = s.id AND v.x > 1", (None, None), ("t", "s")),
    ],
)
def test_aliases_are_those_that_the_condition_uses(text, given, expected):
    assert aliases_of(text, SOURCE.columns, TABLE.columns, given) == expected


@pytest.mark.parametrize(
    ("text", "given"),
    [("t.id = s.id AND u.x = 1", (None, None)), ("t.id = s.id", ("a", "b")), ("t.id = s.id", ("t", "t"))],
)
def test_other_names_than_two_are_refused(text, given):
    with pytest.raises(StatementError, match="target_alias and source_alias"):
        aliases_of(text, SOURCE.columns, TABLE.columns, given)
