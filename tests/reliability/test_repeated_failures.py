"""A compaction that dies repeatedly, each time a little later, and succeeds in the end."""

from __future__ import annotations

import pytest

import hoodoo

from .faults import Faulty, Killed
from .leftovers import check_nothing_is_left
from .operations import KINDS, NO_SERVICES, _clean, _compact, prepared, read, write

pytestmark = pytest.mark.slow

MERGE_ON_READ = [name for name, kind in KINDS.items() if kind.type == "MERGE_ON_READ"]
LIMIT = 400
STEP = 4


@pytest.mark.parametrize("kind", MERGE_ON_READ)
def test_a_compaction_that_dies_again_and_again_loses_no_row(kind: str) -> None:
    files, rows = prepared(KINDS[kind])
    deaths = 0
    for number in range(1, LIMIT, STEP):
        actor = Faulty(files, number, "kill after" if deaths % 2 else "kill before")
        failure = actor.run(lambda: _compact(files, KINDS[kind]))
        assert read(files) == rows, f"call {number}: {actor.hit}"
        if failure is None:
            break
        assert isinstance(failure, Killed), repr(failure)
        deaths += 1
    assert deaths > 5
    assert not any(file_slice.logs for file_slice in hoodoo.Table(files.uri).file_slices())
    write(files, KINDS[kind], {"z1": ("z", 1)}, **NO_SERVICES)
    _clean(files, KINDS[kind])
    assert read(files) == rows | {"z1": ("z", 1)}
    check_nothing_is_left(files)
