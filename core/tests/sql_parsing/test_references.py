"""Tables that queries name."""

from __future__ import annotations

import pytest

from hoodoo.sql_parsing.references import TableReference, names_in, names_of_ctes, references, relation_references
from hoodoo.sql_text.fragment import Fragment


def found(text: str) -> list[TableReference]:
    return references(Fragment(text, 0, len(text)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM t", ["t"]),
        ("select a from T where b", ["T"]),
        ("SELECT * FROM a.b.c", ["a.b.c"]),
        ("SELECT * FROM hoodoo.`/x y/z`", ["hoodoo./x y/z"]),
        ("SELECT * FROM a, b, (SELECT * FROM c) d, e", ["a", "b", "c", "e"]),
        ("SELECT a, b FROM c ORDER BY d, e", ["c"]),
        ("SELECT a, b FROM c GROUP BY d, e HAVING f, g", ["c"]),
        ("SELECT * FROM a JOIN b ON a.x = b.x, c", ["a", "b", "c"]),
        ("SELECT * FROM a LEFT OUTER JOIN b USING (x) CROSS JOIN c", ["a", "b", "c"]),
        ("SELECT * FROM (a JOIN b ON c = d) e", ["a", "b"]),
        ("SELECT (SELECT max(x) FROM a), y FROM b", ["a", "b"]),
        ("SELECT * FROM a WHERE x IN (SELECT y FROM b) AND EXISTS (SELECT 1 FROM c)", ["a", "b", "c"]),
        ("SELECT * FROM a WHERE x IN (TABLE b)", ["a", "b"]),
        ("TABLE a", ["a"]),
        ("FROM a SELECT b", ["a"]),
        ("(SELECT * FROM a) UNION ALL (SELECT * FROM b)", ["a", "b"]),
        ("SELECT * FROM a UNION SELECT * FROM b EXCEPT SELECT * FROM c", ["a", "b", "c"]),
        ("WITH a AS (SELECT * FROM t), b AS (SELECT * FROM a) SELECT * FROM b, u", ["t", "u"]),
        ("WITH t AS (SELECT * FROM t) SELECT * FROM t", ["t"]),
        ("WITH a (x, y) AS (SELECT 1, 2) SELECT * FROM A", []),
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM r) SELECT * FROM r", []),
        ("SELECT * FROM (WITH a AS (SELECT * FROM t) SELECT * FROM a) b, a", ["t", "a"]),
        ("SELECT * FROM t LATERAL VIEW explode(x) y AS a, b", ["t"]),
        ("SELECT * FROM t, LATERAL (SELECT * FROM u)", ["t", "u"]),
        ("SELECT EXTRACT(YEAR FROM a), TRIM(BOTH 'x' FROM b), SUBSTRING(c FROM 2) FROM d", ["d"]),
        ("SELECT * FROM t WHERE a IS NOT DISTINCT FROM b OR c IS DISTINCT FROM d", ["t"]),
        ("SELECT DISTINCT a FROM t", ["t"]),
        ("SELECT * FROM VALUES (1), (2) AS v(a), t", ["t"]),
        ("SELECT * FROM {df} d JOIN t ON d.a = t.a", ["t"]),
        ("SELECT * FROM t PIVOT (sum(a) FOR b IN ('x', 'y'))", ["t"]),
        ("SELECT * FROM t |> WHERE a > 1 |> JOIN u ON b", ["t", "u"]),
        ("SELECT t.from, u.join FROM t", ["t"]),
        ("SELECT a, '.' FROM t JOIN u ON b = '.' JOIN v", ["t", "u", "v"]),
        ("SELECT 'FROM a', `FROM b` /* FROM c */ FROM d -- FROM e", ["d"]),
        ("EXPLAIN EXTENDED SELECT * FROM t", ["t"]),
        ("CACHE TABLE t", ["t"]),
        ("INSERT INTO a SELECT * FROM b", ["a", "b"]),
        ("INSERT OVERWRITE TABLE a SELECT * FROM b", ["a", "b"]),
        ("DROP TABLE IF EXISTS t", []),
        ("SELECT CASE WHEN a THEN (SELECT b FROM c) END FROM d", ["c", "d"]),
        ("SELECT transform(a, x -> x + 1) FROM t, u", ["t", "u"]),
    ],
)
def test_tables_are_found_where_a_query_names_them(text, names):
    assert [str(each.name) for each in found(text)] == names


