"""Golden tables: small tables that Apache Hudi wrote and read, kept in the repository for tests without Hudi."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from .story import Sql, Step, Story, Write
from .tables import STORIES

__all__ = ["DATA", "GOLDEN", "Golden", "description"]

DATA = Path(__file__).parents[1] / "golden"
"""Folder of the golden tables (`tables`) and of the rows that Hudi read (`expected`)."""

_METADATA = "hoodie.metadata.enable"


@frozen
class Golden:
    """A golden table.

    Attributes:
        story: Steps by which a Hudi release makes the table.
        version: The table version: 6, 8 or 9.
        reader: Hudi release that read the expected rows.
    """

    story: Story
    version: int
    reader: str


def _golden() -> Iterator[Golden]:
    for version, release, names in _NAMES:
        for name in names.split():
            yield _of(name, version, release, {})
    bloom = {"hoodie.index.type": "BLOOM"}
    yield _of("cow6-by-0.15.0", 6, "0.15.0", bloom, "cow6-bloom")
    yield _of("cow9", 9, "1.2.0", bloom, "cow9-bloom")
    # 1.0.2 fails to collect statistics of logs whose nested columns have nulls
    for name in ("mor8-by-1.0.2", "mor8-parquet-by-1.0.2"):
        yield _of(name, 8, "1.0.2", {"hoodie.metadata.index.column.stats.enable": "false"})


_NAMES: Sequence[tuple[int, str, str]] = (
    (
        6,
        "0.15.0",
        """
        mor6-by-0.15.0 mor6-parquet-by-0.15.0 mor6-overwrite mor6-columns-added mor6-compaction-pending
        mor6-compaction-done mor6-log-compaction mor6-rolled-back cow6-restored cow6-failed cow6-clustered
        mor6-complex-key mor6-timestamp-key mor6-bucket mor6-partial-update mor6-postgres-debezium-by-0.15.0
        mor6-archived-by-0.15.0
        """,
    ),
    (6, "0.15.0", "mor6-changes-by-0.15.0"),
    (6, "1.2.0", "cow6 mor6-event-time mor6-commit-time cow6-changes-data-before-after"),
    (
        8,
        "1.0.2",
        """
        cow8-by-1.0.2 mor8-overwrite mor8-compaction-pending mor8-delete-flag mor8-merge-into mor8-archived-by-1.0.2
        """,
    ),
    (8, "1.2.0", "mor8-avro"),
    (
        9,
        "1.2.0",
        """
        mor9-avro mor9-parquet mor9-event-time mor9-commit-time mor9-partial-update mor9-merge-into
        mor9-postgres-debezium mor9-delete-marker mor9-two-ordering-fields mor9-compaction-pending
        mor9-compaction-done mor9-log-compaction cow9-clustered cow9-clustering-pending cow9-archived-overwrite
        mor9-archived mor9-rolled-back mor9-unfinished cow9-failed mor9-columns-added cow9-columns-widened
        mor9-changes cow9-changes-data-before cow9-changes-op-key-only cow9-changes-unlogged
        mor9-complex-key mor9-timestamp-key mor9-custom-key mor9-bucket mor9-by-sql mor-upgraded-6-to-9
        mor9-partitioned-record-index cow9-lance mor9-lance mor9-lance-compacted
        """,
    ),
)
"""Table version, release, and names of the stories that are taken."""


def _of(source: str, version: int, release: str, options: Mapping[str, str], name: str | None = None) -> Golden:
    """Return the golden table of a story: made by the release, with a metadata table, as is Hudi's default."""
    story, name = STORIES[source], name or source
    story = evolve(
        story,
        name=name if release == "1.2.0" or name.endswith(release) else f"{name}-by-{release}",
        release=release,
        options={**story.options, **options, _METADATA: "true"},
        steps=[_with_metadata(step) for step in story.steps],
    )
    # 1.0.2 cannot read some logs of its own: see known.UNREADABLE
    return Golden(story, version, "1.2.0" if release == "1.0.2" else release)


def _with_metadata(step: Step) -> Step:
    match step:
        case Sql(settings=settings) if _METADATA in settings:
            return evolve(step, settings={**settings, _METADATA: "true"})
        case Write(options=options) if _METADATA in options:
            return evolve(step, options={**options, _METADATA: "true"})
    return step


GOLDEN = {golden.story.name: golden for golden in _golden()}
"""The golden tables by name."""


def description(golden: Golden) -> dict[str, Any]:
    """Return the head of the file of expected rows, which changes if the story changes."""
    return {
        "release": golden.story.release,
        "table_version": golden.version,
        "read_by": golden.reader,
        "story": golden.story.digest,
    }
