"""Storage of a table: the operations that hoodoo requires from a file system or an object store."""

from hoodoo.storage.base import AlreadyExists, FileInfo, Lock, Missing, Storage
from hoodoo.storage.cached_listing import CachedListingStorage
from hoodoo.storage.local import LocalStorage
from hoodoo.storage.object_store.lease_lock import CompareAndSwapStore, LeaseTerm, lease_holder, try_lease
from hoodoo.storage.object_store.prefetch import PrefetchingFile
from hoodoo.storage.object_store.remote_store import RemoteStore, listed_at_once
from hoodoo.storage.object_store.write_pace import Throttled, WritePace
from hoodoo.storage.os_errors import translate_os_errors
from hoodoo.storage.overlay import OverlayStorage
from hoodoo.storage.paths import HOODIE_FOLDER, check_relative, join, name_of, parent_of
from hoodoo.storage.read_only import ReadOnlyStorage
from hoodoo.storage.resolve import storage_for
from hoodoo.storage.subfolder import SubfolderStorage

__all__ = [
    "HOODIE_FOLDER",
    "AlreadyExists",
    "CachedListingStorage",
    "CompareAndSwapStore",
    "FileInfo",
    "LeaseTerm",
    "LocalStorage",
    "Lock",
    "Missing",
    "OverlayStorage",
    "PrefetchingFile",
    "ReadOnlyStorage",
    "RemoteStore",
    "Storage",
    "SubfolderStorage",
    "Throttled",
    "WritePace",
    "check_relative",
    "join",
    "lease_holder",
    "listed_at_once",
    "name_of",
    "parent_of",
    "storage_for",
    "translate_os_errors",
    "try_lease",
]
