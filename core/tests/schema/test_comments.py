"""Comments of columns: by path, in Arrow, Avro and the ids of columns."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_encode import from_avro, to_avro
from hoodoo.schema.column_ids import ColumnIds
from hoodoo.schema.comments import comments_of, with_comments

PLAIN = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        ("s", pa.struct([pa.field("f", pa.int32(), nullable=False), ("t", pa.struct([("f", pa.string())]))])),
        ("l", pa.list_(pa.struct([("f", pa.int32())]))),
        ("m", pa.map_(pa.string(), pa.struct([("f", pa.int32())]))),
        ("v", pa.string()),
    ]
)
COMMENTS = {
    "id": "the key",
    "s": "a struct",
    "s.f": "required",
    "s.t.f": "it's deep",
    "l.element.f": "ein Maß",
    "m.value.f": 'a "value"',
}
COMMENTED = with_comments(PLAIN, COMMENTS)


def test_comments_are_set_by_path_and_change_no_type() -> None:
    assert comments_of(COMMENTED) == COMMENTS
    assert comments_of(PLAIN) == {}
    assert COMMENTED == PLAIN
    assert [field.nullable for field in COMMENTED] == [field.nullable for field in PLAIN]
    assert not COMMENTED.field("s").type.field("f").nullable
    changed = with_comments(COMMENTED, {"s.f": "other", "v": "new", "none": "ignored", "v.f": "ignored"})
    assert comments_of(changed) == {**COMMENTS, "s.f": "other", "v": "new"}


@pytest.mark.parametrize("null_first", [True, False])
def test_comments_are_the_doc_of_avro_fields(null_first: bool) -> None:
    text = to_avro(COMMENTED, "t", null_first=null_first)
    documents = {field["name"]: field.get("doc") for field in json.loads(text)["fields"]}
    assert documents == {"id": "the key", "s": "a struct", "l": None, "m": None, "v": None}
    assert comments_of(from_avro(text)) == COMMENTS
    assert "doc" not in to_avro(PLAIN, "t", null_first=null_first)


def test_an_empty_comment_is_stored_and_read_as_none() -> None:
    text = to_avro(with_comments(COMMENTED, {"id": "", "s.f": ""}), "t")
    assert text.count('"doc":""') == 2
    assert comments_of(from_avro(text)) == {path: text for path, text in COMMENTS.items() if path not in ("id", "s.f")}


def test_a_comment_that_is_not_text_names_the_column() -> None:
    with pytest.raises(SchemaError, match="comment '\ufffd' of column 'v' is not UTF-8"):
        comments_of(pa.schema([pa.field("v", pa.string(), metadata={"comment": b"\xff"})]))


def test_ids_of_columns_have_the_comments_of_the_newest_schema() -> None:
    first = ColumnIds.of_avro(to_avro(COMMENTED, "t"))
    assert [field.get("doc") for field in first.document["fields"][5:]] == ["the key", "a struct", None, None, None]

    assert first.evolved(to_avro(PLAIN, "t"), 1) is first, "a schema without comments keeps them"
    second = first.evolved(to_avro(with_comments(COMMENTED, {"s.t.f": "other", "v": "new"}), "t"), 2)
    assert second.by_name == first.by_name
    assert second.document["fields"][9]["doc"] == "new"
    assert second.text == first.text.replace("it's deep", "other").replace(
        '"name":"v","optional":true,"type":"string"', '"name":"v","optional":true,"type":"string","doc":"new"'
    ).replace('"version_id":0', '"version_id":2')
