"""Names of columns in expressions."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.statements.names import Names, columns_named, path_of, prefix_of, qualified, references

TABLE = Names("t", ("id", "Name", "addr", "date", "end", "a b", "a`b", "from"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t.id=s.id", [("t", "id"), ("s", "id")]),
        ("  t . `a b`/* c */= id -- x", [("t", "a b"), ("id",)]),
        ("upper(t.name) || 'id' || \"s.id\"", [("t", "name")]),
        ("s.date < t.end", [("s", "date"), ("t", "end")]),
        ("t.addr.city.zip", [("t", "addr", "city", "zip")]),
        ("t.addr['id'] + xs[id].id", [("t", "addr"), ("xs",), ("id",)]),
        ("`a``b` = 1e3", [("a`b",)]),
        ("filter(xs, x -> x.id > y)", [("xs",), ("y",)]),
        ("count(*)", []),
        ("1 + 2", []),
    ],
)
def test_names_are_found_without_functions_and_literals(text, expected):
    assert [found.parts for found in references(text)] == expected


def test_names_have_their_place():
    text = "upper( t . `a b`) = 'é' || é"
    assert [text[found.start : found.end] for found in references(text)] == ["t . `a b`", "é"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id + other", "`t`.id + other"),
        ("t.id + T.ID + s.id", "t.id + T.ID + s.id"),
        ("NAME || `a b`||'id'", "`t`.NAME || `t`.`a b`||'id'"),
        ("addr.id", "`t`.addr.id"),
        ("date > date '2026-01-01'", "`t`.date > date '2026-01-01'"),
        ("cast(id as date) < date", "cast(`t`.id as date) < `t`.date"),
        ("date(date)", "date(`t`.date)"),
        ("case when id > 1 then name end", "case when `t`.id > 1 then `t`.name end"),
        ("t.end + `end`", "t.end + `t`.`end`"),
        ("filter(addr, id -> id > 1)", "filter(`t`.addr, id -> id > 1)"),
        ("transform(addr, x -> x + id)", "transform(`t`.addr, x -> x + `t`.id)"),
        ("id in (select id from v)", "`t`.id in (select id from v)"),
        ("struct(id as name).name", "struct(`t`.id as name).name"),
        ("id -- id\n/* id */ + id", "`t`.id -- id\n/* id */ + `t`.id"),
        ("substring(name from 2)", "substring(`t`.name from 2)"),
    ],
)  # fmt: skip
def test_unqualified_columns_get_the_alias(text, expected):
    assert qualified(text, TABLE) == expected


def test_case_decides_only_in_a_session_that_is_case_sensitive():
    exact = Names("t", ("id", "ID"), case_sensitive=True)
    assert (exact.column("ID"), exact.column("Id"), exact.is_alias("T")) == ("ID", None, False)
    assert (TABLE.column("NAME"), TABLE.column("x"), TABLE.is_alias("T")) == ("Name", None, True)
    assert qualified("Id + ID + T.id", exact) == "Id + `t`.ID + T.id"


def test_a_path_starts_with_the_column_as_the_table_spells_it():
    assert TABLE.path(("T", "NAME", "x")) == ("Name", "x")
    assert TABLE.path(("name",)) == ("Name",)
    assert TABLE.path(("s", "name")) is None


def test_the_alias_is_quoted():
    assert prefix_of(Names("a`b", ())) == "`a``b`."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id", ("id",)),
        (" T.name ", ("Name",)),
        ("date", ("date",)),
        ("from", ("from",)),
        ("t.end", ("end",)),
        ("`a``b`", ("a`b",)),
        ("t.addr.city", ("addr", "city")),
        ("addr.`x.y`", ("addr", "x.y")),
    ],
)
def test_an_assignment_names_a_column_or_a_field(text, expected):
    assert path_of(text, TABLE) == expected


@pytest.mark.parametrize(
    "text", ["", "id + 1", "id, name", "id; name", "'id'", "(id)", "1", "upper(id)", "id[0]", "id -"]
)
def test_other_texts_are_no_assignment(text):
    with pytest.raises(StatementError, match="is not the name of a column"):
        path_of(text, TABLE)


def test_unknown_columns_and_other_values_are_refused():
    with pytest.raises(StatementError, match=r"has no column 's\.id'; it has: id, Name"):
        path_of("s.id", TABLE)
    with pytest.raises(StatementError, match="'5' of type int is not the name of a column; give the name as text"):
        path_of(5, TABLE)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("t.ID = s.id AND name > 1", {"id", "Name"}),
        ("t.addr.city * id", {"addr", "id"}),
        ("`a b` || 'date'", {"a b", "date"}),
        ("filter(xs, id -> id > date)", {"id", "date"}),
        (None, set()),
        (5, set()),
        ("count(*)", None),
        ("struct(id, *)", None),
        ("hash(t.*)", None),
        ("id IN (SELECT other FROM v)", None),
        (object(), None),
    ],
)
def test_columns_that_an_expression_can_name(given, expected):
    found = columns_named(given, TABLE)
    assert found == (None if expected is None else frozenset(expected))


def test_parameters_of_lambdas_do_not_hide_the_alias():
    assert qualified("transform(xs, t -> t + id)", TABLE) == "transform(xs, p -> p + `t`.id)"
    assert qualified("t.id + size(filter(t.addr, T -> T.p > t.id))", TABLE) == (
        "t.id + size(filter(t.addr, q -> q.p > q.id))"
    )
    assert qualified("aggregate(xs, 0, (`t`, x) -> `t` + x + id)", TABLE) == (
        "aggregate(xs, 0, (ppp, x) -> ppp + x + `t`.id)"
    )
    assert qualified("transform(xs, x -> x + id)", TABLE) == "transform(xs, x -> x + `t`.id)"
