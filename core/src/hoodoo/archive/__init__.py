"""The archive: what the timeline's oldest instants were, once they have left the active timeline."""

from hoodoo.archive.archive import Archive

__all__ = ["Archive"]
