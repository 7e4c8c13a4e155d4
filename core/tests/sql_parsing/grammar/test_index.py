"""Parser of statements about indexes."""

from __future__ import annotations

import pytest

from hoodoo.sql_parsing.definitions import Refused
from hoodoo.sql_parsing.grammar import parse_statement
from hoodoo.sql_parsing.statements import Query


@pytest.mark.parametrize(
    "text",
    [
        "SHOW INDEXES FROM a.t",
        "SHOW INDEXES IN a.t",
        "CREATE INDEX IF NOT EXISTS idx ON a.t USING column_stats (x)",
        "CREATE INDEX idx ON TABLE a.t (x)",
        "DROP INDEX IF EXISTS idx ON a.t",
        "REFRESH INDEX idx ON a.t",
    ],
)
def test_indexes_are_refused_with_a_reason(text):
    statement = parse_statement(text)
    assert isinstance(statement, Refused)
    assert (statement.name.parts, statement.at.sql) == (("a", "t"), text.split()[1])
    assert "metadata table" in statement.reason


@pytest.mark.parametrize("text", ["SHOW INDEXES", "CREATE INDEX idx", "DROP INDEX idx", "REFRESH TABLE t"])
def test_other_statements_are_left_to_spark(text):
    assert isinstance(parse_statement(text), Query)
