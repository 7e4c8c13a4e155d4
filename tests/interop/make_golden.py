"""Program that makes the golden tables again: `tox -e golden`, with names of tables for some of them.

One release of Hudi runs at a time: first each writes its tables, then each reads. It needs mvn and Java 11 to 21.
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.interop.processes.hudi_side import WITH_LANCE, HudiFailed, HudiSide, missing, start

from .comparing import parquet_table
from .golden import DATA, GOLDEN, Golden, description
from .story import PerformedStory, make_table, performed_story, read_table

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "d" / "interop"
"""Folder of the bundles, which `tox -e interop` also uses."""


def main(names: Sequence[str]) -> None:
    """Make the named tables; without names, make all tables and remove the files of unknown ones.

    Raises:
        SystemExit: Hudi cannot run on this machine, or it failed to make or to read some of the tables.
    """
    reason = missing()
    if reason is not None:
        raise SystemExit(reason)
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = [GOLDEN[name] for name in names or GOLDEN]
    with tempfile.TemporaryDirectory() as folder:
        run(chosen, Path(folder))
    if not names:
        for file in (*DATA.glob("tables/*"), *DATA.glob("expected/*")):
            if not any(file.name.startswith(f"{name}.") for name in GOLDEN):
                file.unlink()


def run(chosen: Sequence[Golden], folder: Path) -> None:
    """Make tables, read them and pack them.

    Raises:
        SystemExit: Hudi failed to make or to read some of the tables; the message names them.
    """
    failed: dict[str, str] = {}

    def each(release: str, tables: Sequence[Golden], work: Callable[[Golden, HudiSide, Path], None]) -> None:
        if tables:
            logs = folder / f"hudi-{release}"
            # the zone of the instants: the timeline of the tables is in local time, as is Hudi's default
            side = start(release, CACHE, logs, zone="UTC")
            for golden in tables:
                name = golden.story.name
                print(f"{release}: {work.__name__} {name}", flush=True)
                try:
                    work(golden, side, folder / "tables" / name)
                except HudiFailed as error:
                    failed[name] = str(error)
            side.close()

    def make(golden: Golden, side: HudiSide, place: Path) -> None:
        make_table(golden.story, side, place)

    def read(golden: Golden, side: HudiSide, place: Path) -> None:
        read_table(golden.story, side, place)
        found = performed_story(golden.story, place)
        assert found is not None
        pack(golden, found)

    releases = sorted({golden.story.session for golden in chosen} | {_reader(golden) for golden in chosen})
    for release in releases:
        each(release, [golden for golden in chosen if golden.story.session == release], make)
    for release in releases:
        made = [golden for golden in chosen if golden.story.name not in failed]
        each(release, [golden for golden in made if _reader(golden) == release], read)
    if failed:
        raise SystemExit("\n\n".join(f"{name}: {error}" for name, error in failed.items()))


def _reader(golden: Golden) -> str:
    """Return the name of the session that reads a table."""
    return f"{golden.reader}{WITH_LANCE}" if golden.story.lance else golden.reader


def pack(golden: Golden, performed: PerformedStory) -> None:
    """Write the archive of a table and the rows that Hudi read.

    Rows that several queries returned are stored once: a Parquet file for each schema holds them, and a query lists
    their numbers.
    """
    name = golden.story.name
    (DATA / "tables").mkdir(parents=True, exist_ok=True)
    (DATA / "expected").mkdir(exist_ok=True)
    with tarfile.open(DATA / "tables" / f"{name}.tar.xz", "w:xz") as archive:
        archive.add(performed.table, name, filter=_anonymous)
    for old in (DATA / "expected").glob(f"{name}.*"):
        old.unlink()
    files: dict[pa.Schema, dict[str, pa.Table]] = {}
    described: dict[str, Any] = {}
    for query, (reading, read) in performed.readings.items():
        described[query] = {"arguments": dict(reading.ours)}
        if isinstance(read, str):
            # the line before it names an object of this run
            lines = read.splitlines()
            described[query]["error"] = next((line for line in lines if line.startswith(": ")), lines[0])[:200]
            continue
        rows = parquet_table(read).replace_schema_metadata(None)
        stored = files.setdefault(rows.schema, {})
        spelled = [repr(row) for row in rows.to_pylist()]
        for position, row in enumerate(spelled):
            stored.setdefault(row, rows.slice(position, 1))
        places = {row: place for place, row in enumerate(stored)}
        file = f"{name}.{list(files).index(rows.schema)}.parquet"
        described[query] |= {"file": file, "rows": [places[row] for row in spelled]}
    for number, (schema, stored) in enumerate(files.items()):
        table = pa.concat_tables([schema.empty_table(), *stored.values()]).combine_chunks()
        file = DATA / "expected" / f"{name}.{number}.parquet"
        pq.write_table(table, file, compression="zstd", use_dictionary=False, write_statistics=False)
    # a line for each query
    lines = ",\n".join(f"  {json.dumps(query)}: {json.dumps(read)}" for query, read in described.items())
    head = json.dumps(description(golden), indent=1).removesuffix("\n}")
    (DATA / "expected" / f"{name}.json").write_text(f'{head},\n "queries": {{\n{lines}\n }}\n}}\n')


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return the member without the fields that depend on the machine and the time."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main(sys.argv[1:])
