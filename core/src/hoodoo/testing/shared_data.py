"""Location of real tables and merge vectors, which are next to a checkout and not part of a distribution."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["shared_folder"]


def shared_folder(near: Path) -> Path | None:
    """Return the folder with `vectors`, `tables` and `expected`, or None if there is none.

    Args:
        near: A file of the checkout. The folder is `shared/data` in one of the folders above it; if the environment
            variable HOODOO_SHARED is set, `data` in the folder that the variable names.
    """
    named = os.environ.get("HOODOO_SHARED")
    places = [Path(named)] if named else [parent / "shared" for parent in near.resolve().parents]
    return next((place / "data" for place in places if (place / "data").is_dir()), None)
