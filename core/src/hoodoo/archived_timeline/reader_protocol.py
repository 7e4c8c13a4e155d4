"""Result type of the archive readers of both layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hoodoo.timeline import CommitMetadata, Instant

__all__ = ["ArchivedInstants"]

ArchivedInstants = Mapping[Instant, Callable[[], CommitMetadata]]
"""Archived instants, all completed, each with a function that reads its metadata. Only commits have metadata."""
