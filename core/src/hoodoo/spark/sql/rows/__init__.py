"""Statements that read and write rows."""
