"""Change logs: their three forms, and damage."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.reading.changes.change_log import logged_changes
from hoodoo.storage import storage_for

from .conftest import SCHEMA, change_block, write_log

OLD, NEW = {"id": "a", "p": "x", "ts": 1, "v": "1"}, {"id": "a", "p": "x", "ts": 2, "v": "2"}


@pytest.fixture
def read(tmp_path):
    """Return a function that writes rows as a change log of instant 1, and returns its changes."""

    def run(rows, instant="1", schema=SCHEMA, from_path=None, image=SCHEMA):
        write_log(tmp_path, "log.cdc", change_block("1", rows, image))
        return list(logged_changes(storage_for(tmp_path), ["log.cdc"], instant, schema, from_path or {}))

    return run


def test_a_log_of_both_images(read):
    updated, inserted = ({"op": op, "ts_ms": "1", "before": old, "after": NEW} for op, old in (("u", OLD), ("i", None)))
    [found] = read([updated, inserted])
    assert found.operations.to_pylist() == ["u", "i"]
    assert found.keys is None
    assert found.before.to_pylist() == [OLD, None]
    assert found.after.to_pylist() == [NEW, NEW]


def test_logs_without_images(read):
    [found] = read([{"op": "u", "record_key": "a", "before": OLD}])
    assert (found.keys.to_pylist(), found.before.to_pylist(), found.after) == (["a"], [OLD], None)
    [found] = read([{"op": "d", "record_key": "a"}])
    assert (found.operations.to_pylist(), found.keys.to_pylist(), found.before) == (["d"], ["a"], None)


def test_images_have_the_columns_of_the_table(read):
    rows = [{"op": "u", "ts_ms": "1", "before": OLD, "after": NEW}]
    wider = pa.schema([("id", pa.string()), ("ts", pa.float64()), ("later", pa.int32()), ("p", pa.string())])
    [found] = read(rows, schema=wider, from_path={"p": "of the path"})
    assert found.before.to_pylist() == [{"id": "a", "ts": 1.0, "later": None, "p": "of the path"}]


def test_blocks_of_another_instant_are_left_out(read):
    assert read([{"op": "d", "record_key": "a"}], instant="2") == []


def test_other_columns_are_damage(read):
    with pytest.raises(CorruptTableError, match="which are not those of a change log"):
        read([{"op": "d", "other": "a"}])


def test_damage_is_named(tmp_path):
    write_log(tmp_path, "log.cdc", change_block("1", [{"op": "d", "record_key": "a"}]))
    file = tmp_path / "log.cdc"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(CorruptTableError, match=r"change log 'log.cdc' is damaged at byte 0"):
        list(logged_changes(storage_for(tmp_path), ["log.cdc"], "1", SCHEMA, {}))
    with pytest.raises(CorruptTableError, match="gone"):
        list(logged_changes(storage_for(tmp_path), ["none.cdc"], "1", SCHEMA, {}))
