"""A rule whose `needs` does not name a column that it reads: each path has right rows, or a fault with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import PluginFault

pytestmark = pytest.mark.slow

LARGEST = """
import pyarrow.compute as pc

@frozen
class Plugin:
    laws = frozenset()
    whole_versions = {whole}
    def needs(self, schema, config):
        return {needs}
    def merge(self, older, newer, context, config):
        greater = pc.greater(newer.column({column!r}), older.column({column!r}))
        return Outcome.take_where(greater.to_numpy(zero_copy_only=False))
"""
BY_ROW = """
@frozen
class Plugin(RowMerger):
    def needs(self, schema, config):
        return {needs}
    def merge(self, older, newer, context, config):
        return newer if newer.data["v"] > older.data["v"] else older
"""
PATCHES = """
@frozen
class Plugin:
    laws = frozenset()
    def needs(self, schema, config):
        return {needs}
    def merge(self, older, newer, context, config):
        return Outcome(np.ones(len(newer), dtype=np.int8), {{"v": older.column("w")}})
"""
FORMS = {
    "a column": (LARGEST.format(whole=False, needs="{needs}", column="v"), "column 'v'", "v"),
    "a field": (LARGEST.format(whole=False, needs="{needs}", column="n.x"), "column 'n.x'", "n.x"),
    "whole versions": (LARGEST.format(whole=True, needs="{needs}", column="v"), "column 'v'", "v"),
    "by row": (BY_ROW, "column 'v'", "v"),
    "a patch": (PATCHES, "column 'v'", "v"),
}
FIRST = pa.table(
    {"id": ["a", "b"], "ts": [1, 1], "v": ["5", "5"], "n": [{"x": 5}, {"x": 5}], "w": ["p", "q"], "z": [1, 2]}
)
SECOND = FIRST.set_column(2, "v", [["9", "1"]]).set_column(3, "n", [[{"x": 9}, {"x": 1}]]).set_column(5, "z", [[3, 4]])


@pytest.fixture
def written(place, site) -> Callable[..., Callable[..., list[Any]]]:
    """Return a function that writes rows twice by a rule with some `needs`, and returns a function that reads them."""

    def written(form: str, needs: list[str], table_type: str) -> Callable[..., list[Any]]:
        site.install("merger", "largest", FORMS[form][0].format(needs=needs))
        options = {"merger": "largest", "table_type": table_type, "partition_by": None}
        place.write(FIRST, **options)
        place.write(SECOND, **options)
        return lambda *columns: sorted(
            (tuple(row.values()) for row in hoodoo.Table(place.path).to_arrow(columns=columns or None).to_pylist()),
            key=repr,
        )

    return written


@pytest.mark.parametrize("form", FORMS)
def test_a_read_of_other_columns_is_a_fault_that_names_the_column(place, written, form):
    named = FORMS[form][1]
    read = written(form, ["w"], "MERGE_ON_READ")

    with pytest.raises(PluginFault) as caught:
        read("id", "z")

    first, second, *_ = str(caught.value).splitlines()
    assert first.startswith("merger 'largest' (acme-largest 1.5)")
    assert named in first
    assert "`needs`" in first
    assert 'acme_largest.py", line ' in second
    assert "in merge; keys such as 'a', 'b' (2 in this call)" in second


@pytest.mark.parametrize("form", [form for form in FORMS if form != "a patch"])
def test_reads_of_all_columns_and_a_compaction_have_the_right_rows(place, written, form):
    """A read of all columns and a compaction read the column, whatever `needs` names."""
    read = written(form, ["w"], "MERGE_ON_READ")
    table = hoodoo.Table(place.path)

    assert read("id", "v", "n", "z") == [("a", "9", {"x": 9}, 3), ("b", "5", {"x": 5}, 2)]
    explained = table.explain("b")
    assert [result.row["v"] for trace in explained.current for result in trace.results] == ["5"]
    table.compact()
    assert read("id", "z") == [("a", 3), ("b", 2)]


@pytest.mark.parametrize("form", [form for form in FORMS if form != "a patch"])
def test_copy_on_write_and_enough_needs_have_the_right_rows(place, written, form):
    right = [("a", 3), ("b", 2)]

    assert written(form, [], "COPY_ON_WRITE")("id", "z") == right


@pytest.mark.parametrize("form", [form for form in FORMS if form != "a patch"])
def test_enough_needs_have_the_right_rows(place, written, form):
    assert written(form, [FORMS[form][2]], "MERGE_ON_READ")("id", "z") == [("a", 3), ("b", 2)]


def test_a_divided_read_is_a_fault_that_names_the_column(place, written):
    """Spark reads base rows itself, and workers read only the columns that decide."""
    written("whole versions", [], "MERGE_ON_READ")
    [split] = hoodoo.Table(place.path).plan().splits

    assert split.is_divisible
    with pytest.raises(PluginFault, match="uses column 'v' of the table, which was not read"):
        split.divided()
    assert [batch.num_rows for batch in split.read()] == [1, 1]


@pytest.mark.parametrize("needs", ["'v'", "[1]", "7", "older"])
def test_needs_that_are_no_columns_are_a_fault(place, refuses, site, needs):
    source = LARGEST.format(whole=False, needs=needs, column="v")
    site.install("merger", "largest", source)
    options = {"merger": "largest", "table_type": "MERGE_ON_READ", "partition_by": None}
    place.write(FIRST, **options)
    place.write(SECOND, **options)

    with pytest.raises(PluginFault) as caught:
        hoodoo.Table(place.path).to_arrow(columns=["id"])

    first, second, *_ = str(caught.value).splitlines()
    expected = {
        "'v'": "must return the names of columns, or None, got str; write ['v']",
        "[1]": "must return the names of columns, or None, got list",
        "7": "raised TypeError: 'int' object is not iterable",
        "older": "raised NameError: name 'older' is not defined",
    }
    assert expected[needs] in first
    assert 'acme_largest.py", line ' in second


DELETES = """
@frozen
class Plugin:
    def needs(self, schema, context):
        return {needs}
    def is_delete(self, rows, context):
        {first}
        return pc.equal(rows["v"].combine_chunks(), "gone").fill_null(False).to_numpy(zero_copy_only=False)
