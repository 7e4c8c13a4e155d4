"""Default plugins and index, used if neither the user nor the table names one.

This is the only module of the core that names plugins. All other facts come from a plugin's own declarations.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "CATALOG",
    "DELETE_RULES",
    "INDEX",
    "KEYGEN_OF_KINDS",
    "KEYGEN_OF_ONE_COLUMN",
    "KEYGEN_OF_SEVERAL_COLUMNS",
    "KEYGEN_WITHOUT_KEY_COLUMNS",
    "KEYGEN_WITHOUT_PARTITIONS",
    "LOCK_PROVIDER",
    "MERGER_OF_FUNCTIONS",
    "MERGER_WITHOUT_ORDERING",
    "MERGER_WITH_ORDERING",
]

MERGER_WITH_ORDERING = "event-time"
MERGER_WITHOUT_ORDERING = "commit-time"
MERGER_OF_FUNCTIONS = "aggregate"
"""Merger in the example that `hoodoo plugins new` writes for a new aggregate function."""

DELETE_RULES: Mapping[str, tuple[str, ...]] = {"merger": ("any-of",), "payload": ("builtin-flag",)}
"""Delete rules for merge rules that declare none, by the family of the merge rule."""

KEYGEN_WITHOUT_PARTITIONS = "non-partitioned"
KEYGEN_OF_ONE_COLUMN = "simple"
"""Key generator for one partition column and at most one record key column."""
KEYGEN_OF_SEVERAL_COLUMNS = "complex"
KEYGEN_OF_KINDS = "custom"
"""Key generator for partition columns with kinds (`column:timestamp`)."""
KEYGEN_WITHOUT_KEY_COLUMNS = "auto"
"""Key generator for tables without record key columns, whose keys Hudi generates."""

LOCK_PROVIDER = "zookeeper"
"""Lock provider for optimistic concurrency control if none is named and its keys are given, as in Hudi."""

INDEX = "simple"

CATALOG = "hive"
"""Catalog provider of a sync for which no catalog is named."""
