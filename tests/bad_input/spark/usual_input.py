"""Rows of the usual table as Spark takes them, and a check of messages."""

from __future__ import annotations

__all__ = ["COLUMNS", "ROWS", "assert_readable"]

COLUMNS = "id string, part string, ts long, v string"
ROWS = [("a", "x", 1, "1"), ("b", "x", 2, "2"), ("c", "y", 3, "3")]


def assert_readable(error):
    """Check that a message has less than 700 characters, and no traceback of Spark or Python."""
    for noise in ("Traceback", "py4j", "org.apache.spark", "PythonException", "hoodoo-error:"):
        assert noise not in str(error)
    assert len(str(error)) < 700
