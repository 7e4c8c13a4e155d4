"""User options: one class per subject, each option with the Hudi keys that set it."""

from hoodoo.options.bootstrap import BootstrapOptions
from hoodoo.options.catalog import CATALOG_KEYS, CatalogOptions, is_sync_requested
from hoodoo.options.concurrency import ConcurrencyOptions
from hoodoo.options.index import BloomOptions, IndexOptions, MetadataOptions
from hoodoo.options.local import LocalOptions
from hoodoo.options.parsing.given_path import split_path
from hoodoo.options.parsing.parse import (
    TIMEBASED_PREFIXES,
    NoEffectWarning,
    Options,
    given_for,
    own_options,
    parse,
    storage_options,
)
from hoodoo.options.parsing.problems import Problems
from hoodoo.options.parsing.query_range import query_range
from hoodoo.options.parsing.unknown_keys import UnknownKeyOptions
from hoodoo.options.read import ReadOptions
from hoodoo.options.services import ArchiveOptions, CleanOptions, CompactionOptions, ServiceOptions
from hoodoo.options.storage import StorageOptions
from hoodoo.options.table import KeyOptions, RuleOptions, TableOptions
from hoodoo.options.write import FileOptions, HookOptions, WriteOptions

__all__ = [
    "CATALOG_KEYS",
    "TIMEBASED_PREFIXES",
    "ArchiveOptions",
    "BloomOptions",
    "BootstrapOptions",
    "CatalogOptions",
    "CleanOptions",
    "CompactionOptions",
    "ConcurrencyOptions",
    "FileOptions",
    "HookOptions",
    "IndexOptions",
    "KeyOptions",
    "LocalOptions",
    "MetadataOptions",
    "NoEffectWarning",
    "Options",
    "Problems",
    "ReadOptions",
    "RuleOptions",
    "ServiceOptions",
    "StorageOptions",
    "TableOptions",
    "UnknownKeyOptions",
    "WriteOptions",
    "given_for",
    "is_sync_requested",
    "own_options",
    "parse",
    "query_range",
    "split_path",
    "storage_options",
]
