"""The archive: what the timeline's oldest instants were, once they have left the active timeline."""

from hoodoo.archive.archive import Archive
from hoodoo.archive.load import load_timeline
from hoodoo.archive.writing import add_to_archive

__all__ = ["Archive", "add_to_archive", "load_timeline"]
