"""Paths without a table, tables that are not supported, and damaged ones."""

from __future__ import annotations

import re

import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError, NotATable, OptionError, SchemaError, TableError, UnsupportedTable
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

PROPERTIES = ".hoodie/hoodie.properties"
"""Path of the properties of a table."""


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()], ids=["nothing", "an empty folder"])
def test_a_path_without_a_table(place, refuses, make):
    make(place.path)
    words = [str(place.path), PROPERTIES, "check the path"]

    refuses.early(NotATable, "not_a_table", *words, write=lambda: hoodoo.Table(place.path))
    refuses.early(NotATable, "not_a_table", *words, write=lambda: place.write(operation="delete"))
    place.write()


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_where_the_folder_should_be(place, below):
    place.path.write_text("a file")
    path = place.path / below

    for attempt in (lambda: hoodoo.Table(path), lambda: write_arrow(place.rows_with(), path, place.options({}))):
        with pytest.raises(TableError, match=r"Not a directory|not a folder|no Hudi table"):
            attempt()
    assert place.path.read_text() == "a file"


@pytest.mark.parametrize(
    ("uri", "advice"), [("https://host/table", "local"), ("file://host/table", "use a file: URI without a host")]
)
def test_a_store_that_is_not_supported(place, uri, advice):
    for attempt in (lambda: hoodoo.Table(uri), lambda: write_arrow(place.rows_with(), uri, place.options({}))):
        with pytest.raises(UnsupportedTable, match=advice) as caught:
            attempt()
        assert caught.value.code == "storage_scheme"
        assert uri in str(caught.value)


@pytest.mark.parametrize("scheme", ["ftp", "file"])
def test_credentials_in_a_location_are_not_shown(scheme):
    with pytest.raises(UnsupportedTable, match=f"{scheme}://host/t") as caught:
        hoodoo.Table(f"{scheme}://user:secret@host/t")
    assert "secret" not in str(caught.value)
    assert "user" not in str(caught.value)


@pytest.mark.parametrize("version", ["5", "99"])
def test_an_unknown_table_version(place, refuses, version):
    place.write()
    change(place, PROPERTIES, b"table.version=6", f"table.version={version}".encode())

    for attempt in (place.write, place.rows):
        refuses.early(UnsupportedTable, "table_version", f"version {version}", write=attempt)


def test_log_files_in_a_copy_on_write_table_are_not_passed_over(place, refuses):
    """A write that ignored the log files would keep old rows as if they were the newest."""
    place.write()
    base = next(place.path.rglob("[!.]*.parquet"))
    file_id, _, instant = base.stem.split("_")
    base.with_name(f".{file_id}_{instant}.log.1_0-1-1").write_bytes(b"")

    refuses.early(UnsupportedTable, "log_file", ".log.", "COPY_ON_WRITE", write=place.write)


def test_a_table_without_the_metadata_table_that_it_names_is_not_written(place, refuses):
    place.write()
    with (place.path / PROPERTIES).open("a") as file:
        file.write("hoodie.table.metadata.partitions=files\n")

    refuses.early(
        UnsupportedTable, "metadata_table", "has no", "files", "remove the metadata table first", write=place.write
    )
    assert len(place.rows()) == 3


DAMAGED_PROPERTIES = {
    "checksum": (lambda body: body.replace(b"table.name=t\n", b"table.name=u\n"), "checksum"),
    "empty": (lambda body: b"", "hoodie.table.name"),
    "garbage": (lambda body: bytes(range(256)), "control character"),
    "version": (lambda body: body.replace(b"table.version=6", b"table.version=six"), "'six'"),
    "type": (lambda body: body.replace(b"COPY_ON_WRITE", b"COPY_ON_READ"), "'COPY_ON_READ'"),
}


@pytest.mark.parametrize("case", DAMAGED_PROPERTIES)
def test_damaged_properties(place, refuses, case):
    place.write()
    damage, word = DAMAGED_PROPERTIES[case]
    file = place.path / PROPERTIES
    file.write_bytes(damage(file.read_bytes()))

    for attempt in (place.write, place.rows, lambda: place.write(operation="delete")):
        error = refuses.early(CorruptTableError, "corrupt_table", PROPERTIES, word, write=attempt)
        assert error.file == PROPERTIES


@pytest.mark.parametrize("operation", ["upsert", "delete"])
def test_lost_properties_are_not_created_again(place, refuses, operation):
    """Other keys or partitions over the existing files would mix two tables."""
    place.write()
    (place.path / PROPERTIES).unlink()

    refuses.early(
        CorruptTableError,
        "corrupt_table",
        str(place.path),
        PROPERTIES,
        "restore",
        write=lambda: place.write(operation=operation, record_key="v", partition_by=None),
    )


