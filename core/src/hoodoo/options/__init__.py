"""User options: one class per subject, each option with the Hudi keys that set it."""

from hoodoo.options.catalog import CATALOG_KEYS, CatalogOptions, is_sync_requested
from hoodoo.options.concurrency import ConcurrencyOptions
from hoodoo.options.index import BloomOptions, IndexOptions
from hoodoo.options.parse import NoEffectWarning, Options, parse
from hoodoo.options.read import ReadOptions
from hoodoo.options.services import ArchiveOptions, CleanOptions, CompactionOptions
from hoodoo.options.storage import StorageOptions, storage_options
from hoodoo.options.table import KeyOptions, RuleOptions, TableOptions
from hoodoo.options.write import FileOptions, HookOptions, WriteOptions

__all__ = [
    "CATALOG_KEYS",
    "ArchiveOptions",
    "BloomOptions",
    "CatalogOptions",
    "CleanOptions",
    "CompactionOptions",
    "ConcurrencyOptions",
    "FileOptions",
    "HookOptions",
    "IndexOptions",
    "KeyOptions",
    "NoEffectWarning",
    "Options",
    "ReadOptions",
    "RuleOptions",
    "StorageOptions",
    "TableOptions",
    "WriteOptions",
    "is_sync_requested",
    "parse",
    "storage_options",
]
