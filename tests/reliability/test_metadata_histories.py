"""Generated histories of operations on a table with a metadata table, in which writers fail or are killed."""

from __future__ import annotations

import os
import random
import warnings

import pytest

from .faults import MODES, Faulty
from .metadata_tables import add_metadata_table, check_metadata_table, metadata_table
from .operations import KINDS, OPERATIONS, SERVICES, prepared, write
from .test_every_call import LAST

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

HISTORIES = int(os.environ.get("HOODOO_METADATA_HISTORIES", "20"))
STEPS = 10
FAILING = 0.4
MOST_CALLS = 160

NAMES = sorted(OPERATIONS.keys() - {"create", "metadata table"})


@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_the_metadata_table_has_the_files_of_the_table(seed: int) -> None:
    chance = random.Random(f"metadata {seed}")
    kind = chance.choice(list(KINDS.values()))
    files, _ = prepared(kind)
    add_metadata_table(files)
    done = [kind.name]
    for _ in range(STEPS):
        name = chance.choice(NAMES)
        number = chance.randint(1, MOST_CALLS) if chance.random() < FAILING else 0
        mode = chance.choice(MODES)
        done.append(f"{name}, call {number} {mode}" if number else name)
        with warnings.catch_warnings():
            # services that fail
            warnings.simplefilter("ignore")
            Faulty(files, number, mode).run(lambda name=name: OPERATIONS[name].run(files, kind))
        try:
            check_metadata_table(files, exactly=False)
        except AssertionError as error:
            raise AssertionError("\n".join(done)) from error
    for _ in range(2):
        write(files, kind, LAST, **SERVICES)
    check_metadata_table(files, exactly=True)
    assert metadata_table(files).metadata.pending == (), done
