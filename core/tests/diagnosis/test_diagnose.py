"""A diagnosis as a whole: healthy tables, tables that cannot be opened, and no change of any file."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest

from hoodoo.diagnosis import Status, diagnose
from hoodoo.errors import NotATable, UnknownOption
from hoodoo.testing.engine import write_arrow


def contents(path):
    return {
        file.relative_to(path).as_posix(): (file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in path.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_healthy_table_of_each_kind_has_no_warning(make, version, type_):
    table = make(table_version=version, table_type=type_)
    table.write(range(6))
    table.write(range(3), 2)

    diagnosis = table.diagnose()

    assert [f for f in diagnosis.findings if f.status not in (Status.OK, Status.INFO)] == []
    assert diagnosis.unread == ()
    assert diagnosis.facts["version"] == version
    assert diagnosis.facts["type"] == type_
    checks = {finding.check for finding in diagnosis.findings}
    assert {"version", "pending", "clock", "first write", "duplicate keys", "record keys", "partition paths"} <= checks


def test_nothing_is_written(table):
    table.write([1], 2)
    (table.path / ".hoodie/20990101000000000.commit.requested").touch()
    before = contents(table.path)

    table.diagnose()

    assert contents(table.path) == before


def test_a_folder_without_a_table_is_an_error(tmp_path):
    with pytest.raises(NotATable):
        diagnose(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hoodie.table.version", "5", "has version 5"),
        ("hoodie.table.base.file.format", "ORC", "base files in ORC"),
        ("hoodie.table.checksum", "1", "hoodie.table.checksum is 1"),
    ],
)
def test_a_table_that_cannot_be_opened_is_one_problem(table, key, value, message):
    table.set_property(key, value)
    diagnosis = table.diagnose()

    (finding,) = diagnosis.findings
    assert (finding.check, finding.status) == ("version", Status.PROBLEM)
    assert message in finding.found
    assert diagnosis.unread == ("everything else: the table cannot be opened",)


def test_an_error_that_stops_several_checks_is_reported_once(table, found):
    (commit,) = table.path.glob(".hoodie/*.commit")
    (table.path / f".hoodie/{commit.name.split('.')[0]}.deltacommit").write_bytes(commit.read_bytes())

    diagnosis = table.diagnose()

    problems = [f for f in diagnosis.findings if f.status is Status.PROBLEM]
    assert [f.check for f in problems] == ["timeline"]
    assert "completed twice" in problems[0].found
    assert problems[0].places[0].file.startswith(".hoodie/")
    assert "data files: see timeline" in diagnosis.unread
    assert found(diagnosis, "version", Status.OK)


def test_rows_that_were_not_read_are_listed(table, found):
    diagnosis = table.diagnose(rows=False)

    assert "rows: repeated keys, record keys and partition paths" in diagnosis.unread
    assert not found(diagnosis, "duplicate keys")


def test_the_document_has_every_finding(table):
    diagnosis = table.diagnose()
    document = diagnosis.to_dict()

    assert document["status"] == "info"
    assert document["table"]["name"] == "t"
    assert len(document["findings"]) == len(diagnosis.findings)
    assert document["findings"][0]["check"] == "version"


def test_an_unknown_option_is_an_error(table):
    with pytest.raises(UnknownOption, match="record_kee"):
        table.diagnose({"record_kee": "id"})


def test_a_table_in_an_object_store_is_examined():
    pytest.importorskip("obstore")
    path = "memory://doctor/t"
    write_arrow(pa.table({"id": ["a", "b"]}), path, {"table_name": "t", "record_key": "id", "timeline_timezone": "UTC"})

    diagnosis = diagnose(path)

    assert diagnosis.worst in (Status.OK, Status.INFO)
    assert any(f.check == "duplicate keys" and f.found.startswith("2 rows") for f in diagnosis.findings)
