"""How Hudi makes record keys and partition paths out of columns, vectorised over Arrow; what key generators share."""

from hoodoo.keys.partition import DEFAULT_PARTITION, check_partition_paths, partition_paths, single_partition_paths
from hoodoo.keys.record_key import composite_keys, plain_keys
from hoodoo.keys.text import as_text
from hoodoo.keys.timebased import TimeFormat, timed_partition_paths

__all__ = [
    "DEFAULT_PARTITION",
    "TimeFormat",
    "as_text",
    "check_partition_paths",
    "composite_keys",
    "partition_paths",
    "plain_keys",
    "single_partition_paths",
    "timed_partition_paths",
]
