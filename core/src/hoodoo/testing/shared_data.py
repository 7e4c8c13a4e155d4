"""Where real tables and merge vectors are: not part of any distribution, but beside a checkout of the project."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["shared_folder"]


def shared_folder(near: Path) -> Path | None:
    """The folder that holds `vectors`, `tables` and `expected`; None where there is none.

    Args:
        near: A file of the checkout. The folder is `shared/data` beside one of the folders above it, or `data` in
            the folder that the environment variable HOODOO_SHARED names.
    """
    named = os.environ.get("HOODOO_SHARED")
    places = [Path(named)] if named else [parent / "shared" for parent in near.resolve().parents]
    return next((place / "data" for place in places if (place / "data").is_dir()), None)
