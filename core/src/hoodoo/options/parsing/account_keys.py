"""Keys of Hadoop that end with the name of a storage account of Azure."""

from __future__ import annotations

import re

__all__ = ["without_account"]

_KEY = re.compile(r"(fs\.azure\..+?)\.[a-z0-9]{3,24}\.(?:dfs|blob)\.[a-z0-9.-]+")


def without_account(key: str) -> str:
    """Return a key without the account at its end; a key without an account is returned unchanged.

    `fs.azure.account.key.lake.dfs.core.windows.net` becomes `fs.azure.account.key`.

    Args:
        key: The key, in lower case.
    """
    found = _KEY.fullmatch(key)
    return found[1] if found else key
