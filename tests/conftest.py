"""Real Hudi tables, copies of them that a test may write to, kinds of tables, and plugins that are not installed."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

# modules that import PySpark
collect_ignore_glob = [] if find_spec("pyspark") else ["spark/*", "*/test_*spark.py"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with `tables` and `expected`: beside the checkout, or where `HOODOO_SHARED` says."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("HOODOO_SHARED", beside)) / "data"
    if not (folder / "tables").is_dir():
        pytest.skip(f"no Hudi tables in '{folder}/tables'; HOODOO_SHARED names the folder above 'data'")
    return folder


@pytest.fixture
def real_table(shared_data: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Unpacks a table by name and gives its path."""

    def unpack(name: str) -> Path:
        with zipfile.ZipFile(shared_data / "tables" / f"{name}.zip") as archive:
            members = [member for member in archive.namelist() if not member.startswith("__MACOSX/")]
            archive.extractall(tmp_path / name, members)
        # a metadata table is a table inside the table
        [properties] = (tmp_path / name).glob("*/.hoodie/hoodie.properties")
        return properties.parent.parent

    return unpack


@pytest.fixture(
    params=[
        {"table_version": version, **kind}
        for version in (6, 9)
        for kind in (
            {"table_type": "COPY_ON_WRITE"},
            {"table_type": "MERGE_ON_READ", "log_format": "parquet"},
            {"table_type": "MERGE_ON_READ", "log_format": "avro"},
        )
    ],
    ids=lambda given: "-".join(map(str, given.values())),
)
def table_kind(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Options that create a kind of table: version, type and format of its logs."""
    kind: dict[str, Any] = request.param
    return kind


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the catalogue overlook a distribution, as if it were not installed."""
    from hoodoo.plugin import catalog, default_catalogue  # some tests run where the core is not installed

    def overlook(distribution: str) -> None:
        def select(**which: str) -> list[EntryPoint]:
            return [p for p in entry_points(**which) if p.dist is None or p.dist.name != distribution]

        monkeypatch.setattr(catalog, "entry_points", lambda: SimpleNamespace(select=select))
        default_catalogue.cache_clear()

    yield overlook
    default_catalogue.cache_clear()
