"""File lists for Spark's own readers, in the form of the log of a streaming query.

If a folder has the log of a streaming query, Spark takes the files from the log: paths in any folder, sizes and times.
Spark then neither lists folders nor looks up files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from hoodoo.spark.session_conf import is_connect
from hoodoo.storage import FileInfo

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["manifest", "reads_manifests"]

_TO_ESCAPE = re.compile(r"[^\w.!~'()*,;:$&+=@/-]")


class _File(msgspec.Struct, gc=False, rename="camel"):
    """Line of the log, in the format of Spark 2.1 and later."""

    path: str
    size: int
    modification_time: int
    is_dir: bool = False
    block_replication: int = 1
    block_size: int = 32 * 1024 * 1024
    action: str = "add"


def reads_manifests(spark: SparkSession) -> bool:
    """Return whether a session can read a manifest, which two settings of the session can prevent.

    Over Connect, Spark reads the log too late: when the query runs.
    """
    if is_connect(spark):
        return False
    is_ignored = spark.conf.get("spark.sql.streaming.fileStreamSink.ignoreMetadata") == "true"
    # with this interval, Spark expects a compacted first file of the log, which has another name
    is_compacted = spark.conf.get("spark.sql.streaming.fileSink.log.compactInterval") == "1"
    return not is_ignored and not is_compacted


@contextmanager
def manifest(root: str, files: Iterable[FileInfo]) -> Iterator[str]:
    """Yield the URI of a temporary folder whose manifest lists files of a table; see `reads_manifests`.

    Spark reads the manifest when a DataFrame of the folder is created, and does not need the folder after that.

    Args:
        root: The URI of the table's folder, not encoded.
        files: The files to list, from any folder of the table.
    """
    root = _as_uri(root)
    with TemporaryDirectory(prefix="hoodoo-") as folder:
        log = Path(folder, "_spark_metadata")
        log.mkdir()
        lines = [_File(f"{root}/{_as_uri(file.path)}", file.size, file.modified) for file in files]
        (log / "0").write_bytes(b"v1\n" + msgspec.json.Encoder().encode_lines(lines))
        yield f"file://{folder}"


def _as_uri(path: str) -> str:
    """Return a path in the URI encoding of Java, which Spark uses in `_metadata.file_path`."""
    return _TO_ESCAPE.sub(lambda character: quote(character[0]), path)
