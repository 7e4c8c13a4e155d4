"""Tables that hoodoo and Hudi bootstrap from the same files: both have the same rows, and both continue to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.diagnosis import Status, diagnose
from hoodoo.testing.engine import write_arrow
from tests.interop.comparing import difference, parquet_table
from tests.interop.processes.hudi_side import HudiSide
from tests.interop.story import COMMON

pytestmark = pytest.mark.interop

BOOTSTRAP = {
    **COMMON,
    "hoodie.datasource.write.operation": "bootstrap",
    "hoodie.datasource.write.recordkey.field": "id,ts",
    "hoodie.datasource.write.partitionpath.field": "kind,n",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
    "hoodie.bootstrap.keygen.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
    "hoodie.bootstrap.mode.selector": "org.apache.hudi.client.bootstrap.selector.FullRecordBootstrapModeSelector",
    "hoodie.bootstrap.full.input.provider": "org.apache.hudi.bootstrap.SparkParquetBootstrapDataProvider",
    # Hudi's bootstrap has no defaults for these
    "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    "hoodie.bootstrap.parallelism": "1",
}


def put_files(folder: Path) -> None:
    for number, part in enumerate(("kind=a/n=01", "kind=a/n=2", "kind=b c/n=1")):
        rows = {"id": [f"{number}-{row}" for row in range(3)], "ts": range(3), "v": [0.5, None, number]}
        (folder / part).mkdir(parents=True)
        pq.write_table(pa.table(rows), folder / part / "part-0.parquet")


@pytest.mark.filterwarnings("ignore:(this option has|these options have) no effect")  # those that make Hudi quick
@pytest.mark.parametrize(("release", "version"), [("1.2.0", 9), ("1.2.0", 6), ("0.15.0", 6)])
def test_both_have_the_same_rows_and_write_on(
    release: str, version: int, hudi: Callable[[str], HudiSide], tmp_path: Path
) -> None:
    side, ours, hudis, files = hudi(release), tmp_path / "ours", tmp_path / "hudis", tmp_path / "files"
    put_files(files)
    options = {**BOOTSTRAP, "hoodie.bootstrap.base.path": str(files), "hoodie.write.table.version": str(version)}

    write_arrow(pa.table({}), ours, options, "overwrite")
    side.write(hudis, None, options, "overwrite")

    side.read(ours, {}, tmp_path / "read-ours")
    side.read(hudis, {}, tmp_path / "read-hudis")
    names = ["_hoodie_record_key", "_hoodie_partition_path", "id", "ts", "v", "kind", "n"]
    rows = hoodoo.Table(ours).to_arrow(names)
    assert rows.num_rows == 9
    assert difference(rows, parquet_table(tmp_path / "read-ours").select(names)) == ""
    assert difference(rows, parquet_table(tmp_path / "read-hudis").select(names)) == ""

    assert difference(hoodoo.Table(hudis).to_arrow(names), rows) == "", "hoodoo misreads the table of Hudi"
    assert [finding for finding in diagnose(hudis).findings if finding.status is Status.PROBLEM] == []

    change = pa.table({"id": ["0-0"], "ts": [0], "v": [9.5], "kind": ["a"], "n": ["01"]})
    pq.write_table(change, tmp_path / "change.parquet")
    upsert = {key: value for key, value in options.items() if "bootstrap" not in f"{key}{value}"}
    side.write(ours, tmp_path / "change.parquet", {**upsert, "hoodie.datasource.write.operation": "upsert"})
    write_arrow(change, hudis, upsert)
    side.read(hudis, {}, tmp_path / "changed-hudis")
    for changed in (hoodoo.Table(ours).to_arrow(["id", "v"]), parquet_table(tmp_path / "changed-hudis")):
        values = {row["id"]: row["v"] for row in changed.select(["id", "v"]).to_pylist()}
        assert (len(values), values["0-0"]) == (9, 9.5)
