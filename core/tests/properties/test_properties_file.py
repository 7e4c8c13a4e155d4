"""hoodie.properties: its text, its meaning, and changes that are atomic for readers."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import CorruptTableError, NotATable, StorageError, TableExists, UnsupportedTable
from hoodoo.properties import (
    NewKeys,
    NewRule,
    NewTable,
    TableProperties,
    create_properties,
    dump_properties,
    load_properties,
    new_table_properties,
    parse_properties,
    table_checksum,
    update_properties,
)
from hoodoo.record import KeyConfig
from hoodoo.storage import AlreadyExists, LocalStorage

MAIN = ".hoodie/hoodie.properties"
BACKUP = MAIN + ".backup"


def entries(**changes):
    schema = pa.schema([pa.field("id", pa.int32()), pa.field("city", pa.string())])
    made = new_table_properties(
        NewTable("trips", schema),
        NewKeys(KeyConfig(("id",), ("city",)), "org.apache.hudi.keygen.SimpleKeyGenerator"),
        NewRule(("ts",)),
        {"hoodoo.payload": "event-time"},
    )
    return {**made, **changes}


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text()))
def test_any_text_round_trips(expected):
    expected = {
        key: value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for key, value in expected.items()
    }
    assert parse_properties(dump_properties(expected, ["a comment"])) == expected


def test_what_java_writes_and_takes():
    text = (
        b"#Properties saved\n!other comment\n\n"
        b'a.b={"type"\\:"record"}\n'
        b"plain = with blanks  \n"
        b"colon:value\n"
        b"blank value\n"
        b"long=one\\\n   two\n"
        b"unicode=\\u00e9\\uD83D\\uDE00\n"
        b"key\\ with\\=all=x\n"
        b"empty=\nnone\n"
        b"format=yyyy-MM-dd'T'HH\\:mm\n"
        b"back=c\\\\d\\te\n"
    )
    assert parse_properties(text) == {
        "a.b": '{"type":"record"}',
        "plain": "with blanks  ",
        "colon": "value",
        "blank": "value",
        "long": "onetwo",
        "unicode": "é😀",
        "key with=all": "x",
        "empty": "",
        "none": "",
        "format": "yyyy-MM-dd'T'HH:mm",
        "back": "c\\d\te",
    }
    with pytest.raises(ValueError, match="escape"):
        parse_properties(b"a=\\u12")


def test_dumped_as_java_escapes():
    assert dump_properties({"k": "a:b=c #é😀 d", "s": " x"}) == b"k=a\\:b\\=c \\#\\u00E9\\uD83D\\uDE00 d\ns=\\ x\n"


def test_checksums_of_real_tables():
    assert table_checksum("v6_nonpartitioned", "default") == "1363530505"
    assert table_checksum("v6_complexkeygen_hivestyle", "default") == "281415413"


def test_a_new_table_has_all_that_readers_and_writers_look_for(storage):
    create_properties(storage, entries())
    properties = load_properties(storage)
    assert properties.name == "trips"
    assert properties.version == 6
    assert properties.layout_version == 1
    assert properties.table_type == "COPY_ON_WRITE"
    assert properties.record_key == ("id",)
    assert properties.partition_by == ("city",)
    assert properties.ordering == ("ts",)
    assert properties.keygen == "org.apache.hudi.keygen.SimpleKeyGenerator"
    assert properties.timezone == "UTC"
    assert properties.populate_meta_fields
    assert not properties.hive_style
    assert properties.metadata_partitions == ()
    assert properties.under("hoodoo.") == {"payload": "event-time"}
    assert '{"name":"id","type":["int","null"]}' in (properties.create_schema or "")
    assert dict(properties) == entries()


def test_creating_twice_is_refused(storage):
    create_properties(storage, entries())
    with pytest.raises(TableExists):
        create_properties(storage, entries(**{"hoodie.table.name": "trips"}))


def test_no_table(storage):
    with pytest.raises(NotATable, match="no Hudi table at file:"):
        load_properties(storage)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hoodie.table.version": "5"}, r"version 5 .*supported versions: 6 \(layout 1\), 8 \(layout 2\), 9"),
        ({"hoodie.table.version": "7"}, "version 7"),
        ({"hoodie.table.version": "10", "hoodie.timeline.layout.version": "2"}, "version 10"),
        ({"hoodie.timeline.layout.version": "2"}, "version 6 with timeline layout 2"),
        ({"hoodie.table.version": "9"}, "version 9 with timeline layout 1"),
        ({"hoodie.table.base.file.format": "ORC"}, "ORC"),
        (
            {
                "hoodie.table.base.file.format": "HFILE",
                "hoodie.table.name": "trips_metadata",
                "hoodie.table.checksum": str(table_checksum("trips_metadata", "")),
            },
            "metadata table of table 'trips'.*read the table itself",
        ),
    ],
)
def test_unsupported_tables_say_what_is_supported(storage, changes, message):
    storage.create(MAIN, dump_properties(entries(**changes)))
    with pytest.raises(UnsupportedTable, match=message):
        load_properties(storage)


@pytest.mark.parametrize("version", ["8", "9"])
def test_later_versions_are_read(storage, version):
    later = {"hoodie.table.version": version, "hoodie.timeline.layout.version": "2"}
    storage.create(MAIN, dump_properties(entries(**later)))
    properties = load_properties(storage)
    assert (properties.version, properties.layout_version) == (int(version), 2)


@pytest.mark.parametrize(
    ("changes", "folders"),
    [
        ({}, (".hoodie", ".hoodie/archived")),
        ({"hoodie.archivelog.folder": ""}, (".hoodie", ".hoodie")),
        ({"hoodie.archivelog.folder": "old"}, (".hoodie", ".hoodie/old")),
        ({"hoodie.timeline.layout.version": "2"}, (".hoodie/timeline", ".hoodie/timeline/history")),
        (
            {
                "hoodie.timeline.layout.version": "2",
                "hoodie.timeline.path": "tl",
                "hoodie.timeline.history.path": "arch/h",
            },
            (".hoodie/tl", ".hoodie/tl/arch/h"),
        ),
    ],
)
def test_the_folder_of_the_timeline(changes, folders):
    properties = TableProperties(entries(**changes))
    assert (properties.timeline_folder, properties.archive_folder) == folders


def test_a_timeline_outside_the_table_is_refused():
    hostile = {"hoodie.timeline.layout.version": "2", "hoodie.timeline.path": "../../elsewhere"}
    with pytest.raises(CorruptTableError, match=r"hoodie\.timeline\.path.*inside the table"):
        _ = TableProperties(entries(**hostile)).timeline_folder


@pytest.mark.parametrize(
    "body",
    [
        b"",
        dump_properties(entries(**{"hoodie.table.checksum": "1"})),
        dump_properties(entries(**{"hoodie.table.version": "six"})),
        dump_properties(entries(**{"hoodie.table.type": "OTHER"})),
        dump_properties(entries())[:40],
    ],
)
def test_damage_is_named_and_the_backup_is_used(storage, body):
    storage.create(MAIN, body)
    with pytest.raises(CorruptTableError, match=r"hoodie\.properties") as caught:
        load_properties(storage)
    assert caught.value.file == MAIN
    storage.create(BACKUP, dump_properties(entries()))
    assert load_properties(storage).name == "trips"


def test_a_missing_checksum_is_accepted(storage):
    made = entries()
    del made["hoodie.table.checksum"]
    storage.create(MAIN, dump_properties(made))
    assert load_properties(storage).checksum is None


def test_update_changes_and_removes(storage):
    create_properties(storage, entries(**{"hoodie.table.metadata.partitions": "files"}))
    updated = update_properties(storage, {"hoodoo.x": "ü"}, ["hoodie.table.metadata.partitions"])
    assert dict(load_properties(storage)) == dict(updated) == entries(**{"hoodoo.x": "ü"})
    assert not storage.exists(BACKUP)


def test_an_update_may_fail_at_every_step(tmp_path):
    """Readers see the old or the new entries whichever step failed, and the next update succeeds."""
    before, after = entries(), entries(**{"hoodoo.x": "1"})
    for number in range(1, 20):
        storage = LocalStorage(str(tmp_path / str(number)))
        create_properties(storage, before)
        try:
            update_properties(FailsAt(storage, number), {"hoodoo.x": "1"})
        except StorageError:
            assert dict(load_properties(storage)) in (before, after)
            update_properties(storage, {"hoodoo.x": "1"})
            assert dict(load_properties(storage)) == after
            assert not storage.exists(BACKUP)
        else:
            assert number > 5
            return
    pytest.fail("the update never went through")


class FailsAt:
    """Storage whose n-th call and all later ones fail."""

    def __init__(self, storage, number):
        self._storage = storage
        self._left = number

    @property
    def uri(self):
        return self._storage.uri

    def __getattr__(self, name):
        def call(*args, **kwargs):
            self._left -= 1
            if self._left <= 0:
                raise StorageError("injected")
            return getattr(self._storage, name)(*args, **kwargs)

        return call


def test_properties_are_a_mapping():
    properties = TableProperties({"a": "1"})
    assert properties["a"] == "1"
    assert list(properties) == ["a"]
    assert len(properties) == 1
    assert properties.get("b") is None


def test_a_lost_answer_to_the_creation_is_not_a_failure(tmp_path):
    class Lossy(LocalStorage):
        def create(self, path, body):
            super().create(path, body)
            raise AlreadyExists(f"create '{path}': tried twice")

    assert create_properties(Lossy(str(tmp_path)), entries()) == load_properties(LocalStorage(str(tmp_path)))
    with pytest.raises(TableExists):
        create_properties(Lossy(str(tmp_path)), entries())


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        (
            {"merge_mode": "EVENT_TIME_ORDERING"},
            {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"},
        ),
        (
            {"merge_mode": "COMMIT_TIME_ORDERING", "payload_class": "p.X"},
            {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING", "hoodie.table.legacy.payload.class": "p.X"},
        ),
        (
            {"merge_mode": "CUSTOM", "payload_class": "p.X", "strategy_id": "s"},
            {
                "hoodie.record.merge.mode": "CUSTOM",
                "hoodie.compaction.payload.class": "p.X",
                "hoodie.record.merge.strategy.id": "s",
            },
        ),
    ],
)
def test_a_table_of_version_9_has_the_entries_of_a_table_of_hudi(merge, expected):
    made = new_table_properties(
        NewTable("t", pa.schema([pa.field("id", pa.int32())]), version=9),
        NewKeys(KeyConfig(("id",), ("region",)), "org.apache.hudi.keygen.SimpleKeyGenerator"),
        NewRule(("ts",), **merge),
    )
    TableProperties(made).check()
    merging = {key: value for key, value in made.items() if "merge" in key or "payload" in key}
    assert merging == expected
    fixed = {
        "hoodie.archivelog.folder": "archived",
        "hoodie.datasource.write.drop.partition.columns": "false",
        "hoodie.table.format": "native",
        "hoodie.table.initial.version": "9",
        "hoodie.table.keygenerator.type": "SIMPLE",
        "hoodie.table.ordering.fields": "ts",
        "hoodie.table.partition.fields": "region",
        "hoodie.table.recordkey.fields": "id",
        "hoodie.table.version": "9",
        "hoodie.timeline.history.path": "history",
        "hoodie.timeline.layout.version": "2",
        "hoodie.timeline.path": "timeline",
    }
    assert made.items() >= fixed.items()
    assert not {"hoodie.table.keygenerator.class", "hoodie.table.precombine.field"} & made.keys()


def test_a_key_generator_that_is_not_hudis_keeps_its_class_in_version_9():
    made = new_table_properties(NewTable("t", pa.schema([]), version=9), NewKeys(KeyConfig(("id",)), "a.B"))
    assert made["hoodie.table.keygenerator.type"] == "USER_PROVIDED"
    assert made["hoodie.table.keygenerator.class"] == "a.B"
