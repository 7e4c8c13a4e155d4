"""Damage to hoodie.properties beyond the two entries that its checksum covers, and valid changes."""

from __future__ import annotations

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.properties import dump_properties, load_properties, table_checksum
from hoodoo.storage import LocalStorage

ENTRIES = {
    "hoodie.table.name": "t",
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.table.version": "6",
    "hoodie.timeline.layout.version": "1",
    "hoodie.table.precombine.field": "ts",
    "hoodie.populate.meta.fields": "true",
    "hoodie.table.checksum": table_checksum("t"),
}
WRITTEN = dump_properties(ENTRIES, ["Properties saved on 2024-01-01T00:00:00.000Z"])


def load(tmp_path, body):
    storage = LocalStorage(str(tmp_path))
    storage.create(".hoodie/hoodie.properties", body)
    return load_properties(storage)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"precombine.field", b"precombine.gield", "looks like a damaged 'hoodie.table.precombine.field'"),
        (b"field=ts\n", b"field\xbdts\n", "looks like a damaged 'hoodie.table.precombine.field'"),
        (b"version=1\nhoodie.table.pre", b"version=1Jhoodie.table.pre", "occurs within another entry"),
        (b"fields=true", b"fields=\x10rue", "control character at byte"),
        (b"checksum=", b"checksun=", "no 'hoodie.table.checksum'"),
        (b"=ts\n", b"=ts", "occurs within another entry"),
    ],
)
def test_damage(old, new, what, tmp_path):
    assert WRITTEN.count(old) == 1
    with pytest.raises(CorruptTableError, match=what):
        load(tmp_path, WRITTEN.replace(old, new))


def test_a_value_that_is_not_a_flag(tmp_path):
    properties = load(tmp_path, WRITTEN.replace(b"fields=true", b"fields=urue"))
    with pytest.raises(CorruptTableError, match="expected true or false"):
        _ = properties.populate_meta_fields


def test_truncated_properties(tmp_path):
    with pytest.raises(CorruptTableError, match="it ends within a line"):
        load(tmp_path, WRITTEN[:-1])
    with pytest.raises(CorruptTableError, match=r"no 'hoodie\.table\.checksum'"):
        load(tmp_path / "elsewhere", WRITTEN[: WRITTEN.index(b"hoodie.table.checksum")])


@pytest.mark.parametrize(
    "body",
    [
        dump_properties({k: v for k, v in ENTRIES.items() if k != "hoodie.table.checksum"})[:-1],
        WRITTEN.replace(b"hoodie.table.precombine", b"#hoodie.table.precombine"),
        WRITTEN + b"hoodie.table.precombine.field.of.mine=x\nanother=1\n",
        WRITTEN.replace(b"=", b" = ").replace(b"\n", b"\r\n"),
    ],
    ids=["by hand", "commented out", "keys of others", "other blanks"],
)
def test_changes_that_are_not_damage(body, tmp_path):
    assert load(tmp_path, body).name == "t"
