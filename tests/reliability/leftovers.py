"""Checks that nothing remains of failed writes after the next successful write."""

from __future__ import annotations

import hoodoo
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.storage import name_of

from .store import Files

__all__ = ["check_nothing_is_left"]


def check_nothing_is_left(files: Files) -> None:
    """Raise if there is a pending instant, a marker, a heartbeat, a temporary file or a file of an uncompleted instant.

    Logs of table version 6 are not checked: their names do not contain the instant that wrote them.
    """
    timeline = hoodoo.Table(files.uri).timeline
    assert timeline.pending == ()
    for path in files.bodies:
        name = name_of(path)
        base, log = BaseFileName.parse(name), LogFileName.parse(name)
        if path.startswith(".hoodie/"):
            assert "/.temp/" not in path, path
            assert "/.heartbeat/" not in path, path
            # a backup of the properties remains until their next change; readers use it if the properties are missing
            assert not name.endswith(".tmp"), path
        elif base is not None:
            assert timeline.is_visible(base.instant), path
        elif log is not None and timeline.layout > 1:
            assert timeline.is_visible(log.instant), path
