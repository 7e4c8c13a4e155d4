"""Stories: steps that Hudi performs on a table, and their execution."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import evolve, field, frozen

from tests.interop.processes.hudi_side import WITH_LANCE, HudiFailed, HudiSide

__all__ = [
    "COMMON",
    "Files",
    "Instant",
    "PerformedStory",
    "Reading",
    "Sql",
    "Step",
    "Story",
    "Write",
    "instants",
    "make_table",
    "perform",
    "performed_story",
    "read_table",
    "readings_of",
]

COMMON = {
    "hoodie.table.name": "story",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.partitionpath.field": "",
    "hoodie.metadata.enable": "false",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
    "hoodie.compact.inline": "false",
    # the following options make writes to small tables fast
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.index.type": "SIMPLE",
    "hoodie.bloom.index.parallelism": "1",
    "hoodie.simple.index.parallelism": "1",
    "hoodie.global.simple.index.parallelism": "1",
    "hoodie.insert.shuffle.parallelism": "1",
    "hoodie.upsert.shuffle.parallelism": "1",
    "hoodie.delete.shuffle.parallelism": "1",
    "hoodie.bulkinsert.shuffle.parallelism": "1",
    "hoodie.index.bloom.num_entries": "100",
    "hoodie.time.generator.max_expected_clock_skew_ms": "1",
    "hoodie.finalize.write.parallelism": "1",
    "hoodie.markers.delete.parallelism": "1",
    "hoodie.rollback.parallelism": "1",
}
"""Options of every write: table services run only where a story sets their options."""


@frozen
class Write:
    """A batch that is written through Hudi's data source."""

    rows: pa.Table
    operation: str = "upsert"
    options: Mapping[str, str] = field(factory=dict)
    mode: str = "append"


@frozen
class Sql:
    """Statements of Hudi's SQL; `{table}` is the table, `{path}` its folder, `{t0}`, `{t1}`... its instants so far."""

    statements: Sequence[str]
    settings: Mapping[str, str] = field(factory=dict)


@frozen
class Files:
    """Change of the files of the table, as a crash would leave them."""

    act: Callable[[Path], None]


Step = Write | Sql | Files


@frozen
class Reading:
    """One query: options of Hudi's data source, and the equal arguments of `Table.to_arrow`."""

    name: str
    hudi: Mapping[str, str]
    ours: Mapping[str, Any]


@frozen
class Instant:
    """A completed commit, delta commit or replace commit, by the name of its file.

    `completed` is empty in table versions before 8, whose file names lack it.
    """

    requested: str
    completed: str
    action: str


@frozen
class Story:
    """A table that Hudi makes.

    Attributes:
        name: The name of the table and of its test.
        options: Options in addition to `COMMON`.
        steps: The writes, statements and changes of files, in the order of their execution.
        release: The release of Hudi.
        lance: Whether the session of Hudi has the library of Lance.
        readings: The function that returns queries in addition to those of every table, by the instants.
    """

    name: str
    options: Mapping[str, str]
    steps: Sequence[Step]
    release: str = "1.2.0"
    lance: bool = False
    readings: Callable[[Sequence[Instant]], Sequence[Reading]] = lambda instants: ()

    @property
    def session(self) -> str:
        """Return the name of the session of Hudi: see `hudi_side.start`."""
        return f"{self.release}{WITH_LANCE}" if self.lance else self.release

    def named(self, name: str) -> Story:
        """Return the story under another name."""
        return evolve(self, name=name)

    @property
    def digest(self) -> str:
        """Return a hash of the release, the options and the steps."""
        parts: list[Any] = [self.release, sorted({**COMMON, **self.options}.items())]
        for step in self.steps:
            match step:
                case Write(rows=rows):
                    types = [(field.name, str(field.type)) for field in rows.schema]
                    parts.append([rows.to_pylist(), types, step.operation, dict(step.options)])
                case Sql():
                    parts.append([list(step.statements), dict(step.settings)])
                case Files():
                    parts.append(step.act.__name__)
        # `str` of a time does not depend on the class of its time zone, as `repr` does
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


@frozen
class PerformedStory:
    """Table of a story, and the rows that Hudi read.

    Attributes:
        table: The folder of the table.
        readings: By the name of a query, the query and the folder of the rows, or the message of Hudi's error.
    """

    table: Path
    readings: Mapping[str, tuple[Reading, Path | str]]


def perform(story: Story, hudi: HudiSide, folder: Path) -> None:
    """Make the table in `folder` and let Hudi read it; files there contain the batches, queries and rows."""
    make_table(story, hudi, folder)
    read_table(story, hudi, folder)


