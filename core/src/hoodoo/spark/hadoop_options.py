"""Access options of an object store from the Hadoop settings of a Spark session, and the reverse."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from hoodoo.options import StorageOptions, storage_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["hadoop_options", "with_hadoop_options"]

_SCHEMES = ("s3", "s3a", "s3n")

_ENVIRONMENT = {"fs.s3a.endpoint": "AWS_ENDPOINT_URL", "fs.s3a.endpoint.region": "AWS_REGION"}
"""Variables that Hadoop does not read."""


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


def hadoop_options(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of Hadoop's S3A for access options by short name."""
    found = {key: os.environ[name] for key, name in _ENVIRONMENT.items() if os.environ.get(name)}
    for field in attrs.fields(StorageOptions):
        [key] = field.metadata["hudi"]
        value = options.get(field.name)
        if value is not None:
            found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    if "fs.s3a.endpoint" in found:
        # as for hoodoo's own requests; the default of Hadoop puts the bucket into the host name
        found.setdefault("fs.s3a.path.style.access", "true")
    return found
