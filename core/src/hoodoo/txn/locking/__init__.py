"""Locks of a table, and the coordination of a writer with other writers."""
