"""Rollbacks, commits that never completed, savepoints, restores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.interop.rows import plain_batch
from tests.interop.story import Files, Instant, Reading, Sql, Story, Write

from .common import BY_PART, COW, MOR, some, version

__all__ = ["failures"]


def failures() -> Iterator[Story]:
    """Yield stories of rollbacks, of commits that never completed, of savepoints and of restores."""
    for number, kind in ((6, MOR), (9, MOR), (9, COW), (6, COW)):
        name = f"{'cow' if kind is COW else 'mor'}{number}"
        options = {**kind, **version(number), **BY_PART}
        # the procedures of later releases look for the newer timeline in tables of version 6
        release = "0.15.0" if number == 6 else "1.2.0"
        settings = {"hoodie.metadata.enable": "false", "hoodie.write.auto.upgrade": "false", **version(number)}
        again = Write(plain_batch(["a", "k:y"], 40))
        undo = Sql(["call rollback_to_instant(table => '{table}', instant_time => '{t2}')"], settings)
        yield Story(f"{name}-rolled-back", options, [*some(), undo, again], release)
        yield Story(f"{name}-unfinished", options, [*some(), Files(uncommitted)], readings=ahead)
        yield Story(f"{name}-failed", options, [*some(), Files(uncommitted), again])
        save = Sql(["call create_savepoint(table => '{table}', commit_time => '{t1}')"], settings)
        back = Sql(["call rollback_to_savepoint(table => '{table}', instant_time => '{t1}')"], settings)
        yield Story(f"{name}-restored", options, [*some(last=False), save, *some()[1:], back, again], release)


def uncommitted(table: Path) -> None:
    """Make the last completed commit or delta commit inflight again, as if its writer had died before the end."""
    completed = [
        file
        for folder in (table / ".hoodie", table / ".hoodie" / "timeline")
        if folder.is_dir()
        for file in folder.iterdir()
        if file.suffix in (".commit", ".deltacommit")
    ]
    max(completed, key=lambda file: file.name).unlink()


def ahead(done: Sequence[Instant]) -> list[Reading]:
    """Return a query of time travel to a time after the commit that did not complete."""
    return [Reading("as_of_ahead", {"as.of.instant": "2200-01-01"}, {"as_of": "2200-01-01"})]
