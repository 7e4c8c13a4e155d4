"""Program that makes the golden tables again: `tox -e golden`, with names of tables for some of them.

A release of Hudi runs at a time: first each writes its tables, then each reads. It needs mvn and Java 11 to 21.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from .golden import DATA, GOLDEN, Golden, pack
from .hudi_side import HudiFailed, HudiSide, bundle, missing, pyspark
from .story import make_table, read_table, told

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "d" / "interop"
"""Folder of the bundles, that `tox -e interop` uses too."""


def main(names: Sequence[str]) -> None:
    """Make the named tables, or all."""
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
    """Make tables, read them, pack them. Raise `SystemExit` with the names of those that Hudi failed to make."""
    failed: dict[str, str] = {}

    def each(release: str, tables: Sequence[Golden], work: Callable[[Golden, HudiSide, Path], None]) -> None:
        if tables:
            logs = folder / f"hudi-{release}"
            # the zone of the instants: the timeline of the tables is in local time, as is Hudi's default
            side = HudiSide(pyspark(CACHE), bundle(release, CACHE), logs, zone="UTC")
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
        found = told(golden.story, place)
        assert found is not None
        pack(golden, found)

    releases = sorted({golden.story.release for golden in chosen} | {golden.reader for golden in chosen})
    for release in releases:
        each(release, [golden for golden in chosen if golden.story.release == release], make)
    for release in releases:
        made = [golden for golden in chosen if golden.story.name not in failed]
        each(release, [golden for golden in made if golden.reader == release], read)
    if failed:
        raise SystemExit("\n\n".join(f"{name}: {error}" for name, error in failed.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