DAMAGED_COMMITS = {
    "empty": (lambda body: b"", "empty"),
    "cut": (lambda body: body[: len(body) // 2], "JSON"),
    "garbage": (lambda body: b"\xff\xfe" * 50, "JSON"),
    "another shape": (lambda body: b"[]", "a list instead of an object"),
    "path above": (lambda body: body.replace(b'"path" : "x/', b'"path" : "../x/'), "'..'"),
    "absolute path": (lambda body: body.replace(b'"path" : "x/', b'"path" : "/etc/x/'), "absolute"),
    "partition above": (lambda body: body.replace(b'"x" : [', b'"../x" : ['), "'../x'"),
    "schema": (lambda body: body.replace(b"record", b"rekord"), "schema"),
}


@pytest.mark.parametrize("case", DAMAGED_COMMITS)
def test_a_damaged_commit(place, refuses, case):
    instant = place.write().instant
    damage, word = DAMAGED_COMMITS[case]
    file = place.path / ".hoodie" / f"{instant}.commit"
    before = file.read_bytes()
    file.write_bytes(damage(before))

    for attempt in (place.write, place.rows):
        error = refuses.early(CorruptTableError, "corrupt_table", f"{instant}.commit", word, write=attempt)
        assert error.file == f".hoodie/{instant}.commit"
    file.write_bytes(before)
    place.write()


DAMAGED_FILES = {
    "empty": lambda body: b"",
    "truncated": lambda body: body[: len(body) // 2],
    "one byte short": lambda body: body[:-1],
    "overwritten at its end": lambda body: body[:-4] + b"XXXX",
    "overwritten within": lambda body: body[:4] + b"\xff" * 300 + body[304:],
}


@pytest.mark.parametrize("case", DAMAGED_FILES)
def test_a_damaged_base_file(place, case):
    place.write()
    (file,) = place.path.glob("x/*.parquet")
    before, path = file.read_bytes(), str(file.relative_to(place.path))
    rows = place.rows()
    file.write_bytes(DAMAGED_FILES[case](before))

    for attempt in (place.write, place.rows):
        with pytest.raises(CorruptTableError, match=path) as caught:
            attempt()
        assert caught.value.file == path
    file.write_bytes(before)
    assert place.rows() == rows
    place.check_tidy()
    place.write(place.rows_with(ts=[9, 9, 9], v=["n", "n", "n"]))
    assert [row["v"] for row in place.rows()] == ["n", "n", "n"]


def test_a_base_file_without_record_keys(place):
    place.write()
    (file,) = place.path.glob("x/*.parquet")
    rows = pq.read_table(file)
    index = rows.schema.get_field_index("_hoodie_record_key")
    file.unlink()
    pq.write_table(rows.remove_column(index), file)

    with pytest.raises(CorruptTableError, match="_hoodie_record_key"):
        place.write()
    place.check_tidy()


def test_a_partition_that_is_a_link_out_of_the_table(place, tmp_path):
    place.write()
    outside = tmp_path / "outside"
    (place.path / "x").rename(outside)
    (place.path / "x").symlink_to(outside)
    before = sorted(outside.iterdir())

    for attempt in (place.write, place.rows):
        with pytest.raises(TableError, match="symbolic link"):
            attempt()
    assert sorted(outside.iterdir()) == before


def change(place, file, old, new):
    path = place.path / file
    body = path.read_bytes()
    assert old in body
    path.write_bytes(body.replace(old, new))


def test_a_column_that_the_table_does_not_have(place, refuses):
    place.write()

    refuses.early(
        SchemaError,
        "unknown_column",
        "no column 'gone'",
        "it has id, part, ts, v",
        write=lambda: hoodoo.Table(place.path).to_arrow(["id", "gone"]),
    )


@pytest.mark.parametrize("as_of", ["yesterday", "2024-13-01", "20240101999999", ""])
def test_a_time_that_is_none(place, as_of):
    place.write()

    with pytest.raises(OptionError, match=re.escape(repr(as_of))):
        hoodoo.Table(place.path).to_arrow(as_of=as_of)


def test_a_query_type_that_does_not_exist(place):
    place.write()

    with pytest.raises(OptionError, match=r"'backwards'.*snapshot"):
        hoodoo.Table(place.path).to_arrow(query_type="backwards")
