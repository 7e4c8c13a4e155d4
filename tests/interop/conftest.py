"""Sessions of Apache Hudi: one process per release for all tests. Tests are skipped where Hudi cannot run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.interop.catalogs.metastore import spark_settings
from tests.interop.processes.hudi_side import HudiSide, bundle, missing, pyspark, start

from .story import PerformedStory, Story, perform, performed_story

KEPT = "HOODOO_INTEROP_TABLES"

Sides = Callable[[str], HudiSide]


@pytest.fixture(scope="session")
def hudi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Return a function that returns the session of a Hudi release, started on first use."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    sides: dict[str, HudiSide] = {}

    def side(release: str) -> HudiSide:
        if release not in sides:
            sides[release] = start(release, cache, tmp_path_factory.mktemp(f"hudi-{release}"))
        return sides[release]

    yield side
    for started in sides.values():
        started.close()


@pytest.fixture(scope="session")
def metastore() -> str:
    """Return the address of a Hive metastore; skip the test if it does not exist or Hudi cannot run."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    address = os.environ.get("HOODOO_METASTORE")
    if not address:
        pytest.skip("no Hive metastore: HOODOO_METASTORE names a server, `tox -e interop` starts one")
    return address


@pytest.fixture(scope="session")
def hive(metastore: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Return a function that returns the session of a Hudi release whose catalog is the metastore."""
    cache = request.config.cache.mkdir("interop")
    sides: dict[str, HudiSide] = {}

    def side(release: str) -> HudiSide:
        if release not in sides:
            folder = tmp_path_factory.mktemp(f"hive-{release}")
            jar = bundle(release, cache)
            sides[release] = HudiSide(pyspark(cache), jar, folder, settings=spark_settings(metastore))
        return sides[release]

    yield side
    for started in sides.values():
        started.close()


@pytest.fixture
def perform_story(hudi: Sides, tmp_path: Path) -> Callable[[Story], PerformedStory]:
    """Return a function that returns the table of a story and the rows that Hudi read.

    The environment variable `HOODOO_INTEROP_TABLES` names a folder that keeps the tables for later runs.
    """

    def performed(story: Story) -> PerformedStory:
        kept = os.environ.get(KEPT)
        folder = (Path(kept) if kept else tmp_path) / story.name
        found = performed_story(story, folder)
        if found is None:
            perform(story, hudi(story.session), folder)
            found = performed_story(story, folder)
            assert found is not None
        return found

    return performed
