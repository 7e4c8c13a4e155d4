"""What a user may say: options by subject, each declared once, and Hudi's keys for them."""

from hoodoo.options.bloom import BloomOptions
from hoodoo.options.compaction import CompactionOptions
from hoodoo.options.parse import NoEffectWarning, parse
from hoodoo.options.read import ReadOptions
from hoodoo.options.table import KeyOptions, RuleOptions, TableOptions
from hoodoo.options.write import FileOptions, IndexOptions, WriteOptions

__all__ = [
    "BloomOptions",
    "CompactionOptions",
    "FileOptions",
    "IndexOptions",
    "KeyOptions",
    "NoEffectWarning",
    "ReadOptions",
    "RuleOptions",
    "TableOptions",
    "WriteOptions",
    "parse",
]