"""
TOLERANT = """if "v" not in rows.column_names:
            return np.zeros(rows.num_rows, dtype=bool)"""


@pytest.mark.parametrize("first", ["", TOLERANT], ids=["strict", "tolerant"])
def test_a_delete_rule_of_a_read_of_other_columns_is_a_fault_that_names_the_column(place, site, first):
    """Without the fault, a rule that accepts rows without its column would treat the deletes of a log as rows."""

    def install(needs: str) -> None:
        source = "import pyarrow.compute as pc\n" + DELETES.format(needs=needs, first=first)
        site.install("delete", "by-text", source)

    options = {"delete_rule": "by-text", "merger": "commit-time", "table_type": "MERGE_ON_READ", "partition_by": None}
    install('("v",)')
    place.write(FIRST, **options)
    place.write(SECOND, **options)
    assert hoodoo.Table(place.path).to_arrow(columns=["id", "z"]).num_rows == 2
    install("()")

    with pytest.raises(PluginFault) as caught:
        hoodoo.Table(place.path).to_arrow(columns=["id", "z"])

    first_line, second, *_ = str(caught.value).splitlines()
    assert first_line.startswith(
        "delete rule 'by-text' (acme-by-text 1.5): it uses column 'v' of the table, which was not"
    )
    assert "`needs`" in first_line
    assert 'acme_by_text.py", line ' in second
    assert "in is_delete; keys such as 'a', 'b' (2 in this call)" in second
    assert hoodoo.Table(place.path).to_arrow(columns=["id", "v"]).num_rows == 2, "the deletes are wrong"
