"""Helpers for authors of payloads and mergers: base classes, ordering, partial updates, aggregate functions."""
