"""Changes of the table's properties while the store fails: readers find the old or the new ones."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import HoodooError
from hoodoo.properties import (
    NewKeys,
    NewTable,
    create_properties,
    load_properties,
    new_table_properties,
    update_properties,
)
from hoodoo.record import KeyConfig

from .memory import FaultyStorage, MemoryStorage

pytestmark = pytest.mark.slow

ENTRIES = new_table_properties(
    NewTable("t", pa.schema([("id", pa.int64())])),
    NewKeys(KeyConfig(record_key=("id",)), "org.apache.hudi.keygen.NonpartitionedKeyGenerator"),
    extra={"hoodie.table.metadata.partitions": "files"},
)
UPDATED = {key: value for key, value in ENTRIES.items() if "metadata.partitions" not in key} | {"hoodoo.x": "y"}
LIMIT = 30


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("fault", ["before", "after", "twice"])
def test_every_call_of_an_update(fault, dead):
    for number in range(1, LIMIT):
        storage = MemoryStorage()
        create_properties(storage, ENTRIES)
        faulty = FaultyStorage(storage, number, fault, dead=dead)
        try:
            update_properties(faulty, {"hoodoo.x": "y"}, ["hoodie.table.metadata.partitions"])
        except HoodooError:
            assert dict(load_properties(storage)) in (ENTRIES, UPDATED), faulty.hit
        else:
            assert dict(load_properties(storage)) == UPDATED, faulty.hit
        assert dict(update_properties(storage, {"hoodoo.z": "1"})).items() >= {"hoodoo.z": "1"}.items()
        found = dict(load_properties(storage))
        assert found in (ENTRIES | {"hoodoo.z": "1"}, UPDATED | {"hoodoo.z": "1"}), faulty.hit
        assert not storage.exists(".hoodie/hoodie.properties.backup")
        if not faulty.hit:
            assert number > 5
            return
    pytest.fail(f"an update makes more than {LIMIT} calls")
