"""URIs at which a session may find a table in a store: Hadoop has other schemes for a store than hoodoo accepts."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from hoodoo.storage import Storage

__all__ = ["store_roots"]

_SCHEMES = {
    "s3": ("s3", "s3a"),
    "s3a": ("s3a", "s3"),
    "s3n": ("s3a", "s3"),
    "gs": ("gs",),
    "abfs": ("abfs", "abfss"),
    "abfss": ("abfss", "abfs"),
    "az": ("abfss", "abfs"),
    "wasb": ("abfss", "abfs"),
    "wasbs": ("abfss", "abfs"),
    "hdfs": ("hdfs",),
}
"""The schemes under which sessions may access a store, by the scheme of the table, in the order of attempts."""

_BLOB_SERVICE = re.compile(r"([a-z0-9]{3,24})\.blob\.(.+)")
_DOMAIN = "core.windows.net"


def store_roots(storage: Storage) -> tuple[str, ...] | str:
    """Return the URIs at which a session may find a table in a store, or the reason why there are none.

    Tables at `az:`, `wasb:` and `wasbs:` are looked up in Data Lake Storage, which has the same account and containers.

    Args:
        storage: The table's files, not on a local disk.

    Returns:
        URIs of the table's folder in the order of attempts, not encoded and without a slash at the end.
    """
    scheme, _, place = storage.uri.partition("://")
    if scheme not in _SCHEMES:
        return f"hoodoo does not use Spark's own reader for '{scheme}:'"
    authority, slash, path = place.partition("/")
    if scheme == "az":
        account = storage.options.get("azure_account") or os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
        if not account:
            return f"the session does not read {storage.uri}: the option 'azure_account' is not set"
        authority = f"{authority}@{account}.dfs.{_domain(storage)}"
    elif scheme in ("wasb", "wasbs"):
        container, _, host = authority.partition("@")
        authority = f"{container}@" + _BLOB_SERVICE.sub(r"\1.dfs.\2", host)
    return tuple(f"{name}://{authority}{slash}{path}" for name in _SCHEMES[scheme])


def _domain(storage: Storage) -> str:
    """Return the domain of the service: that of the option `azure_endpoint` if it names an account, or Azure's."""
    host = urlsplit(storage.options.get("azure_endpoint") or "").hostname or ""
    found = _BLOB_SERVICE.fullmatch(host)
    return found[2] if found else _DOMAIN
