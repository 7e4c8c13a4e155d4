"""Program that makes the HFiles of `tests/golden/hfiles` again: `python -m tests.interop.hfiles.make_hfiles`.

They come from HBase, which Hudi before 1.1 contains, and from Hudi's own writer. The program needs mvn and a JDK.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from tests.interop.processes.hudi_side import bundle, pyspark
from tests.interop.processes.java_side import program

__all__ = ["CACHE", "GOLDEN", "HFILES", "PROGRAMS", "Made", "hfile_program"]

CACHE = Path(__file__).parents[3] / ".pytest_cache" / "d" / "interop"
GOLDEN = Path(__file__).parents[2] / "golden" / "hfiles"
PROGRAMS: Mapping[str, str] = {"HBaseHFile": "0.15.0", "HudiHFile": "1.2.0"}
"""Programs, with the release of Hudi whose code they call."""


@frozen
class Made:
    """An HFile of cells `key-000000`, `key-000001`, ...

    Attributes:
        program: The name of the Java program that writes it, a key of `PROGRAMS`.
        codec: Compression, by its name in the program.
        block: Size of a data block in bytes.
        index: Size of an index block in bytes, for HBase.
        count: Number of cells.
        is_numbered: Whether HBase writes MVCC numbers, which differ in length.
    """

    program: str
    codec: str
    block: int
    index: int
    count: int
    is_numbered: bool = True


HFILES: Mapping[str, Made] = {
    "hbase-gzip": Made("HBaseHFile", "GZ", 2048, 131072, 500),
    "hbase-none": Made("HBaseHFile", "NONE", 20480, 131072, 1000),
    "hbase-unnumbered": Made("HBaseHFile", "GZ", 2048, 131072, 200, is_numbered=False),
    "hbase-two-levels": Made("HBaseHFile", "GZ", 1024, 256, 200),
    "hbase-four-levels": Made("HBaseHFile", "NONE", 256, 128, 300),
    "hudi-gzip": Made("HudiHFile", "GZIP", 2048, 0, 500),
    "hudi-none": Made("HudiHFile", "NONE", 4096, 0, 300),
    "hudi-empty": Made("HudiHFile", "GZIP", 4096, 0, 0),
}


def hfile_program(name: str, folder: Path) -> list[str]:
    """Return the command of a program, compiled in a folder."""
    spark = next(pyspark(CACHE).parents[1].glob("lib/python*/site-packages/pyspark/jars"))
    return program([name], f"{bundle(PROGRAMS[name], CACHE)}:{spark}/*", folder)


def main() -> None:
    """Make all HFiles."""
    CACHE.mkdir(parents=True, exist_ok=True)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for old in GOLDEN.glob("*.hfile"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        commands = {name: hfile_program(name, Path(folder) / name) for name in PROGRAMS}
        for name, made in HFILES.items():
            numbers = [str(made.block), str(made.index), str(made.count), str(made.is_numbered).lower()]
            path = str(GOLDEN / f"{name}.hfile")
            subprocess.run([*commands[made.program], "write", path, made.codec, *numbers], check=True)


if __name__ == "__main__":
    main()