def make_table(story: Story, hudi: HudiSide, folder: Path) -> None:
    """Perform the steps of a story. The table is the folder `table` in `folder`, which is emptied first.

    Raises:
        HudiFailed: Hudi failed in one of the steps.
    """
    shutil.rmtree(folder, ignore_errors=True)
    table = folder / "table"
    (folder / "rows").mkdir(parents=True)
    options = {**COMMON, **story.options}
    # a session may perform a story more than once
    name = "_".join(("t", re.sub(r"\W", "_", story.name), uuid.uuid4().hex[:8]))
    created = False
    for number, step in enumerate(story.steps):
        match step:
            case Write():
                rows = folder / "rows" / f"{number}.parquet"
                pq.write_table(step.rows, rows)
                operation = {"hoodie.datasource.write.operation": step.operation}
                hudi.write(table, rows, {**options, **operation, **step.options}, step.mode)
            case Sql():
                named = {f"t{n}": instant.requested for n, instant in enumerate(instants(table))}
                known = {"table": name, "path": str(table), **named}
                if not created and table.exists():
                    hudi.sql([f"create table {name} using hudi location '{table}'"])
                created = True
                hudi.sql([statement.format_map(known) for statement in step.statements], step.settings)
            case Files():
                step.act(table)


def read_table(story: Story, hudi: HudiSide, folder: Path) -> None:
    """Run all queries of a story by Hudi and write rows, or errors, to `folder`."""
    table = folder / "table"
    read = {}
    for reading in [*readings_of(table), *story.readings(instants(table))]:
        to = folder / "read" / reading.name
        try:
            hudi.read(table, reading.hudi, to)
        except HudiFailed as error:
            read[reading.name] = {"hudi": dict(reading.hudi), "ours": dict(reading.ours), "error": str(error)}
        else:
            read[reading.name] = {"hudi": dict(reading.hudi), "ours": dict(reading.ours)}
    (folder / "story.json").write_text(json.dumps({"digest": story.digest, "read": read}, indent=1))


def performed_story(story: Story, folder: Path) -> PerformedStory | None:
    """Return the earlier result in `folder`; None if there is none, or if the story has changed since."""
    file = folder / "story.json"
    if not file.exists() or (held := json.loads(file.read_text()))["digest"] != story.digest:
        return None
    return PerformedStory(
        folder / "table",
        {
            name: (Reading(name, read["hudi"], read["ours"]), read.get("error", folder / "read" / name))
            for name, read in held["read"].items()
        },
    )


def instants(table: Path) -> list[Instant]:
    """Return the completed commits of the active timeline by their requested times, from file names alone."""
    found = []
    for folder in (table / ".hoodie", table / ".hoodie" / "timeline"):
        for file in folder.glob("*") if folder.is_dir() else ():
            times, _, action = file.name.partition(".")
            if action in ("commit", "deltacommit", "replacecommit"):
                requested, _, completed = times.partition("_")
                found.append(Instant(requested, completed, action))
    return sorted(found, key=lambda instant: instant.requested)


def readings_of(table: Path) -> list[Reading]:
    """Return the queries of a table: snapshot, read-optimized, time travel to earlier commits, and commit ranges."""
    done = instants(table)
    readings = [Reading("snapshot", {}, {})]
    if "MERGE_ON_READ" in (table / ".hoodie" / "hoodie.properties").read_text():
        kind = "read_optimized"
        readings.append(Reading("read_optimized", {"hoodie.datasource.query.type": kind}, {"query_type": kind}))
    for number, instant in enumerate(done[:-1]):
        time = instant.requested
        readings.append(Reading(f"as_of_{number}", {"as.of.instant": time}, {"as_of": time}))
    ends = [instant.completed or instant.requested for instant in done]
    ranges: list[tuple[str, str, str | None]] = [("all", "000", None)]
    if len(done) > 1:
        ranges += [("from_first", ends[0], None), ("last", ends[-2], ends[-1])]
    if len(done) > 3:
        ranges.append(("middle", ends[1], ends[-2]))
    for name, begin, end in ranges:
        hudi = {"hoodie.datasource.query.type": "incremental", "hoodie.datasource.read.begin.instanttime": begin}
        ours: dict[str, Any] = {"query_type": "incremental", "begin": begin}
        if end is not None:
            hudi["hoodie.datasource.read.end.instanttime"] = end
            ours["end"] = end
        readings.append(Reading(f"incremental_{name}", hudi, ours))
    return readings
