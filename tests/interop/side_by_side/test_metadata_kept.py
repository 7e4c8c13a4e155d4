"""Histories in which Hudi and hoodoo take turns on a table with a metadata table, which each of them keeps current.

Hudi or hoodoo creates the metadata table with all partitions that hoodoo keeps, in a new table or in one that has rows,
and Hudi continues it without building it again.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoodoo.txn.metadata import upkeep
from tests.interop.conftest import Sides
from tests.interop.processes.hudi_side import HudiSide, bundle, missing, pyspark

from .kept_table import FORMS, Form, KeptTable
from .test_turns import History

pytestmark = pytest.mark.interop

TURNS = {"hudi": 14, "hoodoo": 6, "hoodoo late": 6}
"""Number of turns by the writer that creates the metadata table."""
HISTORIES = int(os.environ.get("HOODOO_INTEROP_HISTORIES", "2"))
"""Number of short histories for each kind of table."""
SHORT = 6
"""Number of turns of a short history."""
CHANGES = 60
"""The largest number of the change of a file before which a process is killed, if the write makes that change."""


@pytest.fixture(scope="module")
def hudi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Return a function that returns the session of a Hudi release, whose bundle is on the class path of the JVM.

    With `spark.jars`, Hudi 1.0.2 reads blocks of deletes in threads whose class loader lacks its classes, and fails.
    """
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    cache = request.config.cache.mkdir("interop")
    sides: dict[str, HudiSide] = {}

    def side(release: str) -> HudiSide:
        if release not in sides:
            jar, folder = bundle(release, cache), tmp_path_factory.mktemp(f"kept-{release}")
            settings = {"spark.driver.extraClassPath": str(jar)}
            sides[release] = HudiSide(pyspark(cache), jar, folder, settings=settings)
        return sides[release]

    yield side
    for started in sides.values():
        started.close()


@pytest.fixture(autouse=True)
def _frequent_services_of_the_metadata_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hoodoo clean and archive the metadata table several times in a history."""
    monkeypatch.setattr(upkeep, "_SLICES", 2)
    monkeypatch.setattr(upkeep, "_COMMITS", 6)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_both_keep_the_metadata_table(form: Form, hudi: Sides, tmp_path: Path) -> None:
    history = History(random.Random(f"{form.release} {form.type_} {form.version}"))
    table = KeptTable(tmp_path, history, form, hudi)
    for number in range(1, TURNS[form.creator] + 1):
        # hoodoo writes more often, so that it compacts the metadata table
        table.write("hudi" if number % 3 == (1 if form.creator == "hudi" else 0) else "hoodoo")
        table.check()
        if number > 1 or form.creator != "hoodoo late":
            table.check_by_hudi()
    assert form.creator != "hudi" or {"commit", "clean"} <= table.actions


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_short_histories(form: Form, seed: int, hudi: Sides, tmp_path: Path) -> None:
    """After the creator, let random writers take turns, and kill hoodoo in some; Hudi writes last and then reads."""
    chance = random.Random(f"{form} {seed}")
    table = KeptTable(tmp_path, History(chance), form, hudi)
    table.write("hudi" if form.creator == "hudi" else "hoodoo")
    table.check()
    for _ in range(SHORT - 2):
        turn = chance.choice(["hudi", "hoodoo", "hoodoo", "killed"])
        if turn == "killed":
            table.killed_write(chance.randint(1, CHANGES))
        else:
            table.write("hudi" if turn == "hudi" else "hoodoo")
            table.check()
    table.write("hudi")
    table.check()
    table.check_by_hudi()
