"""Indexes, with which a write finds the file groups of incoming keys."""
