"""Metadata table: the list of a table's files, and its indexes, in a table below the table's `.hoodie` folder."""

from hoodoo.metadata_table.content.statistics import ColumnStats
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.overview import PartitionState, partition_states
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of

__all__ = ["ColumnStats", "MetadataTable", "PartitionKind", "PartitionState", "kind_of", "partition_states"]
