"""Writes of rows: preparation, plan, tasks, and commit."""
