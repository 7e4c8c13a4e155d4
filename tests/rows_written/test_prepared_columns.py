"""A rule that computes an additional column from incoming rows, which do not have it: `adds` and `prepare`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.support.installed import installed

pytestmark = pytest.mark.slow

RULE = '''
"""The newer version wins, unless its digest is that of the older one."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law, Outcome

__version__ = "1.0"


@frozen
class ByDigest:
    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def uses_ordering(self, config):
        return False

    def needs(self, schema, config):
        return ("digest",)

    def adds(self, schema, config):
        return () if "digest" in schema.names else (pa.field("digest", pa.string()),)

    def prepare(self, newer, config):
        texts = newer.column("v").to_pylist()
        return {"digest": pa.array([t and hashlib.sha256(t.encode()).hexdigest() for t in texts], pa.string())}

    def merge(self, older, newer, context, config):
        same = pc.fill_null(pc.equal(older.column("digest"), newer.column("digest")), False)
        return Outcome.take_where(newer.is_delete | ~same.to_numpy(zero_copy_only=False))


@hookimpl
def hoodoo_merger():
    return ByDigest
'''
OPTIONS = {"table_name": "t", "record_key": "id", "merger": "by-digest"}
KINDS = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 1},
    "avro logs": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 1, "log_format": "avro"},
    "version 9": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 1, "table_version": 9},
}


@pytest.fixture(autouse=True)
def by_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the rule `by-digest` as a plugin."""
    entry_points = "[hoodoo.merger]\nby-digest = by_digest_rule\n"
    with installed(tmp_path / "site", monkeypatch, "by-digest", "by_digest_rule", RULE, entry_points):
        yield


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    rows = hoodoo.Table(path).to_arrow(columns=["id", "v", "n", "digest"]).sort_by("id")
    return [tuple(row.values()) for row in rows.to_pylist()]


def digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_prepare_returns_is_stored_and_read_by_the_rule(tmp_path, kind):
    path = tmp_path / "table"

    def write(*rows: tuple[str, str | None, int], **more: Any) -> None:
        write_arrow(pa.table(dict(zip(("id", "v", "n"), zip(*rows, strict=True), strict=True))), path, options | more)

    options = {**OPTIONS, **KINDS[kind]}
    write(("a", "x", 1), ("b", "x", 1), ("c", None, 1), ("d", "x", 1))
    assert rows_of(path) == [(key, v, 1, digest(v)) for key, v in (("a", "x"), ("b", "x"), ("c", None), ("d", "x"))]

    write(("a", "x", 2), ("b", "y", 2), ("c", "z", 2))
    write_arrow(pa.table({"id": ["d"]}), path, options | {"operation": "delete"})
    expected = [("a", "x", 1, digest("x")), ("b", "y", 2, digest("y")), ("c", "z", 2, digest("z"))]
    assert rows_of(path) == expected, "row a must keep n, because its digest is the same"

    if "copy" not in kind:
        hoodoo.Table(path).compact()
        assert rows_of(path) == expected
    write(("b", "y", 3))
    assert rows_of(path) == expected
