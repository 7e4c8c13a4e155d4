"""Stores in which tests write tables; without a server, which `tox -e stores` starts, their tests are skipped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attrs import field, frozen

from hoodoo.storage import WritePace

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
    if "HOODOO_S3" not in os.environ:
        pytest.skip("moto answers slowly; HOODOO_S3 has the address of another S3 server, `tox -e stores` starts one")
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


def _gcs(request: pytest.FixtureRequest) -> StoreAccess:
    options, bucket = request.getfixturevalue("gcs_options"), request.getfixturevalue("make_gcs_bucket")()
    # the server does not have the pace of the service
    client = pytest.importorskip("hoodoo.storage.object_store.client")
    request.getfixturevalue("monkeypatch").setitem(client.PACES, "gs", WritePace(0.01))
    return StoreAccess("gcs", f"gs://{bucket}/lake", options)


_ACCESS: dict[str, Callable[[pytest.FixtureRequest], StoreAccess]] = {
    "s3": _s3,
    "azure": _azure,
    "gcs": _gcs,
    "hdfs": _hdfs,
}

STORES = tuple(_ACCESS)
"""The name of each store."""


def store_access(request: pytest.FixtureRequest, name: str) -> StoreAccess:
    """Return the access to a store, or skip the test if its server does not run."""
    return _ACCESS[name](request)
