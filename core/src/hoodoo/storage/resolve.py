"""Choice of the storage class for a path or URI."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from hoodoo.errors import UnsupportedTable
from hoodoo.options import storage_options
from hoodoo.storage.base import Storage
from hoodoo.storage.local import LocalStorage
from hoodoo.storage.paths import check_relative

__all__ = ["storage_for"]

_HADOOPS_AZURE = ("abfs", "abfss", "wasb", "wasbs")
OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "az", *_HADOOPS_AZURE, "memory")
_ACCOUNT = re.compile(r"[a-z0-9$][a-z0-9-]{0,62}@[a-z0-9]{3,24}(?:\.[a-z0-9-]+){2,}")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")


def storage_for(uri: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Storage:
    """Return the storage for a table's location.

    Args:
        uri: A plain path, a `pathlib.Path`, a `file:` URI, `s3://bucket/prefix` (`s3a:`, `s3n:`),
            `abfss://container@account.dfs.core.windows.net/prefix` (`abfs:`, `wasbs:`, `wasb:`),
            `az://container/prefix`, `gs://bucket/prefix` or `hdfs://namenode:8020/path`; objects at `memory://` exist
            as long as the process.
        options: A user's options; those in `StorageOptions` are used, others are ignored.

    Raises:
        UnsupportedTable: The scheme is not supported, it needs a distribution that is not installed, or the location is
            not valid for it.
        StorageError: The path in an object store or in HDFS is rejected by `check_relative`.
        OptionError: An option of an object store has an invalid value, or two keys of one option have different values.
    """
    text = os.fspath(uri)
    if not _SCHEME.match(text):
        return LocalStorage(os.path.abspath(text))
    parts = urlsplit(text)
    if parts.scheme.lower() in OBJECT_STORES:
        return _object_storage(text, parts.scheme.lower(), options or {})
    if parts.scheme.lower() == "hdfs":
        return _hdfs_storage(text)
    if parts.scheme.lower() != "file":
        raise UnsupportedTable(
            f"tables at '{parts.scheme}:' are not supported; use a local path, a file: URI, s3://bucket/prefix, "
            "gs://bucket/prefix, abfss://container@account.dfs.core.windows.net/prefix or hdfs://namenode:8020/path "
            f"(got '{_without_credentials(text)}')",
            code="storage_scheme",
        )
    if parts.netloc not in ("", "localhost"):
        raise UnsupportedTable(
            f"'{_without_credentials(text)}' has the host '{parts.netloc.rpartition('@')[2]}'; use a file: URI "
            "without a host, file:///path",
            code="storage_scheme",
        )
    # urlsplit splits at ? and #, which are ordinary characters in a local path
    path = text[len("file:") :]
    if path.startswith("//"):
        path = path[2 + len(parts.netloc) :]
    return LocalStorage(os.path.abspath(unquote(path)))


def _without_credentials(text: str) -> str:
    """Return a URI without the text before an `@` in its authority, which could be credentials."""
    authority = urlsplit(text).netloc
    return text.replace(authority, authority.rpartition("@")[2], 1)


def _hdfs_storage(text: str) -> Storage:
    authority, _, path = text.partition(":")[2].removeprefix("//").partition("/")
    if not text.partition(":")[2].startswith("//") or "@" in authority:
        # text before an @ could be credentials: do not show it
        raise UnsupportedTable(
            "the location is not valid; write hdfs://namenode:8020/path or hdfs:///path, without credentials",
            code="storage_scheme",
        )
    hdfs = _imported("hdfs.hdfs_storage", "hdfs", "hdfs-native", "hdfs")
    storage: Storage = hdfs.HdfsStorage(authority, f"/{check_relative(path.strip('/'))}")
    return storage


def _object_storage(text: str, scheme: str, options: Mapping[str, Any]) -> Storage:
    bucket, _, prefix = text.partition(":")[2].removeprefix("//").partition("/")
    if scheme in _HADOOPS_AZURE:
        if not _ACCOUNT.fullmatch(bucket):
            raise UnsupportedTable(
                f"the location is not valid; write {scheme}://container@account.dfs.core.windows.net/prefix, without "
                "credentials",
                code="storage_scheme",
            )
    elif not bucket or "@" in bucket:
        # text before an @ could be credentials: do not show it
        form = f"{scheme}://{'container' if scheme == 'az' else 'bucket'}/prefix"
        raise UnsupportedTable(
            f"the location is not valid; write {form}, without credentials",
            code="storage_scheme",
        )
    objects = _imported("object_store.object_storage", scheme, "obstore", "s3")
    storage: Storage = objects.ObjectStorage(
        scheme, bucket, check_relative(prefix.strip("/")), storage_options(options)
    )
    return storage


def _imported(module: str, scheme: str, package: str, extra: str) -> Any:
    """Import and return a module of `hoodoo.storage`; local tables do not need the package that it imports."""
    try:
        return importlib.import_module(f"hoodoo.storage.{module}")
    except ImportError as error:
        raise UnsupportedTable(
            f"tables at '{scheme}:' need the package {package} ({error}); install it on the driver and the executors: "
            f"pip install 'hoodoo-core[{extra}]'",
            code="storage_scheme",
        ) from error