@pytest.mark.parametrize(
    ("text", "replaced", "time"),
    [
        ("SELECT * FROM t TIMESTAMP AS OF '2024-01-01' x", "t TIMESTAMP AS OF '2024-01-01'", "'2024-01-01'"),
        ("SELECT * FROM t FOR SYSTEM_TIME AS OF :w", "t FOR SYSTEM_TIME AS OF :w", ":w"),
        ("SELECT * FROM t VERSION AS OF 123 WHERE a", "t VERSION AS OF 123", "123"),
        ("SELECT * FROM t FOR VERSION AS OF '1' JOIN u", "t FOR VERSION AS OF '1'", "'1'"),
        (
            "SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL '1' DAY, u",
            "t TIMESTAMP AS OF current_timestamp() - INTERVAL '1' DAY",
            "current_timestamp() - INTERVAL '1' DAY",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF DATE'2024-01-01' x",
            "t TIMESTAMP AS OF DATE'2024-01-01'",
            "DATE'2024-01-01'",
        ),
        (
            "SELECT * FROM t TIMESTAMP AS OF CAST(1 AS TIMESTAMP) x",
            "t TIMESTAMP AS OF CAST(1 AS TIMESTAMP)",
            "CAST(1 AS TIMESTAMP)",
        ),
    ],
)
def test_a_time_is_part_of_the_reference(text, replaced, time):
    first = found(text)[0]
    assert first.at.sql == replaced
    assert first.time is not None
    assert first.time.sql == time


def test_a_missing_time_is_empty():
    time = found("SELECT * FROM t TIMESTAMP AS OF WHERE a")[0].time
    assert time is not None
    assert time.sql == ""


def test_the_table_of_an_update_is_found():
    assert [str(each.name) for each in found("UPDATE a.t SET x = 1 FROM u")] == ["a.t", "u"]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("SELECT * FROM t WHERE a", "SELECT * FROM t"),
        ("SELECT * FROM t", "SELECT * FROM t"),
        ("SELECT * FROM t JOIN u u", "SELECT * FROM t"),
        ("SELECT * FROM t LEFT JOIN u u", "SELECT * FROM t"),
        (
            "SELECT * FROM t TABLESAMPLE (1 ROWS) REPEATABLE (2) WHERE a",
            "SELECT * FROM t TABLESAMPLE (1 ROWS) REPEATABLE (2)",
        ),
        ("SELECT * FROM t TIMESTAMP AS OF '1' LIMIT 1", "SELECT * FROM t TIMESTAMP AS OF '1'"),
        ("SELECT * FROM t AS x", None),
        ("SELECT * FROM t x", None),
        ("SELECT * FROM t `where`", None),
        ("TABLE t", None),
    ],
)
def test_a_missing_alias_has_its_place(text, before):
    at = found(text)[0].alias_at
    assert (None if at is None else text[:at]) == before


def test_a_table_function_has_its_arguments():
    [function] = found("SELECT * FROM hudi_table_changes('a.b', 'cdc', :since) c")
    assert [argument.sql for argument in function.arguments or ()] == ["'a.b'", "'cdc'", ":since"]
    assert function.at.sql == "hudi_table_changes('a.b', 'cdc', :since)"


def test_options_of_a_table_are_part_of_the_reference():
    [table] = found("SELECT * FROM t WITH ('a' = 'b', c.d = 1) x")
    assert (dict(table.options), table.at.sql) == ({"a": "b", "c.d": "1"}, "t WITH ('a' = 'b', c.d = 1)")


def test_a_relation_begins_with_a_table():
    text = "a TIMESTAMP AS OF '1' AS s"
    [table] = relation_references(Fragment(text, 0, len(text)))
    assert table.at.sql == "a TIMESTAMP AS OF '1'"


def test_a_part_of_a_statement_is_searched_alone():
    text = "SELECT * FROM a WHERE b IN (SELECT c FROM d)"
    part = Fragment(text, text.index("b IN"), len(text))
    assert [str(each.name) for each in references(part)] == ["d"]


def test_names_of_with_are_known_outside_of_it():
    text = "WITH a AS (SELECT 1), B AS (SELECT 2) SELECT * FROM a, b, c"
    ctes = Fragment(text, 0, text.index(" SELECT *"))
    assert names_of_ctes(ctes) == {"a", "b"}
    rest = Fragment(text, ctes.end, len(text))
    assert [str(each.name) for each in references(rest, names_of_ctes(ctes))] == ["c"]


def test_all_names_of_a_statement_are_found():
    text = "VACUUM a.`b c` RETAIN 3 HOURS -- d"
    assert [str(name) for name in names_in(Fragment(text, 0, len(text)))] == ["VACUUM", "a.b c", "RETAIN", "HOURS"]
