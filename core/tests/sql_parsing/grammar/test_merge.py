"""Parser of MERGE INTO."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import Action, Case, Merge, MergeClause

HEAD = "MERGE INTO t USING s ON t.id = s.id "


def parsed(text: str) -> Merge:
    statement = parse_statement(text)
    assert isinstance(statement, Merge)
    return statement


def shown(clause: MergeClause) -> tuple[Case, Action, str | None, list[tuple[str, str]]]:
    condition = None if clause.condition is None else clause.condition.sql
    return clause.case, clause.action, condition, [(str(a.column), a.value.sql) for a in clause.assignments]


def test_all_clauses_of_a_merge_are_parsed_in_their_order():
    merge = parsed(
        """MERGE WITH SCHEMA EVOLUTION INTO hoodoo.`/data/a b` AS t -- WHEN MATCHED
        USING (SELECT *, CASE WHEN a THEN 1 END AS c FROM x /* ON */) s
        ON t.id = s.id AND t.`on` = 'WHEN MATCHED THEN'
        WHEN MATCHED AND CASE WHEN s.op = 'D' THEN true ELSE false END THEN DELETE
        WHEN MATCHED THEN UPDATE SET t.a = CASE WHEN s.a > 1 THEN s.a ELSE (SELECT max(b) FROM y) END, `b c` = s.b
        WHEN NOT MATCHED BY TARGET AND s.a IS NOT NULL THEN INSERT (id, `b c`) VALUES (s.id, coalesce(s.b, f(2, 3)))
        WHEN NOT MATCHED THEN INSERT *
        WHEN NOT MATCHED BY SOURCE AND t.a < 1 THEN UPDATE SET a = 1
        when not matched by source then delete;"""
    )
    assert (merge.target.parts, merge.alias) == (("hoodoo", "/data/a b"), "t")
    assert merge.source.relation.sql == "(SELECT *, CASE WHEN a THEN 1 END AS c FROM x /* ON */) s"
    assert merge.source.alias == "s"
    assert merge.condition.sql == "t.id = s.id AND t.`on` = 'WHEN MATCHED THEN'"
    assert merge.evolves_schema
    update = "CASE WHEN s.a > 1 THEN s.a ELSE (SELECT max(b) FROM y) END"
    assert [shown(clause) for clause in merge.clauses] == [
        (Case.MATCHED, Action.DELETE, "CASE WHEN s.op = 'D' THEN true ELSE false END", []),
        (Case.MATCHED, Action.UPDATE, None, [("t.a", update), ("b c", "s.b")]),
        (
            Case.NOT_MATCHED,
            Action.INSERT,
            "s.a IS NOT NULL",
            [("id", "s.id"), ("b c", "coalesce(s.b, f(2, 3))")],
        ),
        (Case.NOT_MATCHED, Action.INSERT_ALL, None, []),
        (Case.NOT_MATCHED_BY_SOURCE, Action.UPDATE, "t.a < 1", [("a", "1")]),
        (Case.NOT_MATCHED_BY_SOURCE, Action.DELETE, None, []),
    ]


@pytest.mark.parametrize(
    ("source", "relation", "alias"),
    [
        ("s", "s", "s"),
        ("db.s", "db.s", "s"),
        ("db.s AS x", "db.s AS x", "x"),
        ("db.s x", "db.s x", "x"),
        ("hoodoo.`/p` `my alias`", "hoodoo.`/p` `my alias`", "my alias"),
        ("s TIMESTAMP AS OF '2024-01-01' x", "s TIMESTAMP AS OF '2024-01-01' x", "x"),
        ("s VERSION AS OF 5", "s VERSION AS OF 5", "s"),
        ("(SELECT 1 AS id)", "(SELECT 1 AS id)", None),
        ("(VALUES (1, 2), (3, 4)) AS x(id, v)", "(VALUES (1, 2), (3, 4)) AS x(id, v)", "x"),
        ("{df} x", "{df} x", "x"),
        (
            "hudi_table_changes('s', 'latest_state', 'earliest') x",
            "hudi_table_changes('s', 'latest_state', 'earliest') x",
            "x",
        ),
    ],
)
def test_the_source_is_a_table_a_query_or_rows(source, relation, alias):
    merge = parsed(f"MERGE INTO t USING {source} ON t.id = id WHEN MATCHED THEN DELETE")
    assert (merge.source.relation.sql, merge.source.alias) == (relation, alias)


def test_a_clause_with_before_the_statement_belongs_to_the_source():
    merge = parsed("WITH a AS (SELECT 1 AS id) MERGE INTO t USING a ON t.id = a.id WHEN MATCHED THEN DELETE")
    assert merge.source.ctes is not None
    assert merge.source.ctes.sql == "WITH a AS (SELECT 1 AS id)"


@pytest.mark.parametrize(
    ("text", "match", "column"),
    [
        ("MERGE INTO t USING s WHEN MATCHED THEN DELETE", "ON is expected", 22),
        ("MERGE INTO t USING a JOIN b ON a.x = b.x WHEN MATCHED THEN DELETE", "ON is expected", 27),
        (HEAD, "MERGE has no clause", len(HEAD) + 1),
        (HEAD + "WHEN MATCHED THEN INSERT *", "INSERT \\* is not possible after WHEN MATCHED", len(HEAD) + 19),
        (HEAD + "WHEN NOT MATCHED THEN DELETE", "DELETE is not possible after WHEN NOT MATCHED", len(HEAD) + 23),
        (
            HEAD + "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *",
            "is not possible after WHEN NOT MATCHED BY SOURCE",
            len(HEAD) + 33,
        ),
        (HEAD + "WHEN MATCHED THEN UPDATE SET a = 1, A = 2", "'A' is assigned twice", len(HEAD) + 37),
        (HEAD + "WHEN MATCHED THEN UPDATE SET a 1", "'=' is expected", len(HEAD) + 32),
        (HEAD + "WHEN MATCHED THEN UPDATE SET a = WHEN", "the value of column 'a' is expected", len(HEAD) + 34),
        (HEAD + "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1)", "2 columns and 1 value;", len(HEAD) + 46),
        (HEAD + "WHEN NOT MATCHED THEN INSERT VALUES (1)", "the columns are expected", len(HEAD) + 30),
        (HEAD + "WHEN NOT MATCHED THEN INSERT (a, a) VALUES (1, 2)", "'a' occurs twice", len(HEAD) + 34),
        (
            HEAD + "WHEN MATCHED THEN DELETE WHEN MATCHED AND a THEN DELETE",
            "no row reaches this clause",
            len(HEAD) + 26,
        ),
        (HEAD + "WHEN MATCHED AND THEN DELETE", "the condition of the clause is expected", len(HEAD) + 18),
        (HEAD + "WHEN MATCHED DELETE", "THEN is expected", len(HEAD) + 14),
        (HEAD + "WHEN FOUND THEN DELETE", "MATCHED or NOT MATCHED", len(HEAD) + 6),
        (HEAD + "WHEN MATCHED THEN DROP", "UPDATE, DELETE or INSERT", len(HEAD) + 19),
        ("MERGE t USING s ON a WHEN MATCHED THEN DELETE", "INTO is expected", 7),
    ],
)
def test_a_wrong_merge_is_an_error_at_its_place(text, match, column):
    with pytest.raises(StatementError, match=match) as caught:
        parse_statement(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_fields_of_structs_are_assigned_by_their_names():
    merge = parsed(HEAD + "WHEN MATCHED THEN UPDATE SET T.a = 1, d.e = 4, `f`.e = 5")
    assert [assignment.column.parts for assignment in merge.clauses[0].assignments] == [
        ("T", "a"),
        ("d", "e"),
        ("f", "e"),
    ]
