"""Where a table lives: the few operations that the rest of hoodoo asks of a file system or an object store."""

from hoodoo.storage.base import AlreadyExists, FileInfo, Lock, Missing, Storage
from hoodoo.storage.cached_listing import WalkedStorage
from hoodoo.storage.local import LocalStorage
from hoodoo.storage.object_store.lease_lock import LeaseTerm, Swapping, lease_holder, try_lease
from hoodoo.storage.os_errors import failures_named
from hoodoo.storage.overlay import OverlayStorage
from hoodoo.storage.paths import check_relative, join, name_of, parent_of
from hoodoo.storage.resolve import storage_for

__all__ = [
    "AlreadyExists",
    "FileInfo",
    "LeaseTerm",
    "LocalStorage",
    "Lock",
    "Missing",
    "OverlayStorage",
    "Storage",
    "Swapping",
    "WalkedStorage",
    "check_relative",
    "failures_named",
    "join",
    "lease_holder",
    "name_of",
    "parent_of",
    "storage_for",
    "try_lease",
]
