"""Access options of an object store from the Hadoop settings of a Spark session."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from hoodoo.options import StorageOptions, storage_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["with_hadoop_options"]

_SCHEMES = ("s3", "s3a", "s3n")


def with_hadoop_options(
    spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the options; for an `s3://` path, add missing ones from the session's settings `spark.hadoop.fs.s3a.*`."""
    if urlsplit(os.fspath(path)).scheme.lower() not in _SCHEMES:
        return options
    given = storage_options(options)
    found = {}
    for field in attrs.fields(StorageOptions):
        [key] = field.metadata["hudi"]
        value = None if field.name in given else spark.conf.get(f"spark.hadoop.{key}", None)
        if value is not None:
            found[field.name] = value
    return {**options, **found}
