"""Validation of metadata tables that Apache Hudi wrote: it finds their faults and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.cli import app
from hoodoo.diagnosis import Finding, Status
from hoodoo.diagnosis.metadata.column_statistics import check_partition_stats
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.format.hfile import Cells
from hoodoo.format.log.block_writer import delete_block
from hoodoo.format.log.hfile_block import hfile_data_block
from hoodoo.metadata_table import ColumnStats, MetadataTable
from hoodoo.metadata_table.layers import Selection, latest, layers
from hoodoo.metadata_table.shards import shard_of_keys
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from tests.interop.golden import GOLDEN

pytestmark = pytest.mark.slow

ALWAYS = ("mor6-archived-by-0.15.0", "mor9-archived", "cow9-failed", "cow9-columns-widened")
SHARED = [
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    *(f"sample_table_mor_avro__{name}" for name in ("v9_nonpartitioned_rollback", "v9_txns_complex_meta")),
    *(
        f"sample_table_cow__{name}"
        for name in ("v9_timebasedkeygen_epochmillis", "v9_txns_simple_meta", "v9_txns_simple_overwrite")
    ),
]
KNOWN = {"mor8-compaction-pending-by-1.0.2": "partition_stats"}
"""Tables with a wrong metadata table: during a pending compaction, Hudi 1.0.2 marks inexact statistics as exact."""

INDEXED = "sample_table_cow__v9_txns_simple_meta"
Unpack = Callable[[str], Path]


def serious(root: Path) -> dict[str, Finding]:
    """Return the findings that are not `ok`, by check."""
    return {f.check: f for f in validate(root).findings if f.status is not Status.OK}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.nightly) for name in GOLDEN]
)
def test_golden_tables(real_table: Unpack, name: str) -> None:
    found = serious(real_table(name))
    found.pop("metadata table", None)  # pending instants of unfinished tables
    if name in KNOWN:
        assert found.pop(KNOWN[name]).status is Status.PROBLEM
    assert found == {}


@pytest.mark.parametrize("name", SHARED)
def test_shared_tables(real_table: Unpack, name: str) -> None:
    assert serious(real_table(name)) == {}
    assert validate(real_table(name)).unread == ()


def a_base_file(root: Path) -> Path:
    return next(path for path in sorted(root.rglob("*.parquet")) if ".hoodie" not in path.parts)


def test_a_data_file_that_is_gone(real_table: Unpack) -> None:
    root = real_table("mor9-archived")
    path = a_base_file(root)
    path.unlink()
    found = serious(root)["files"]
    assert found.status is Status.PROBLEM
    assert found.found.startswith("the metadata table has 1 file that the store lacks")
    assert [place.file for place in found.places] == [str(path.relative_to(root))]


def test_a_data_file_of_another_size(real_table: Unpack) -> None:
    root = real_table("mor9-archived")
    path = a_base_file(root)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"more")
    found = serious(root)["files"]
    assert f"{size:,} bytes instead of {size + 4:,}" in found.found


def test_a_commit_that_the_metadata_table_lacks(real_table: Unpack) -> None:
    root = real_table("cow9-bloom")
    timeline = root / ".hoodie/metadata/.hoodie/timeline"
    last = max(path.name for path in timeline.glob("2*.deltacommit"))
    for path in timeline.glob(f"{last[:17]}*"):
        path.unlink()
    found = serious(root)
    assert "lacks 1 commit of the table" in found["metadata table"].found
    assert found["files"].status is Status.PROBLEM
    assert "lacks" in found["files"].found
    assert all(last[:17] in str(place.file) for place in found["files"].places)


def test_statistics_of_another_file(real_table: Unpack) -> None:
    root = real_table("cow9-bloom")
    for path in root.rglob("*.parquet"):
        rows = pq.read_table(path, partitioning=None)
        values = pa.array([(value or 0) + 1000 for value in rows.column("v").to_pylist()], rows.schema.field("v").type)
        pq.write_table(rows.set_column(rows.schema.get_field_index("v"), rows.schema.field("v"), values), path)
    found = serious(root)["column_stats"]
    assert found.status is Status.PROBLEM
    assert "'v' of" in found.found


def change(root: Path, partition: str, key: str, source: str | None) -> None:
    """Add a log to an index: a record of a key with the value of key `source`, or a delete if `source` is None."""
    storage = storage_for(root)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    assert metadata is not None
    shards = metadata.shards(partition)
    instant = metadata.metadata.commits[-1].time
    file_id = shards[shard_of_keys([key], len(shards))[0]].file_id
    if source is None:
        body = delete_block(instant, pa.array([key]), pa.array([partition]), [], '"string"')
    else:
        selection = Selection(keys=[source.encode()])
        [layer] = [layer for shard in shards for layer in latest(layers(storage, shard, metadata.visible, selection))]
        body = hfile_data_block(
            instant, Cells(pa.array([key.encode()], pa.large_binary()), layer.cells.values), layer.schema or ""
        )
    (root / ".hoodie/metadata" / partition / f".{file_id}_{instant}.log.9_0-0-0").write_bytes(body)


def test_an_index_that_lacks_a_key(real_table: Unpack) -> None:
    root = real_table(INDEXED)
    change(root, "record_index", "TXN-001", None)
    found = serious(root)["record_index"]
    assert (found.status, found.found) == (Status.PROBLEM, "1 row without an entry: lookups do not find such rows")
    assert [place.key for place in found.places] == ["TXN-001"]


def test_an_index_with_a_key_that_no_row_has(real_table: Unpack) -> None:
    root = real_table(INDEXED)
    change(root, "record_index", "TXN-999", "TXN-001")
    change(root, "secondary_index_merchant_idx", "Nobody$TXN-001", "Amazon$TXN-001")
    for check in ("record_index", "secondary_index_merchant_idx"):
        found = serious(root)[check]
        text = "1 entry without a row: lookups read files that lack the key"
        assert (found.status, found.found) == (Status.PROBLEM, text)
        assert [place.key for place in found.places] == ["TXN-999" if check == "record_index" else "TXN-001"]


def test_an_index_with_the_location_of_another_key(real_table: Unpack) -> None:
    root = real_table(INDEXED)
    groups = {}
    for split in hoodoo.Table(root).splits(columns=["_hoodie_record_key"]):
        groups[split.file_id] = split.read().read_all().column(0)[0].as_py()
    one, other, *_ = groups.values()
    change(root, "record_index", one, other)
    found = serious(root)["record_index"]
    assert found.found.startswith("1 key with the location of another file group")
    assert [place.key for place in found.places] == [one]


def test_a_shard_that_is_damaged(real_table: Unpack) -> None:
    root = real_table(INDEXED)
    path = min((root / ".hoodie/metadata/record_index").glob("*.hfile"))
    path.write_bytes(path.read_bytes()[:100])
    found = serious(root)["record_index"]
    assert found.status is Status.PROBLEM
    assert [place.file for place in found.places] == [str(path.relative_to(root))]


def test_commands(real_table: Unpack) -> None:
    root = real_table("mor9-archived")
    runner = CliRunner()
    shown = runner.invoke(app, ["table", "indexes", str(root)])
    assert shown.exit_code == 0
    assert [line.split()[:3] for line in shown.stdout.splitlines()] == [
        [name, "used,", "current,"] for name in ("column_stats", "files", "partition_stats")
    ]
    states = json.loads(runner.invoke(app, ["table", "indexes", str(root), "--json"]).stdout)
    folder = root / ".hoodie/metadata/files"
    stored = {
        path.name: path.stat().st_size for path in folder.iterdir() if path.name.startswith(("files-", ".files-"))
    }
    [files] = (state for state in states if state["partition"] == "files")
    assert files["state"] == "used"
    assert 0 < files["bytes"] <= sum(stored.values())
    assert runner.invoke(app, ["table", "validate", str(root)]).exit_code == 0
    a_base_file(root).unlink()
    failed = runner.invoke(app, ["table", "validate", str(root), "--json"])
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["status"] == "problem"


def test_bounds_of_times_may_be_numbers() -> None:
    """Statistics of two writers may have times in different forms; numbers are microseconds."""
    day = datetime(2024, 1, 1, tzinfo=UTC)
    micros = 1_704_067_200_000_000
    in_number = ColumnStats("x/a", "at", micros, micros + 1, 1, 0, 0, 0)
    whole = ColumnStats("x", "at", day, day + timedelta(microseconds=1), 1, 0, 0, 0)
    state: Any = SimpleNamespace(
        metadata=SimpleNamespace(partition_stats=lambda: [whole]),
        column_stats=[in_number],
        slices={"x/a": SimpleNamespace(partition="x")},
    )
    [finding] = check_partition_stats(state)
    assert finding.status is Status.OK


def test_a_table_without_a_metadata_table(tmp_path: Path, real_table: Unpack) -> None:
    root = real_table("cow9-bloom")
    properties = root / ".hoodie/hoodie.properties"
    kept = [line for line in properties.read_text().splitlines() if "metadata.partitions" not in line]
    properties.write_text("\n".join(kept) + "\n")
    shown = CliRunner().invoke(app, ["table", "indexes", str(root)]).stdout
    assert [line.split()[:2] for line in shown.splitlines()] == [["column_stats", "unused,"], ["files", "unused,"]]
    assert serious(root)["metadata table"].status is Status.WARNING


def test_a_table_in_an_object_store(
    real_table: Unpack, make_bucket: Callable[[], str], s3_options: dict[str, str]
) -> None:
    root, uri = real_table("mor9-archived"), f"s3://{make_bucket()}/table"
    store = storage_for(uri, s3_options)
    for path in root.rglob("*"):
        if path.is_file():
            store.create(str(path.relative_to(root)), path.read_bytes())
    assert all(finding.status is Status.OK for finding in validate(uri, s3_options).findings)
    given = [text for key, value in s3_options.items() for text in ("-o", f"{key}={value}")]
    shown = CliRunner().invoke(app, ["table", "indexes", uri, *given])
    assert shown.stdout == CliRunner().invoke(app, ["table", "indexes", str(root)]).stdout
