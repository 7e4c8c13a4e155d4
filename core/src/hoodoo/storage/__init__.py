"""Where a table lives: the few operations that the rest of hoodoo asks of a file system or an object store."""

from hoodoo.storage.base import AlreadyExists, FileInfo, Lock, Missing, Storage
from hoodoo.storage.failures import failures_named
from hoodoo.storage.local import LocalStorage
from hoodoo.storage.overlay import OverlayStorage
from hoodoo.storage.paths import check_relative, join, name_of, parent_of
from hoodoo.storage.resolve import storage_for
from hoodoo.storage.walked import WalkedStorage

__all__ = [
    "AlreadyExists",
    "FileInfo",
    "LocalStorage",
    "Lock",
    "Missing",
    "OverlayStorage",
    "Storage",
    "WalkedStorage",
    "check_relative",
    "failures_named",
    "join",
    "name_of",
    "parent_of",
    "storage_for",
]
