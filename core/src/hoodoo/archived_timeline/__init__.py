"""Archived timeline: the oldest instants, which were moved out of the active timeline."""

from hoodoo.archived_timeline.archive_writer import add_to_archive
from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.archived_timeline.load_timeline import load_timeline

__all__ = ["Archive", "add_to_archive", "load_timeline"]
