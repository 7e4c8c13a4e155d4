"""Reads with the metadata table: its list of files, and its indexes, which exclude file slices."""

from hoodoo.reading.indexed.filter_tree import FLIPPED, Column, FunctionCall, Literal, Node, filter_tree
from hoodoo.reading.indexed.indexed_storage import IndexedStorage, by_metadata
from hoodoo.reading.indexed.kept_partitions import partitions_without_rows
from hoodoo.reading.indexed.kept_slices import FOLDERS, kept_slices

__all__ = [
    "FLIPPED",
    "FOLDERS",
    "Column",
    "FunctionCall",
    "IndexedStorage",
    "Literal",
    "Node",
    "by_metadata",
    "filter_tree",
    "kept_slices",
    "partitions_without_rows",
]
