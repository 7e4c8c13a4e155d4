"""Parsers of statements, one module per kind."""

from hoodoo.sql_parsing.grammar.create import FORMATS, creates_hudi_table
from hoodoo.sql_parsing.grammar.statement import Statement, parse_statement

__all__ = ["FORMATS", "Statement", "creates_hudi_table", "parse_statement"]
