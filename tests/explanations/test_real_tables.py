"""Explanations of every record of tables that Apache Hudi wrote match the rows that are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import hoodoo

from .explaining import drawn


@pytest.mark.parametrize(
    "name",
    [
        "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
        "quickstart_trips_table_mor_avro__v6_trips_8i1u",
        "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
        "sample_table_mor_parquet__v6_nonpartitioned_rollback",
        "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
        "sample_table_mor_avro__v9_txns_complex_meta",
        "sample_table_cow__v9_txns_complex_nometa",
        "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable",
        "cow6-clustered-by-0.15.0",
        "mor6-compaction-done-by-0.15.0",
        "mor6-parquet-by-0.15.0",
        "mor8-by-1.0.2",
        "mor9-archived",
        "mor9-complex-key",
        "mor9-partial-update",
        "mor9-rolled-back",
    ],
)
def test_real_tables(name: str, real_table: Callable[[str], Path]) -> None:
    table = hoodoo.Table(real_table(name))
    rows = table.to_arrow().to_pylist()
    assert rows
    for key, partition in {(row["_hoodie_record_key"], row["_hoodie_partition_path"]) for row in rows}:
        mine = [r for r in rows if (r["_hoodie_record_key"], r["_hoodie_partition_path"]) == (key, partition)]
        explained = table.explain(key, partition)
        assert sorted(map(repr, explained.rows)) == sorted(map(repr, mine))
        assert explained.answer("why_this_one")
        assert (explained.answer("why_two_rows") is not None) == (len(mine) > 1)
        json.loads(explained.to_json())
        drawn(explained._repr_html_())


def test_a_table_without_meta_columns(real_table: Callable[[str], Path]) -> None:
    table = hoodoo.Table(real_table("sample_table_cow__v6_simplekeygen_hivestyle_no_metafields"))
    row = table.to_arrow().to_pylist()[0]

    explained = table.explain(row["id"])

    assert list(explained.rows) == [row]
    assert explained.current[0].versions[0].commit is None
    assert "not in the meta columns" in (explained.answer("why_this_one") or "")


@pytest.mark.parametrize(
    ("name", "deleted"), [("quickstart_trips_table_mor_avro__v8_trips_8i3u1d", 2), ("mor8-by-1.0.2", 1)]
)
def test_a_delete_in_a_real_table(name: str, deleted: int, real_table: Callable[[str], Path]) -> None:
    """A deleted record has no row, but its versions are still in log blocks."""
    table = hoodoo.Table(real_table(name))
    live = {row["_hoodie_record_key"] for row in table.to_arrow().to_pylist()}
    first = table.timeline.commits[0].time
    gone = {row["_hoodie_record_key"] for row in table.to_arrow(as_of=first).to_pylist()} - live
    assert len(gone) == deleted
    for key in gone:
        explained = table.explain(key)
        versions = [v for t in (*explained.current, *explained.earlier) for v in t.versions]
        assert explained.rows == ()
        assert any(version.delete for version in versions)
        assert explained.answer("why_gone")
