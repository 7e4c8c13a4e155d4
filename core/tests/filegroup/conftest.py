from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from hoodoo.storage import storage_for

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[4] / "shared")


@pytest.fixture(scope="session")
def real_table(tmp_path_factory):
    """Unzip a table that Apache Hudi wrote; its storage, and the path of its expected rows."""
    if not (SHARED / "data" / "tables").is_dir():
        pytest.skip(f"no real tables at {SHARED}; set HOODOO_SHARED to the folder that holds data/tables")

    def unzip(name):
        folder = tmp_path_factory.mktemp(name)
        with zipfile.ZipFile(SHARED / "data" / "tables" / f"{name}.zip") as archive:
            archive.extractall(folder)
        (root,) = (path.parent.parent for path in folder.glob("*/.hoodie/hoodie.properties"))
        return storage_for(root), SHARED / "data" / "expected" / f"{name}.snapshot.parquet"

    return unzip
