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

_S3A = "fs.s3a."
_PROVIDER = "fs.s3a.aws.credentials.provider"
_ROLE_PROVIDER = "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider"
_PREFIXES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), (_S3A,)),
    **dict.fromkeys(("az", "abfs", "abfss", "wasb", "wasbs"), ("fs.azure.",)),
    "gs": ("fs.gs.", "google.cloud."),
}
"""Prefixes of the keys of Hadoop for a store, by the scheme of its locations."""

_ENVIRONMENT = {"fs.s3a.endpoint": "AWS_ENDPOINT_URL", "fs.s3a.endpoint.region": "AWS_REGION"}
"""Environment variables that Hadoop does not read, by the key of Hadoop for their values."""


def with_hadoop_options(
    spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the options; for a path in an object store, add missing ones from the session's settings `spark.hadoop.*`.

    A setting for the location's account, `spark.hadoop.fs.azure.account.key.lake.dfs.core.windows.net`, takes
    precedence over one for all accounts. The setting of a role in S3 is used only if the session's credentials provider
    assumes roles.

    Raises:
        OptionError: A storage option is invalid, or two keys of one option have different values.
    """
    parts = urlsplit(os.fspath(path))
    prefixes = _PREFIXES.get(parts.scheme.lower())
    if prefixes is None:
        return options
    given = storage_options(options)
    account = parts.netloc.rpartition("@")[2]
    found = {}
    for field in attrs.fields(StorageOptions):
        keys = [key for key in field.metadata["hudi"] if key.startswith(prefixes)]
        settings = [f"{key}{end}" for key in keys for end in ([f".{account}", ""] if "@" in parts.netloc else [""])]
        if field.name not in given:
            values = (spark.conf.get(f"spark.hadoop.{setting}", None) for setting in settings)
            found[field.name] = next((value for value in values if value is not None), None)
    if _ROLE_PROVIDER not in str(spark.conf.get(f"spark.hadoop.{_PROVIDER}", "")):
        # Hadoop ignores the role then
        found.pop("s3_role", None)
    return {**options, **{name: value for name, value in found.items() if value is not None}}


def hadoop_options(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of Hadoop's S3A for access options (by short name) and for AWS environment variables.

    The variables are those of the endpoint and the region. Options take precedence over them. With a role, the
    settings have the credentials provider that assumes it. With an endpoint, path-style access is the default.
    """
    found = {key: os.environ[name] for key, name in _ENVIRONMENT.items() if os.environ.get(name)}
    for field in attrs.fields(StorageOptions):
        value = options.get(field.name)
        key = next((key for key in field.metadata["hudi"] if key.startswith(_S3A)), None)
        if key is not None and value is not None:
            found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    if "s3_role" in options:
        found[_PROVIDER] = _ROLE_PROVIDER
    if "fs.s3a.endpoint" in found:
        # as for hoodoo's own requests; the default of Hadoop puts the bucket into the host name
        found.setdefault("fs.s3a.path.style.access", "true")
    return found
