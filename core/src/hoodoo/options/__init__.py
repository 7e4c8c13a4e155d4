"""User options: one class per subject, each option with the Hudi keys that set it."""

from hoodoo.options.concurrency import ConcurrencyOptions
from hoodoo.options.index import BloomOptions, IndexOptions
from hoodoo.options.local import LocalOptions
from hoodoo.options.parse import NoEffectWarning, Options, parse
from hoodoo.options.read import ReadOptions
from hoodoo.options.services import ArchiveOptions, CleanOptions, CompactionOptions
from hoodoo.options.storage import StorageOptions, storage_options
from hoodoo.options.table import KeyOptions, RuleOptions, TableOptions
from hoodoo.options.write import FileOptions, HookOptions, WriteOptions

__all__ = [
    "ArchiveOptions",
    "BloomOptions",
    "CleanOptions",
    "CompactionOptions",
    "ConcurrencyOptions",
    "FileOptions",
    "HookOptions",
    "IndexOptions",
    "KeyOptions",
    "LocalOptions",
    "NoEffectWarning",
    "Options",
    "ReadOptions",
    "RuleOptions",
    "StorageOptions",
    "TableOptions",
    "WriteOptions",
    "parse",
    "storage_options",
]
