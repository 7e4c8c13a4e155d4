"""Plugins that break their contract: the error names plugin, distribution and keys, and nothing is lost.

The plugins are distributions on `sys.path`, which the catalogue finds like installed ones.
"""

from __future__ import annotations

import sys
from textwrap import indent

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import (
    BrokenPlugin,
    OptionError,
    PluginFault,
    PluginNotAllowed,
    SchemaError,
    UnknownPlugin,
)
from hoodoo.plugin import default_catalogue

pytestmark = pytest.mark.slow

MERGER = """
@frozen
class Plugin:
    laws = frozenset()
    def merge(self, older, newer, context, config):
{body}
"""
PAYLOAD = """
@frozen
class Plugin:
    laws = frozenset()
    def pre_combine(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
    def combine_and_get_update_value(self, older, newer, context, config):
{body}
    def get_insert_value(self, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""
ROW_MERGER = """
@frozen
class Plugin(RowMerger):
    def merge(self, older, newer, context, config):
{body}
"""
ROW_PAYLOAD = """
@frozen
class Plugin(RowPayload):
    def pre_combine(self, older, newer, context, config):
        return newer
    def combine_and_get_update_value(self, older, newer, context, config):
{body}
"""
TAKE = "return Outcome.all(Choice.TAKE, len(newer))"
VECTORISED = {"merger": MERGER, "payload": PAYLOAD}
BY_ROW = {"merger": ROW_MERGER, "payload": ROW_PAYLOAD}

FAULTS = {
    "raises": ("raise ZeroDivisionError('oops')", ["raised ZeroDivisionError: oops"]),
    "returns nothing": ("return None", ["must return an Outcome, got NoneType"]),
    "too few choices": (
        "return Outcome.all(Choice.TAKE, len(newer) - 1)",
        ["one choice for each of 2 pairs", "shape (1,)"],
    ),
    "too many choices": (
        "return Outcome.all(Choice.TAKE, len(newer) + 1)",
        ["one choice for each of 2 pairs", "shape (3,)"],
    ),
    "no choice": ("return Outcome(np.full(len(newer), 7, dtype=np.int8))", ["a choice that is not a Choice"]),
    "choices of another type": ("return Outcome(np.full(len(newer), 1.0))", ["one choice for each", "float64"]),
    "patch too short": (
        "return Outcome(np.ones(len(newer), dtype=np.int8), {'v': pa.array(['x'] * (len(newer) - 1))})",
        ["patch column 'v' with 2 values, got 1 value"],
    ),
    "patch of another type": (
        "return Outcome(np.ones(len(newer), dtype=np.int8), {'v': pa.array([1] * len(newer))})",
        ["patched column 'v' with type int64; the table has string"],
    ),
    "patch of an unknown column": (
        "return Outcome(np.ones(len(newer), dtype=np.int8), {'w': pa.array([1] * len(newer))})",
        ["patched column 'w', which the table does not have"],
    ),
    "changes its rows": ("newer.rows[:] = 0\nreturn Outcome.all(Choice.TAKE, len(newer))", ["read-only"]),
    "changes ordering": ("newer.ordering.absent[:] = True\nreturn Outcome.all(Choice.TAKE, len(newer))", ["read-only"]),
}
ROW_FAULTS = {
    "raises": ("raise ZeroDivisionError('oops')", ["raised ZeroDivisionError: oops", "key '"]),
    "returns another type": ("return {'id': 'a'}", ["returned dict instead of a BufferedRecord", "key '"]),
    "sets an unknown column": ("return newer.with_data(w=1)", ["set column 'w', which the table does not have"]),
    "sets another type": ("return newer.with_data(v=1)", ["set column 'v' to a value that is not of type string"]),
    "changes a record": ("newer.key = 'z'\nreturn newer", ["FrozenInstanceError", "key '"]),
    "changes data": ("newer.data['v'] = 'z'\nreturn newer", ["TypeError", "key '"]),
    "changes nested data": ("newer.data['n']['x'] = 9\nreturn newer", ["TypeError", "key '"]),
}


def install(site, family, body, forms):
    site.install(family, "faulty", forms[family].format(body=indent(body, " " * 8)))


def upsert_fails(place, refuses, site, family, fault, forms, index):
    """Write three times: the first write calls no plugin, the second fails in it, the third has a correct one."""
    body, words = fault
    install(site, family, body, forms)
    rows = place.rows_with(n=[{"x": 1}, {"x": 2}, {"x": 3}])
    place.write(rows, **{family: "faulty"}, **index)

    def repaired():
        install(site, family, "return newer" if forms is BY_ROW else TAKE, forms)
        place.write(rows)

    return refuses.late(
        PluginFault,
        "plugin_fault",
        f"{family} 'faulty'",
        "acme-faulty 1.5",
        *words,
        write=lambda: place.write(rows),
        good=repaired,
    )


@pytest.mark.each_value
@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 1}], ids=["simple", "bucket"])
@pytest.mark.parametrize("family", VECTORISED)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_vectorised_rule_breaks_its_contract(place, refuses, site, family, fault, index):
    error = upsert_fails(place, refuses, site, family, FAULTS[fault], VECTORISED, index)

    assert "keys such as '" in str(error)


@pytest.mark.each_value
@pytest.mark.parametrize("family", BY_ROW)
@pytest.mark.parametrize("fault", ROW_FAULTS)
def test_a_rule_written_by_row_breaks_its_contract(place, refuses, site, family, fault):
    error = upsert_fails(place, refuses, site, family, ROW_FAULTS[fault], BY_ROW, {})

    assert any(f"'{key}'" in str(error) for key in "abc"), "no example key in the message"


def test_a_rule_that_fails_within_the_batch(place, refuses, site):
    install(site, "merger", FAULTS["raises"][0], VECTORISED)
    rows = place.rows_with(id=["a", "a", "c"])

    refuses.late(
        PluginFault,
        "plugin_fault",
        "merger 'faulty'",
        "acme-faulty",
        "keys such as 'a'",
        write=lambda: place.write(rows, merger="faulty"),
    )


def test_a_rule_that_fails_after_files_were_written(place, refuses, site):
    """Other file groups of the same write are finished by then; none of their files remains."""
    body = (
        "if 'c' in newer.keys.to_pylist():\n    raise ValueError('late')\nreturn Outcome.all(Choice.TAKE, len(newer))"
    )
    install(site, "merger", body, VECTORISED)
    rows = place.rows_with(part=["x", "y", "z"])
    place.write(rows, merger="faulty")
    new = rows.append_column("w", rows.column("v"))

    error = refuses.late(
        PluginFault,
        "plugin_fault",
        "'c'",
        "late",
        write=lambda: place.write(new),
        good=lambda: place.write(rows.slice(0, 2)),
    )

    assert "'a'" not in str(error)


@pytest.mark.parametrize("method", ["pre_combine", "get_insert_value"])
def test_every_part_of_a_payload_is_checked(place, refuses, site, method):
    others = dict.fromkeys(("pre_combine", "combine_and_get_update_value", "get_insert_value"), TAKE)
    bodies = others | {method: "raise KeyError('gone')"}
    methods = [
        f"    def {name}(self, *args):\n        newer = args[-3]\n        {body}\n" for name, body in bodies.items()
    ]
    site.install("payload", "faulty", "@frozen\nclass Plugin:\n    laws = frozenset()\n" + "".join(methods))
    rows = place.rows_with(id=["a", "a", "c"])

    refuses.late(
        PluginFault,
        "plugin_fault",
        "payload 'faulty'",
        "acme-faulty",
        "KeyError",
        "keys such as '",
        write=lambda: place.write(rows, payload="faulty"),
    )


def test_a_plugin_that_cannot_be_imported(place, refuses, site):
    site.install("merger", "faulty", "import no_such_module")

    refuses.early(
        BrokenPlugin,
        "broken_plugin",
        "merger 'faulty'",
        "acme-faulty 1.5",
        "no_such_module",
        write=lambda: place.write(merger="faulty"),
    )


def test_a_plugin_that_refuses_its_options(place, refuses, site):
    site.install(
        "merger",
        "faulty",
        """
        @frozen
        class Plugin:
            limit: int = option(default=1, help="At least 1.")
            laws = frozenset()
            def __attrs_post_init__(self):
                if self.limit < 1:
                    raise ValueError("limit must be at least 1")
            def merge(self, older, newer, context, config):
                return Outcome.all(Choice.TAKE, len(newer))
        """,
    )

    refuses.early(
        OptionError,
        "option",
        "merger 'faulty'",
        "acme-faulty",
        "limit must be at least 1",
        write=lambda: place.write(merger="faulty", merger_options={"limit": 0}),
    )


CHECKS = {
    "merger": "class Plugin:\n    laws = frozenset()\n    def merge(self, *args):\n        {take}\n",
    "merger, row by row": "class Plugin(RowMerger):\n    def merge(self, older, newer, *args):\n        return newer\n",
    "payload": "class Plugin:\n    laws = frozenset()\n"
    "    def pre_combine(self, *args):\n        {take}\n"
    "    combine_and_get_update_value = get_insert_value = pre_combine\n",
}
CHECK = """    def check(self, schema, config):
        if "total" not in schema.names:
            raise SchemaError(f"faulty compares 'total', and there are {schema.names} and {config.record_key}")
