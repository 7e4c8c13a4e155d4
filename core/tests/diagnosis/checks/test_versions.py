"""The check of versions, and of features that hoodoo does not support."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status


def test_the_version_is_that_of_the_table(make, found):
    table = make(table_version=9, table_type="MERGE_ON_READ")
    table.write(range(2))

    (finding,) = found(table.diagnose(), "version")
    assert finding.found == "table version 9, timeline layout 2, MERGE_ON_READ, base files in PARQUET"


@pytest.mark.parametrize(
    ("key", "value", "status", "text"),
    [
        ("hoodie.table.cdc.enabled", "true", Status.WARNING, "records change data"),
        ("hoodie.table.format", "iceberg", Status.PROBLEM, "the format 'iceberg'"),
    ],
)
def test_features_that_hoodoo_lacks_are_reported(table, found, key, value, status, text):
    table.set_property(key, value)

    (finding,) = found(table.diagnose(), "version", status)
    assert text in finding.found
    assert finding.advice


def test_a_backup_of_the_properties_is_reported(table, found):
    backup = table.path / ".hoodie/hoodie.properties.backup"
    backup.write_bytes((table.path / ".hoodie/hoodie.properties").read_bytes())

    (finding,) = found(table.diagnose(), "version", Status.WARNING)
    assert finding.places[0].file == ".hoodie/hoodie.properties.backup"


def test_a_bootstrap_is_a_problem_if_it_left_files_without_columns(table, found):
    table.set_property("hoodie.bootstrap.base.path", "/elsewhere")
    _, finding = found(table.diagnose(), "version")
    assert (finding.status, finding.found) == (
        Status.OK,
        "Hudi copied the rows of the table from '/elsewhere'; no file depends on it",
    )

    file = table.path / "p0" / "a-0_0-0-0_00000000000001.parquet"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"")
    (finding,) = found(table.diagnose(), "version", Status.PROBLEM)
    assert "1 base file of that operation without data columns" in finding.found
    assert finding.places[0].file == "p0/a-0_0-0-0_00000000000001.parquet"
