"""Locations of tables for Spark's own readers."""

from __future__ import annotations

import pytest

from hoodoo.spark.scan.scan_source import ScanSource, as_path, escaped, local_root, names_in
from hoodoo.storage import CachedListingStorage, LocalStorage, storage_for


def test_special_characters_of_a_path_are_escaped():
    assert escaped("a{1},[2]*?^\\") == "a\\{1\\}\\,\\[2\\]\\*\\?\\^\\\\"
    root = local_root(LocalStorage("/t/{a}"))
    assert as_path(root, "p=[1]/f%20 g.parquet") == "file:///t/\\{a\\}/p=\\[1\\]/f%20 g.parquet"
    assert as_path(local_root(LocalStorage("/t")), "") == "file:///t"
    assert as_path("s3a://bucket/a b@c", "d") == "s3a://bucket/a b@c/d"


def objects(name):
    storage = storage_for(f"memory://{name}/t")
    storage.create("p/a.parquet", b"1")
    storage.create("p/q/b.parquet", b"2")
    return storage


def test_names_are_those_of_the_folder_now(tmp_path):
    pytest.importorskip("obstore")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.parquet").touch()
    for storage in (LocalStorage(str(tmp_path)), objects("names")):
        cached = CachedListingStorage(storage)
        assert "p/a.parquet" in cached.files
        storage.create("p/c.parquet", b"3")
        assert names_in(storage, "p") == names_in(cached.base, "p") == {"a.parquet", "c.parquet"}


def test_options_with_secrets_are_not_shown(tmp_path):
    source = ScanSource(CachedListingStorage(LocalStorage(str(tmp_path))), "s3a://b/t", {"fs.s3a.secret.key": "vErY"})
    assert "vErY" not in repr(source)
    assert source.is_local
