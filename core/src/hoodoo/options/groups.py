"""Classes of options of a write, and of any job."""

from __future__ import annotations

from hoodoo.options.bootstrap import BootstrapOptions
from hoodoo.options.catalog import CatalogOptions
from hoodoo.options.concurrency import ConcurrencyOptions
from hoodoo.options.index import BloomOptions, IndexOptions, MetadataOptions
from hoodoo.options.local import LocalOptions
from hoodoo.options.parsing.unknown_keys import UnknownKeyOptions
from hoodoo.options.read import ReadOptions
from hoodoo.options.services import ArchiveOptions, CleanOptions, CompactionOptions, ServiceOptions
from hoodoo.options.storage import StorageOptions
from hoodoo.options.table import KeyOptions, RuleOptions, TableOptions
from hoodoo.options.write import FileOptions, HookOptions, WriteOptions

__all__ = ["ALL_GROUPS", "WRITE_GROUPS"]

WRITE_GROUPS: tuple[type, ...] = (
    WriteOptions,
    TableOptions,
    KeyOptions,
    RuleOptions,
    IndexOptions,
    BloomOptions,
    MetadataOptions,
    FileOptions,
    ServiceOptions,
    CompactionOptions,
    ConcurrencyOptions,
    CleanOptions,
    ArchiveOptions,
    HookOptions,
    CatalogOptions,
    BootstrapOptions,
    LocalOptions,
)
"""Classes of the options of a write, in the order of the page of options. Options of the store are not included."""

ALL_GROUPS: tuple[type, ...] = (*WRITE_GROUPS, ReadOptions, StorageOptions, UnknownKeyOptions)
