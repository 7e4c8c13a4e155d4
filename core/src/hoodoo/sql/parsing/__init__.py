"""Parsers of statements, one module per kind."""

from hoodoo.sql.parsing.create import FORMATS
from hoodoo.sql.parsing.merge import column_of
from hoodoo.sql.parsing.statement import Statement, parse_statement

__all__ = ["FORMATS", "Statement", "column_of", "parse_statement"]