"""


@pytest.mark.parametrize("rule", CHECKS)
def test_a_rule_that_refuses_the_table(place, refuses, site, rule):
    """The plugin is called when the write is planned, not when two versions of a record are first merged."""
    family = rule.partition(",")[0]
    site.install(family, "faulty", CHECKS[rule].format(take="return Outcome.all(Choice.TAKE, len(args[-3]))") + CHECK)

    refuses.early(
        SchemaError, "schema", "faulty compares 'total'", "('id',)", write=lambda: place.write(**{family: "faulty"})
    )
    place.write(place.rows_with(total=[1, 2, 3]), **{family: "faulty"})
    place.write()
    place.write(operation="delete")


def test_a_check_that_breaks(place, refuses, site):
    site.install(
        "merger",
        "faulty",
        CHECKS["merger"].format(take="pass") + "    def check(self, schema, config):\n        schema.nothing\n",
    )

    refuses.early(
        PluginFault,
        "plugin_fault",
        "merger 'faulty'",
        "acme-faulty",
        "AttributeError",
        write=lambda: place.write(merger="faulty"),
    )


def test_a_plugin_that_the_allow_list_leaves_out(place, refuses, monkeypatch):
    monkeypatch.setenv("HOODOO_PLUGINS", "merger:commit-time,keygen:simple,delete:any-of,delete:builtin-flag")

    refuses.early(
        PluginNotAllowed,
        "plugin_not_allowed",
        "merger 'event-time'",
        "hoodoo-merger-event-time",
        "HOODOO_PLUGINS",
        write=place.write,
    )


def test_a_plugin_that_is_gone_since_the_plan(place, refuses, site, monkeypatch):
    """A task runs on a machine where the plugin is not installed."""
    install(site, "merger", "return Outcome.all(Choice.TAKE, len(newer))", VECTORISED)
    place.write(merger="faulty")
    spec = default_catalogue().spec("merger", "faulty", {})

    site.forget()
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(site.path)])

    with pytest.raises(UnknownPlugin) as caught:
        spec.resolve()
    for word in ("merger 'faulty'", "cannot run it", "pip install acme-faulty==1.5"):
        assert word in str(caught.value)


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_rule_written_by_row_merges_more_rows_than_are_read_at_once(place, site, table_type):
    """Stored rows are read in several batches, and the rows exceed Hudi's limit for a merge in memory."""
    site.install("merger", "sums", SUMS)
    stored, changed = 140_000, 60_000
    step = stored // changed

    def rows(numbers, value):
        keys = [f"{n:06}" for n in numbers]
        return pa.table({"id": keys, "part": ["x"] * len(keys), "ts": [value] * len(keys), "v": [value] * len(keys)})

    options = {"merger": "sums", "table_type": table_type}
    place.write(rows(range(stored), 1), **options)
    place.write(rows(range(0, changed * step, step), 10), **options)
    expected = {f"{n:06}": 1 + 10 * (n % step == 0 and n < changed * step) for n in range(stored)}

    def check():
        found = hoodoo.Table(place.path).to_arrow(columns=["id", "v"])
        assert found.num_rows == stored
        assert dict(zip(found["id"].to_pylist(), found["v"].to_pylist(), strict=True)) == expected

    check()
    if hoodoo.Table(place.path).compact() is not None:
        check()


SUMS = """
@frozen
class Plugin(RowMerger):
    def merge(self, older, newer, context, config):
        return newer.with_data(v=older.data["v"] + newer.data["v"])
"""
