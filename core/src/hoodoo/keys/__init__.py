"""Construction of Hudi's record keys and partition paths from columns, for key generators."""

from hoodoo.keys.arrival import ARRIVAL, PARTITION_BITS, positions
from hoodoo.keys.column_kinds import column_kinds, mixed_partition_paths
from hoodoo.keys.partition_path import DEFAULT_PARTITION, check_partition_paths, partition_paths, single_partition_paths
from hoodoo.keys.qualifiers import key_qualifiers, mixed_path_qualifiers, path_qualifiers
from hoodoo.keys.record_key import composite_keys, plain_keys
from hoodoo.keys.value_text import as_text

__all__ = [
    "ARRIVAL",
    "DEFAULT_PARTITION",
    "PARTITION_BITS",
    "as_text",
    "check_partition_paths",
    "column_kinds",
    "composite_keys",
    "key_qualifiers",
    "mixed_partition_paths",
    "mixed_path_qualifiers",
    "partition_paths",
    "path_qualifiers",
    "plain_keys",
    "positions",
    "single_partition_paths",
]
