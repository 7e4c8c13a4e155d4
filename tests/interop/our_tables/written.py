"""The kinds of table that hoodoo makes for Hudi."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import evolve, field, frozen

from hoodoo.testing.engine import write_arrow
from tests.interop.rows import batch

__all__ = ["KINDS", "RELEASES", "Kind", "step_rows"]

FORMATS = (("COPY_ON_WRITE", 6), ("MERGE_ON_READ", 6), ("COPY_ON_WRITE", 9), ("MERGE_ON_READ", 9))
"""Type and version of the tables."""

RELEASES = {6: ("1.2.0", "0.15.0"), 9: ("1.2.0",)}
"""Releases of Hudi that read and write tables of a version."""

_PARTITIONS: Mapping[str, tuple[dict[str, Any], dict[str, str]]] = {
    "none": ({}, {"hoodie.datasource.write.partitionpath.field": ""}),
    "hive": (
        {"partition_by": "part", "hive_style": True},
        {
            "hoodie.datasource.write.partitionpath.field": "part",
            "hoodie.datasource.write.hive_style_partitioning": "true",
        },
    ),
    "encoded": (
        {"partition_by": "part", "url_encode": True},
        {
            "hoodie.datasource.write.partitionpath.field": "part",
            "hoodie.datasource.write.partitionpath.urlencode": "true",
        },
    ),
}

_INDEXES: Mapping[str, tuple[dict[str, Any], dict[str, str]]] = {
    "simple": ({"index": "simple"}, {"hoodie.index.type": "SIMPLE"}),
    # filters so small that false positives occur
    "bloom": (
        {"index": "bloom", "bloom_entries": 4, "bloom_fpp": 0.1, "bloom_max_entries": 8},
        {
            "hoodie.index.type": "BLOOM",
            "hoodie.index.bloom.num_entries": "4",
            "hoodie.index.bloom.fpp": "0.1",
            "hoodie.bloom.index.filter.dynamic.max.entries": "8",
        },
    ),
    "bucket": (
        {"index": "bucket", "buckets": 3},
        {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"},
    ),
}


@frozen
class Kind:
    """A kind of table.

    Attributes:
        name: The name of the kind and of its tests, such as `cow6-hive-simple`.
        version: The table version: 6 or 9.
        ours: Options for `hoodoo.write`.
        hudis: The options with which Hudi writes to a table of this kind.
    """

    name: str
    version: int
    ours: Mapping[str, Any] = field(repr=False)
    hudis: Mapping[str, str] = field(repr=False)

    def write(self, rows: pa.Table, path: Path, operation: str) -> None:
        """Write a batch with hoodoo."""
        write_arrow(rows, path, {**self.ours, "operation": operation})


def _kinds() -> dict[str, Kind]:
    kinds = {}
    for type_, version in FORMATS:
        for partitions, (ours, hudis) in _PARTITIONS.items():
            for index, (ours_too, hudis_too) in _INDEXES.items():
                name = f"{'cow' if type_ == 'COPY_ON_WRITE' else 'mor'}{version}-{partitions}-{index}"
                basis = {"table_name": "story", "record_key": "id", "ordering": "ts"}
                table = {"table_type": type_, "table_version": version}
                theirs = {
                    "hoodie.datasource.write.table.type": type_,
                    "hoodie.write.table.version": str(version),
                    "hoodie.write.auto.upgrade": "false",
                }
                kinds[name] = Kind(
                    name, version, {**basis, **table, **ours, **ours_too}, {**theirs, **hudis, **hudis_too}
                )
    for version in (6, 9):
        parquet, name = kinds[f"mor{version}-hive-simple"], f"mor{version}-hive-avro"
        # Avro data blocks end with a checksum, as delete blocks do
        kinds[name] = evolve(parquet, name=name, ours={**parquet.ours, "log_format": "avro"})
    return kinds


KINDS = _kinds()
"""The kinds by name."""


def step_rows(encoded: bool) -> dict[str, pa.Table]:
    """Return the batches of both writers by purpose; with `encoded`, partition values need encoding."""
    x, y, z = (":a/b c", ":50%", ":é=1") if encoded else (":x", ":y", ":z")
    first = [f"a{x}", f"b{x}", f"c{y}", f"d{y}", f"e{z}", f"f{z}"]
    return {
        "first": batch(first, 10),
        "update": batch([f"a{x}", f"c{y}", f"g{y}"], 20),
        "late": batch([f"b{x}", f"h{z}"], 5),
        "delete": batch([f"a{x}", f"e{z}"], 30),
        "again": batch([f"a{x}", f"d{y}"], 15),
        "last": batch([f"f{z}", f"i{x}", f"g{y}"], 40),
    }
