"""Fixtures: a table for bad input, and checks of it afterwards."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pytest
from attrs import define

import hoodoo
from hoodoo.errors import HoodooError, NotATable
from hoodoo.plugin import default_catalogue
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import Timeline

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[3] / "shared")
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
ROWS = pa.table({"id": ["a", "b", "c"], "part": ["x", "x", "y"], "ts": [1, 2, 3], "v": ["1", "2", "3"]})


@define
class Place:
    """Path of a table that may not exist yet. Options of a write update `OPTIONS`, and None drops an option."""

    path: Path

    def rows_with(self, **columns: Any) -> pa.Table:
        """Return the usual rows with some columns replaced, added, or dropped (None)."""
        merged = {name: ROWS.column(name) for name in ROWS.column_names} | columns
        return pa.table({name: values for name, values in merged.items() if values is not None})

    def write(self, rows: pa.Table = ROWS, mode: str = "append", **options: Any) -> hoodoo.Commit:
        """Write rows in this process, and return the commit."""
        return write_arrow(rows, self.path, self.options(options), mode)

    def options(self, given: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return the usual options updated by others; None drops an option."""
        return {key: value for key, value in {**OPTIONS, **given}.items() if value is not None}

    def files(self) -> dict[str, bytes | None]:
        """Return the content of all files by path; None for folders."""
        found = sorted(self.path.rglob("*")) if self.path.is_dir() else []
        return {str(file.relative_to(self.path)): file.read_bytes() if file.is_file() else None for file in found}

    def rows(self) -> list[dict[str, Any]] | None:
        """Return the table's rows without meta columns, ordered by their `repr`; None without a table."""
        try:
            rows = hoodoo.Table(self.path).to_arrow()
        except NotATable:
            return None
        return sorted(rows.drop_columns(list(META_COLUMNS)).to_pylist(), key=repr)

    def rows_like(self, rows: list[dict[str, Any]]) -> pa.Table:
        """Return rows with the types of the table."""
        return pa.Table.from_pylist(rows, schema=hoodoo.Table(self.path).schema)

    def check_tidy(self) -> None:
        """Raise if there is an uncommitted Parquet file, pending instant, marker, heartbeat, lock or temporary file."""
        storage = storage_for(self.path)
        table = (self.path / ".hoodie" / "hoodie.properties").exists()
        timeline = hoodoo.Table(self.path).timeline if table else Timeline.load(storage)
        assert timeline.pending == ()
        named = {stat.path for commit in timeline.commits for stat in timeline.commit_metadata(commit).stats()}
        assert {file for file in self.files() if file.endswith(".parquet")} <= named
        for folder in (".temp", ".heartbeat"):
            assert list((self.path / ".hoodie" / folder).glob("**/*")) == []
        assert [file for file in self.files() if file.endswith(".tmp")] == []
        if (self.path / ".hoodie").exists():
            lock = storage.try_lock(".hoodie/.hoodoo.lock")
            assert lock is not None, "the table's lock is still held"
            lock.release()


@define
class Refusals:
    """Runner of calls that must fail, with checks of the error and of the table afterwards.

    In its methods `code` is the code of the error, and `words` are parts of the message; the methods return the error.
    """

    place: Place

    def early(self, kind: type[HoodooError], code: str, *words: str, write: Callable[[], Any]) -> HoodooError:
        """Check that a call raises before anything is written: not one byte has changed."""
        existed, before = self.place.path.exists(), self.place.files()
        error = _raised(kind, code, words, write)
        assert self.place.files() == before
        assert self.place.path.exists() == existed
        return error

    def late(
        self,
        kind: type[HoodooError],
        code: str,
        *words: str,
        write: Callable[[], Any],
        good: Callable[[], Any] | None = None,
    ) -> HoodooError:
        """Check an error in rows: the table keeps its rows, nothing of the write remains, and a good write succeeds."""
        before = self.place.rows()
        error = _raised(kind, code, words, write)
        assert self.place.rows() == before
        self.place.check_tidy()
        if before is None:
            assert [file for file, content in self.place.files().items() if content is not None] == []
        (good or self.place.write)()
        assert self.place.rows()
        self.place.check_tidy()
        return error


def _raised(kind: type[HoodooError], code: str, words: tuple[str, ...], write: Callable[[], Any]) -> HoodooError:
    with pytest.raises(HoodooError) as caught:
        write()
    error = caught.value
    assert (type(error), error.code) == (kind, code), str(error)
    missing = [word for word in words if word not in str(error)]
    assert not missing, f"{missing} not in: {error}"
    return error


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a path without a table."""
    return Place(tmp_path / "table")


@pytest.fixture
def refuses(place: Place) -> Refusals:
    """Return a runner of calls that must fail."""
    return Refusals(place)


@pytest.fixture(params=["new", "existing"])
def either(request: pytest.FixtureRequest, place: Place) -> Place:
    """Return a path without a table, or with one."""
    if request.param == "existing":
        place.write()
    return place


@pytest.fixture
def real_place(real_table: Callable[[str], Path]) -> Callable[[str], Place]:
    """Return a function that unpacks a table that Apache Hudi wrote, by its name."""
    return lambda name: Place(real_table(name))


@define
class Site:
    """Folder with distributions as an installer creates them, on `sys.path`."""

    path: Path

    def install(self, family: str, plugin: str, body: str, version: str = "1.5") -> None:
        """Write or replace the distribution `acme-<plugin>`: metadata, and one module with the class `Plugin`."""
        self.forget()
        module = f"acme_{plugin.replace('-', '_')}"
        info = self.path / f"{module}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{plugin}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[hoodoo.{family}]\n{plugin} = {module}\n")
        hook = "hoodoo_delete_rule" if family == "delete" else f"hoodoo_{family}"
        source = f"{_IMPORTS}\n{dedent(body)}\n\n@hookimpl\ndef {hook}():\n    return Plugin\n"
        (self.path / f"{module}.py").write_text(source)
        importlib.invalidate_caches()

    def forget(self) -> None:
        """Remove the modules of this folder from the process."""
        for name in [name for name in sys.modules if (self.path / f"{name}.py").exists()]:
            del sys.modules[name]
        importlib.invalidate_caches()
        default_catalogue.cache_clear()


_IMPORTS = """
import numpy as np
import pyarrow as pa
from attrs import frozen
from hoodoo.errors import DataError, SchemaError
from hoodoo.plugin import RowMerger, RowPayload, hookimpl, option
from hoodoo.record import Choice, Outcome
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Return an empty folder for distributions."""
    path = tmp_path / "site"
    path.mkdir()
    monkeypatch.syspath_prepend(str(path))
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    default_catalogue.cache_clear()
    installed = Site(path)
    yield installed
    installed.forget()
