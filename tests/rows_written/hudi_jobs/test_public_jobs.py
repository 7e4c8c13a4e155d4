"""Unchanged jobs of Hudi users: `check` accepts at least 95 % of them.

The accepted jobs that need no service run, and the `hudi` package reads their tables.
"""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo import Table, check
from hoodoo.job_check import check_entries
from hoodoo.options import NoEffectWarning
from hoodoo.options.parsing.given_path import PATH_KEYS
from hoodoo.testing.engine import write_arrow
from tests.support.public_jobs import MISSING, Job, public_jobs, rows_of_job, shape_of
from tests.support.rows import hudi_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not public_jobs(), reason=MISSING),
]

ROWS, DELETED = 6, 2
WRITES = [job for job in public_jobs() if job["kind"] != "read"]
READS = [job for job in public_jobs() if job["kind"] == "read"]
SERVICES = ("dynamodb", "zookeeper", "hivemetastore")


def test_at_least_95_percent_of_the_writes_are_accepted():
    refused = [found for found in check_entries(WRITES) if not found.accepted]
    assert len(refused) <= 0.05 * len(WRITES), [(found.id, found.blockers) for found in refused]


def test_a_job_with_the_sync_of_hive_and_no_address_is_accepted_with_a_notice():
    hive = "hoodie.datasource.hive_sync."
    jobs = [
        job
        for job in WRITES
        if str(job["options"].get(hive + "enable")).lower() == "true"
        and hive + "metastore.uris" not in job["options"]
        and job["options"].get(hive + "mode") != "glue"
    ]
    assert len(jobs) > 10
    for found in check_entries(jobs):
        assert any("is not updated" in notice for notice in found.notices), found
        assert not any("sync" in blocker or "catalog" in blocker for blocker in found.blockers), found


def test_reads_are_accepted_but_for_what_no_release_has():
    refused = [found for found in check_entries(READS) if not found.accepted]
    assert [found.id for found in refused if "query.type' is 'metadata'" not in found.blockers[0]] == []
    assert len(refused) <= 0.05 * len(READS)


def test_a_blocker_says_what_to_do():
    for found in check_entries(public_jobs()):
        for text in found.blockers:
            assert "'" in text or "(" in text
            assert len(text) > 40


def runs_alone(job: Job) -> bool:
    """Return whether a job has columns and a table name, and needs no catalog and no lock service."""
    options = {key.lower(): str(value).lower() for key, value in job["options"].items()}
    sync = any(options.get(f"hoodie.datasource.{name}.enable") == "true" for name in ("hive_sync", "meta.sync"))
    locked = any(service in text for text in options for service in SERVICES if text.startswith("hoodie.write.lock."))
    named = {"hoodie.table.name", "hoodie.datasource.write.table.name"} & options.keys()
    return bool(job["columns"]) and bool(named) and not sync and not locked


def parameters() -> list[Any]:
    """Return the accepted jobs that run alone; all but one of each shape are marked `nightly`."""
    seen: set[object] = set()
    cases = []
    for job in filter(runs_alone, WRITES):
        if check(job["options"], mode=job["mode"], columns=job["columns"]).accepted:
            marks = [pytest.mark.nightly] if shape_of(job) in seen else []
            seen.add(shape_of(job))
            cases.append(pytest.param(job, id=job["id"], marks=marks))
    return cases


@pytest.mark.parametrize("job", parameters())
def test_a_job_runs_and_the_hudi_package_reads_its_rows(tmp_path, job):
    path, options = tmp_path / "t", {k: v for k, v in job["options"].items() if k.lower() not in PATH_KEYS}
    operation = options.get("hoodie.datasource.write.operation", "upsert").lower()
    rows = rows_of_job(job, ROWS)
    if operation == "bootstrap":
        (tmp_path / "files").mkdir()
        pq.write_table(rows, tmp_path / "files/a.parquet")
        options["hoodie.bootstrap.base.path"], rows = str(tmp_path / "files"), pa.table({})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        if operation == "delete":
            write_arrow(rows, path, {**options, "hoodie.datasource.write.operation": "insert"})
            rows = rows.slice(ROWS - DELETED)
        write_arrow(rows, path, options, job["mode"])

    removes = "EmptyHoodieRecordPayload" in options.get("hoodie.datasource.write.payload.class", "")
    expected = 0 if removes else ROWS - DELETED if operation == "delete" else ROWS
    found = Table(path).to_arrow()
    assert found.num_rows == expected
    written = rows_of_job(job, ROWS).select(found.column_names[5:]).to_pylist()
    assert all(row in written for row in found.select(found.column_names[5:]).to_pylist())
    assert len(hudi_rows(path)) == expected
