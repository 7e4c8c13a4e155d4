"""What both forms of the archive are read as."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hoodoo.timeline import CommitMetadata, Instant

__all__ = ["Entries"]

Entries = Mapping[Instant, Callable[[], CommitMetadata]]
"""The archived instants, all completed, with what reads the metadata of each. Only commits have such metadata."""
