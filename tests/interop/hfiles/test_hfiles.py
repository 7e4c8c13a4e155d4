"""HFiles that hoodoo writes, read by HBase (of Hudi before 1.1) and by Hudi's own reader."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from hoodoo.format.hfile import Cells, Codec, hfile_bytes
from tests.interop.processes.hudi_side import missing
from tests.interop.processes.java_side import missing_compiler

from .make_hfiles import CACHE, PROGRAMS, hfile_program

pytestmark = pytest.mark.interop

PAIRS = sorted({f"key-{number:05}-é".encode(): b"v" * (number % 90) for number in range(3000)}.items())


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    reason = missing() or missing_compiler()
    if reason is not None:
        pytest.skip(reason)
    CACHE.mkdir(parents=True, exist_ok=True)
    return {name: hfile_program(name, tmp_path_factory.mktemp(name)) for name in PROGRAMS}


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("block_bytes", [500, 1024 * 1024])
@pytest.mark.parametrize("program", PROGRAMS)
def test_ours_is_read(
    programs: Mapping[str, list[str]], tmp_path: Path, codec: Codec, block_bytes: int, program: str
) -> None:
    keys, values = (pa.array(column, pa.large_binary()) for column in zip(*PAIRS, strict=True))
    cells = Cells(keys, values)
    path = tmp_path / "ours.hfile"
    path.write_bytes(hfile_bytes(cells, {"schema": b"s"}, {"note": b"text"}, codec=codec, block_bytes=block_bytes))
    names = ["note", "schema", "key-01234-é", "key-01234"]
    command = [*programs[program], "read", str(path), *names]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = [tuple(bytes.fromhex(part) for part in line.split("\t")) for line in printed[: len(PAIRS)]]
    assert found == PAIRS
    if program == "HudiHFile":
        # a meta block, an entry of the file info, and the result of a lookup: 0 if the key was found
        rest = [line.split("\t") for line in printed[len(PAIRS) :]]
        assert rest[0][:2] == ["note", "text"]
        assert rest[1][:3:2] == ["schema", b"s".hex()]
        assert (rest[2][3], rest[3][3] == "0") == ("0", False)


def test_no_cells(programs: Mapping[str, list[str]], tmp_path: Path) -> None:
    path = tmp_path / "empty.hfile"
    path.write_bytes(hfile_bytes(Cells(pa.array([], pa.large_binary()), pa.array([], pa.large_binary()))))
    for command in programs.values():
        assert subprocess.run([*command, "read", str(path)], check=True, capture_output=True, text=True).stdout == ""
