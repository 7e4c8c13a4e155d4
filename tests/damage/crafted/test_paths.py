"""Files that name paths outside the table: nothing there is read or deleted."""

from __future__ import annotations

import io
import json

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.testing.engine import write_arrow
from tests.damage.made_tables.kinds import PLAIN_6, TRIPS_8, Kind, files

pytestmark = pytest.mark.slow

OUTSIDE = [
    "../outside.parquet",
    "a/../../outside.parquet",
    "/etc/passwd",
    "a\0b.parquet",
    "..\\outside.parquet",
    "C:/outside.parquet",
    "./x.parquet",
    "a//b.parquet",
]


def in_json(change):
    """Return a function that applies a change to the write statistics of a commit in JSON."""

    def changed(body):
        document = json.loads(body)
        change(document["partitionToWriteStats"])
        return json.dumps(document).encode()

    return changed


def in_avro(change):
    """Return a function that applies a change to the write statistics of a commit in Avro."""

    def changed(body):
        reader = fastavro.reader(io.BytesIO(body))
        [record] = reader
        change(record["partitionToWriteStats"])
        written = io.BytesIO()
        fastavro.writer(written, reader.writer_schema, [record])
        return written.getvalue()

    return changed


def setting(key, value):
    def change(partitions):
        first = next(iter(partitions.values()))[0]
        first[key] = value

    return change


def renamed(partition):
    def change(partitions):
        partitions[partition] = partitions.pop(next(iter(partitions)))

    return change


@pytest.mark.parametrize(
    ("table", "pattern", "within"),
    [(PLAIN_6, ".hoodie/*.commit", in_json), (TRIPS_8, ".hoodie/timeline/*.deltacommit", in_avro)],
    ids=["JSON", "Avro"],
)
def test_a_commit_that_names_a_path_outside_the_table(table, pattern, within, case_of):
    bodies = {f"{key}={path!r}": within(setting(key, path)) for key in ("path", "partitionPath") for path in OUTSIDE}
    bodies |= {f"fileId={path!r}": within(setting("fileId", path)) for path in OUTSIDE}
    bodies |= {f"a partition {path!r}": within(renamed(path)) for path in OUTSIDE}
    case = case_of(Kind("commits", table, files(pattern)))
    results = case.try_bodies(bodies)
    assert {result.get("type") for result in results} == {"CorruptTableError"}


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_symbolic_link_that_leads_outside(link, case_of, tmp_path):
    case = case_of(Kind("links", TRIPS_8, files("*/*.parquet")))
    target = case.kind.files(case.root)[-1]
    target = target if link == "file" else target.parent
    moved = tmp_path / "outside"
    target.rename(moved)
    target.symlink_to(moved)
    for query in ({}, {"query_type": "read_optimized"}):
        result = case.reader.ask("read", case.root, **query)
        if result["outcome"] == "rows":
            assert result["rows"] == case.reader.ask("read", case.root, **query)["rows"]
            pytest.fail("rows were read through a link that leaves the table")
        assert result["type"] == "StorageError"


PLAN = {
    "type": "record",
    "name": "HoodieRollbackPlan",
    "fields": [
        {
            "name": "instantToRollback",
            "type": {
                "type": "record",
                "name": "HoodieInstantInfo",
                "fields": [{"name": "commitTime", "type": "string"}, {"name": "action", "type": "string"}],
            },
        },
        {
            "name": "RollbackRequests",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "HoodieRollbackRequest",
                    "fields": [
                        {"name": "partitionPath", "type": "string"},
                        {"name": "filesToBeDeleted", "type": {"type": "array", "items": "string"}},
                        {"name": "logBlocksToBeDeleted", "type": {"type": "map", "values": "long"}},
                    ],
                },
            },
        },
    ],
}
FAILED, ROLLBACK = "20990101000000000", "20990101000001000"


@pytest.fixture
def planned(tmp_path):
    """Return a function that plans a rollback with the given requests, and returns the folder of the table.

    The table has an unfinished commit; a file of this commit exists in a partition, and another one next to the table.
    """
    root = tmp_path / "table"
    options = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}
    write_arrow(pa.table({"id": ["a", "b"], "p": ["x", "y"], "ts": [1, 1]}), root, options)
    for state in ("requested", "inflight"):
        (root / f".hoodie/{FAILED}.{'commit.requested' if state == 'requested' else state}").write_bytes(b"{}")
    name = f"f-0_0-0-0_{FAILED}.parquet"
    for place in (tmp_path / name, root / "x" / name):
        pq.write_table(pa.table({"a": [1]}), place)

    def plan(requests, time=FAILED, action="commit"):
        record = {"instantToRollback": {"commitTime": time, "action": action}, "RollbackRequests": requests}
        body = io.BytesIO()
        fastavro.writer(body, PLAN, [record])
        (root / f".hoodie/{ROLLBACK}.rollback.requested").write_bytes(body.getvalue())
        return root

    return plan


def request_for(partition, *names):
    return {"partitionPath": partition, "filesToBeDeleted": list(names), "logBlocksToBeDeleted": {}}


def everything(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path for path in found if path.suffix == ".parquet"}


def test_a_rollback_deletes_what_the_failed_commit_left(planned, reader, tmp_path):
    before = everything(tmp_path)
    root = planned([request_for("x", f"f-0_0-0-0_{FAILED}.parquet")])
    assert reader.ask("roll back", root)["outcome"] == "rows"
    assert before - everything(tmp_path) == {root / f"x/f-0_0-0-0_{FAILED}.parquet"}


@pytest.mark.parametrize("partition", ["..", "x/../..", "/", "/tmp", "x\0", "..\\", "C:/", "."])
def test_a_rollback_deletes_nothing_outside_the_table(partition, planned, reader, tmp_path):
    before = everything(tmp_path)
    result = reader.ask("roll back", planned([request_for(partition, f"f-0_0-0-0_{FAILED}.parquet")]))
    assert result["outcome"] == "hoodoo error", result
    assert everything(tmp_path) == before


def test_a_rollback_deletes_nothing_that_is_committed(planned, reader, tmp_path):
    before = everything(tmp_path)
    [committed] = (path for path in everything(tmp_path) if path.parent.name == "x" and FAILED not in path.name)
    time = committed.stem.rpartition("_")[2]
    for plan in ({}, {"time": time}, {"time": time, "action": "deltacommit"}):
        result = reader.ask("roll back", planned([request_for("x", committed.name)], **plan))
        assert everything(tmp_path) == before
        assert result["outcome"] == "hoodoo error", result


def test_damaged_plans_of_rollbacks(planned, reader, tmp_path):
    """Whatever the plan contains, committed files remain, and the table has the same rows."""
    root = planned([request_for("x", f"f-0_0-0-0_{FAILED}.parquet")])
    committed = {path for path in everything(root) if FAILED not in path.name}
    rows = reader.ask("read", root)["rows"]
    path = root / f".hoodie/{ROLLBACK}.rollback.requested"
    body = path.read_bytes()
    for at in range(len(body) - 150, len(body) - 16):
        planned([])
        for state in ("commit.requested", "inflight"):
            (root / f".hoodie/{FAILED}.{state}").write_bytes(b"{}")
        for finished in root.glob(f".hoodie/{ROLLBACK}.rollback*"):
            finished.unlink()
        path.write_bytes(body[:at] + bytes([body[at] ^ 1 << at % 8]) + body[at + 1 :])
        result = reader.ask("roll back", root)
        assert result["outcome"] in ("rows", "hoodoo error"), f"byte {at}: {result}"
        assert committed <= everything(root), f"byte {at}"
    assert reader.ask("read", root)["rows"] == rows
