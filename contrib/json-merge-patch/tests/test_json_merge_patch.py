"""The merger `json-merge-patch`: newer versions patch the documents of older ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError
from hoodoo.testing import Difference, MergerSuite, Path
from hoodoo.testing.differences import DELETE, LATE, SEVERAL

PATCHES = [
    # target, patch and result: the examples in appendix A of RFC 7396
    ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
    ('{"a":"b"}', '{"a":null}', "{}"),
    ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
    ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
    ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
    ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
    ('["a","b"]', '["c","d"]', '["c","d"]'),
    ('{"a":"b"}', '["c"]', '["c"]'),
    ('{"a":"foo"}', "null", "null"),
    ('{"a":"foo"}', '"bar"', '"bar"'),
    ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
    ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
    ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
]
OPTIONS = {"merger": "json-merge-patch", "merger_options": {"columns": "doc"}, "ordering": "ts"}
Table = Callable[..., Any]
GROUPED = (
    "a document that is whole where versions meet one by one is a patch where they meet before what is stored: what "
    "was before a delete, or before a value that is no object, is in it again"
)
FORGOTTEN = "copy-on-write storage keeps no tombstone: a version that would lose to the delete is inserted"
DIFFERENCES = [
    *(
        Difference("merger", "json-merge-patch", path, frozenset({SEVERAL}), GROUPED)
        for path in (Path.BATCH, Path.LOG, Path.COMPACTED)
    ),
    Difference("merger", "json-merge-patch", Path.COMMITS, frozenset({DELETE, LATE}), FORGOTTEN),
]


class TestJsonMergePatch(MergerSuite):
    plugin = "json-merge-patch"
    options: ClassVar = {"columns": ["doc"]}
    columns: ClassVar = {"doc": "string", "v": "string"}
    differences: ClassVar = DIFFERENCES
    values: ClassVar = {"doc": [None, '{"a":1}', '{"a":{"b":null}}', '{"a":{"c":[1]},"b":"é"}', "[]"]}


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return value


def row(ts: int, doc: str | None, **columns: Any) -> dict[str, Any]:
    return {"id": "1", "ts": ts, "doc": doc, **columns}


@pytest.fixture(params=["COPY_ON_WRITE", "MERGE_ON_READ"])
def table(request: pytest.FixtureRequest, hoodoo_table: Table) -> Any:
    return hoodoo_table(**OPTIONS, table_type=request.param, index="bucket", buckets=1)


def left(table: Any) -> dict[str, Any]:
    """Return the only row of the table; compact the table, and check that the row does not change."""
    [before] = table.rows()
    hoodoo.Table(table.path).compact()
    assert table.rows() == [before]
    return before


def test_the_examples_of_the_rfc(hoodoo_table: Table) -> None:
    """The documents agree except for members that are null, because removed members stay as null."""
    table = hoodoo_table(**OPTIONS)
    for place in (0, 1):
        table.write([{"id": f"{n:02}", "ts": place, "doc": documents[place]} for n, documents in enumerate(PATCHES)])

    for (_, _, expected), found in zip(PATCHES, table.rows(), strict=True):
        assert without_nulls(json.loads(found["doc"])) == without_nulls(json.loads(expected))


def test_patches_of_one_batch_and_of_many(table: Any) -> None:
    """A member that the stored row has, and that patches of one batch set and then remove, is null."""
    table.write([row(1, '{"on":true,"note":"x","net":{"ip":"é","up":true}}')])
    table.write([row(2, '{"note":"y"}'), row(3, '{"note":null,"net":{"up":false}}')])

    assert left(table)["doc"] == '{"on":true,"note":null,"net":{"ip":"é","up":false}}'


def test_a_late_patch_gives_what_nothing_newer_has(table: Any) -> None:
    table.write([row(5, '{"a":5}', v="new")])
    table.write([row(3, '{"a":3,"b":3}', v="old")])

    assert left(table) == row(5, '{"a":5,"b":3}', v="new")


def test_a_null_document_changes_nothing(table: Any) -> None:
    table.write([row(1, '{"a": 1}', v="x")])
    table.write([row(2, None, v="y"), {"id": "2", "ts": 1, "doc": "{}", "v": "z"}])

    assert table.rows()[0] == row(2, '{"a": 1}', v="y")


def test_text_that_is_no_json_names_the_record(hoodoo_table: Table) -> None:
    table = hoodoo_table(**OPTIONS)
    table.write([row(1, '{"a": 1}')])
    for text in ("{a", '{"a": NaN}'):
        with pytest.raises(DataError, match="column 'doc' of the record with key '1' is not JSON"):
            table.write([row(2, text)])
    assert table.rows() == [row(1, '{"a": 1}')]


@pytest.mark.parametrize("columns", ["", "other"])
def test_columns_have_to_be_there(columns: str, hoodoo_table: Table) -> None:
    table = hoodoo_table(**{**OPTIONS, "merger_options": {"columns": columns}})
    with pytest.raises(OptionError, match=r"at least one column|'other', which is not a column"):
        table.write([row(1, "{}")])
    assert not table.path.exists()
