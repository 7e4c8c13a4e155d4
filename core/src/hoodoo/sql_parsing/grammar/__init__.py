"""Parsers of statements, one module per kind."""

from hoodoo.sql_parsing.grammar.create import FORMATS
from hoodoo.sql_parsing.grammar.statement import Statement, parse_statement

__all__ = ["FORMATS", "Statement", "parse_statement"]
