"""The crate hudi-core reads tables of hoodoo with a metadata table and the reverse, and both write one table in turn.

The crate writes table versions 8 and 9, and uses the metadata tables of these versions only.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from hoodoo.format.hfile import Cells, Codec, hfile_bytes
from hoodoo.txn.metadata import upkeep
from tests.interop.processes.native_side import NativeSide
from tests.support.rust_program import missing

from .native_table import Form, NativeTable, Writer
from .test_turns import History

pytestmark = pytest.mark.interop

TYPES = ("COPY_ON_WRITE", "MERGE_ON_READ")
TURNS = 12
HISTORIES = int(os.environ.get("HOODOO_INTEROP_HISTORIES", "2"))
"""Number of histories for each kind of table."""
NOT_WRITTEN = ("props",)
"""Columns that the crate does not write: maps."""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeSide]:
    """Yield a process of the crate; skip the tests of the module if the crate cannot be built."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    side = NativeSide(tmp_path_factory.mktemp("native"))
    yield side
    side.close()


@pytest.fixture(autouse=True)
def _frequent_services_of_the_metadata_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hoodoo clean and archive the metadata table several times in a history."""
    monkeypatch.setattr(upkeep, "_SLICES", 2)
    monkeypatch.setattr(upkeep, "_COMMITS", 6)


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("block_bytes", [500, 1024 * 1024])
def test_the_crate_reads_hfiles_of_hoodoo(codec: Codec, block_bytes: int, native: NativeSide, tmp_path: Path) -> None:
    pairs = sorted({f"key-{number:05}-é".encode(): b"v" * (number % 90) for number in range(3000)}.items())
    keys, values = (pa.array(column, pa.large_binary()) for column in zip(*pairs, strict=True))
    path = tmp_path / "ours.hfile"
    path.write_bytes(hfile_bytes(Cells(keys, values), codec=codec, block_bytes=block_bytes))
    cells, found = native.hfile(path, ["a", "key-00001-é", "key-00002", "key-01234-é", "z"])
    assert cells == pairs
    assert found == [None, b"v", None, b"v" * 64, None]


@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("type_", TYPES)
def test_the_crate_reads_tables_of_hoodoo(type_: str, version: int, native: NativeSide, tmp_path: Path) -> None:
    form = Form(type_, version)
    table = NativeTable(tmp_path, History(random.Random(str(form))), form, native)
    for _ in range(TURNS):
        table.write("hoodoo")
        table.check()
        table.check_by_native()
    assert table.skipped
    # the crate does not use the record index in every snapshot, even of its own tables
    assert version == 6 or table.without_files


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("type_", TYPES)
def test_hoodoo_reads_tables_of_the_crate(type_: str, version: int, native: NativeSide, tmp_path: Path) -> None:
    form = Form(type_, version, "native")
    table = NativeTable(tmp_path, History(random.Random(str(form))), form, native, NOT_WRITTEN)
    for _ in range(TURNS):
        table.write("native")
        table.check()
        table.check_by_native()
    assert table.skipped
    assert table.without_files


@pytest.mark.parametrize("seed", range(HISTORIES))
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("creator", ["hoodoo", "native"])
def test_both_write_in_turn(creator: Writer, type_: str, seed: int, native: NativeSide, tmp_path: Path) -> None:
    """After the creator, let a random writer take each turn on a table of version 9, with the services of both.

    Other tables are left out: in version 8 the crate stores bounds of timestamps as another type than hoodoo, and it
    does not read a metadata table that has blocks of hoodoo and its own.
    """
    form = Form(type_, 9, creator)
    chance = random.Random(f"{form} {seed}")
    table = NativeTable(tmp_path, History(chance), form, native, NOT_WRITTEN)
    writers: tuple[Writer, Writer] = ("native", "hoodoo")
    table.write(creator)
    for _ in range(TURNS - 1):
        table.write(chance.choice(writers))
        table.check()
        table.check_by_native()
