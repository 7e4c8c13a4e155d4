"""Stores in which tests write tables: S3, Azure and HDFS. Without a server of a store its tests are skipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attrs import field, frozen

__all__ = ["STORES", "StoreAccess", "store_access"]


@frozen
class StoreAccess:
    """Access to an empty folder of a store.

    Attributes:
        name: The name of the store.
        root: The location of the folder.
        options: The options of hoodoo.
        package_options: The options of the `hudi` package; None if it cannot open the store.
    """

    name: str
    root: str
    options: Mapping[str, Any] = field(factory=dict, repr=False)
    package_options: Mapping[str, str] | None = field(default=None, repr=False)


def _s3(request: pytest.FixtureRequest) -> StoreAccess:
    bucket = request.getfixturevalue("make_bucket")()
    options = request.getfixturevalue("s3_options")
    package = {
        "AWS_ENDPOINT": options["fs.s3a.endpoint"],
        "AWS_REGION": options["fs.s3a.endpoint.region"],
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": options["fs.s3a.access.key"],
        "AWS_SECRET_ACCESS_KEY": options["fs.s3a.secret.key"],
    }
    return StoreAccess("s3", f"s3://{bucket}/lake", options, package)


def _azure(request: pytest.FixtureRequest) -> StoreAccess:
    container = request.getfixturevalue("make_container")()
    return StoreAccess("azure", f"az://{container}/lake", request.getfixturevalue("azure_options"))


def _hdfs(request: pytest.FixtureRequest) -> StoreAccess:
    return StoreAccess("hdfs", request.getfixturevalue("hdfs_folder"))


_ACCESS: dict[str, Callable[[pytest.FixtureRequest], StoreAccess]] = {"s3": _s3, "azure": _azure, "hdfs": _hdfs}

# moto answers slowly, and the ordinary run has no time for it; the server of `tox -e stores` answers faster
_MARKS = {"s3": [] if "HOODOO_S3" in os.environ else [pytest.mark.nightly]}

STORES = [pytest.param(name, marks=_MARKS.get(name, [])) for name in _ACCESS]
"""Parameters of a test or fixture: the name of each store."""


def store_access(request: pytest.FixtureRequest, name: str) -> StoreAccess:
    """Return the access to a store, or skip the test if its server does not run."""
    return _ACCESS[name](request)
