"""Files that Spark's own readers are told rather than left to list.

Where a streaming query wrote a folder, Spark finds a log of the files in it, and takes what that says: paths anywhere,
sizes, times. It lists nothing then, and looks up none of them.
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
from hoodoo.storage import FileInfo, LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["manifest", "reads_manifests"]

_NOT_OF_URI = re.compile(r"[^\w.!~'()*,;:$&+=@/-]")


class _File(msgspec.Struct, gc=False, rename="camel"):
    """A line of the log, as Spark 2.1 and later write it."""

    path: str
    size: int
    modification_time: int
    is_dir: bool = False
    block_replication: int = 1
    block_size: int = 32 * 1024 * 1024
    action: str = "add"


def reads_manifests(spark: SparkSession) -> bool:
    """Whether a session can be told of files. Over Connect it would look for the log when the query runs."""
    if is_connect(spark):
        return False
    is_ignored = spark.conf.get("spark.sql.streaming.fileStreamSink.ignoreMetadata") == "true"
    # the first entry of the log would have to be a summary, under another name
    is_compacted = spark.conf.get("spark.sql.streaming.fileSink.log.compactInterval") == "1"
    return not is_ignored and not is_compacted


@contextmanager
def manifest(storage: LocalStorage, files: Iterable[FileInfo]) -> Iterator[str]:
    """A folder that a session which reads manifests takes for some files of a table.

    Spark reads the log when a frame is made of the folder, and does not need the folder after that.

    Args:
        storage: The table.
        files: The files, wherever in the table they are.
    """
    root = "file://" + _as_uri(storage.local_path(""))
    with TemporaryDirectory(prefix="hoodoo-") as folder:
        log = Path(folder, "_spark_metadata")
        log.mkdir()
        told = [_File(f"{root}/{_as_uri(file.path)}", file.size, file.modified) for file in files]
        (log / "0").write_bytes(b"v1\n" + msgspec.json.Encoder().encode_lines(told))
        yield f"file://{folder}"


def _as_uri(path: str) -> str:
    """A path as Java spells it in a URI, and Spark in `_metadata.file_path`."""
    return _NOT_OF_URI.sub(lambda character: quote(character[0]), path)
