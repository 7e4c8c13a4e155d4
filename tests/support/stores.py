"""Stores in which tests write tables; without a server, which `tox -e stores` starts, their tests are skipped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from hoodoo.storage import WritePace

__all__ = ["BUCKET_STORES", "STORES", "BucketStore", "StoreAccess", "bucket_store", "store_access"]


@frozen(kw_only=True)
class StoreAccess:
    """Access to a store.

    Attributes:
        name: The name of the store.
        options: The options with which hoodoo opens the store.
        make_root: Function that creates a bucket or container, or chooses a new folder, and returns its location.
        package_options: The options with which the `hudi` package opens the store; None if it cannot.
    """

    name: str
    options: Mapping[str, Any] = field(factory=dict, repr=False)
    make_root: Callable[[], str]
    package_options: Mapping[str, str] | None = field(default=None, repr=False)

    def new_location(self, path: str = "lake/t") -> str:
        """Return the location of a folder that does not exist, in a bucket, container or folder of its own."""
        return f"{self.make_root()}/{path}"


@frozen(kw_only=True)
class BucketStore(StoreAccess):
    """Access to a store with buckets; tests can also make requests to the store fail.

    Attributes:
        scheme: The scheme of its locations.
        address: The address of the server.
        options_at: Function that returns the options for the address of a proxy of the server.
        environment: Variables that have the effect of the options.
        secrets: Texts among the options that must not be shown.
    """

    scheme: str
    address: str
    options_at: Callable[[str], dict[str, str]]
    environment: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)


def _s3(request: pytest.FixtureRequest) -> BucketStore:
    options, make_bucket = request.getfixturevalue("s3_options"), request.getfixturevalue("make_bucket")
    address, region = options["fs.s3a.endpoint"], options["fs.s3a.endpoint.region"]
    access_key, secret_key = options["fs.s3a.access.key"], options["fs.s3a.secret.key"]
    environment = {
        "AWS_ENDPOINT_URL": address,
        "AWS_REGION": region,
        "AWS_ACCESS_KEY_ID": access_key,
        "AWS_SECRET_ACCESS_KEY": secret_key,
    }
    return BucketStore(
        name="s3",
        options=options,
        make_root=lambda: f"s3://{make_bucket()}",
        package_options={"AWS_ALLOW_HTTP": "true", **environment},
        scheme="s3",
        address=address,
        options_at=lambda other: {**options, "fs.s3a.endpoint": other},
        environment=environment,
        secrets=(access_key, secret_key),
    )


def _gcs(request: pytest.FixtureRequest) -> BucketStore:
    options, make_bucket = request.getfixturevalue("gcs_options"), request.getfixturevalue("make_gcs_bucket")
    folder: Path = request.getfixturevalue("tmp_path")
    # unlike the service, the server does not limit the rate of writes to an object
    client = pytest.importorskip("hoodoo.storage.object_store.client")
    request.getfixturevalue("monkeypatch").setitem(client.PACES, "gs", WritePace(0.01))
    [(option, file)] = options.items()
    key = json.loads(Path(file).read_text())

    def options_at(other: str) -> dict[str, str]:
        other_file = folder / f"key-{other.rpartition(':')[2]}.json"
        other_file.write_text(json.dumps({**key, "gcs_base_url": other}))
        return {option: str(other_file)}

    return BucketStore(
        name="gcs",
        options=options,
        make_root=lambda: f"gs://{make_bucket()}",
        scheme="gs",
        address=key["gcs_base_url"],
        options_at=options_at,
        environment={"GOOGLE_SERVICE_ACCOUNT": file},
        secrets=(key["private_key"],),
    )


def _azure(request: pytest.FixtureRequest) -> StoreAccess:
    options, make_container = request.getfixturevalue("azure_options"), request.getfixturevalue("make_container")
    return StoreAccess(name="azure", options=options, make_root=lambda: f"az://{make_container()}")


def _hdfs(request: pytest.FixtureRequest) -> StoreAccess:
    return StoreAccess(name="hdfs", make_root=request.getfixturevalue("make_hdfs_folder"))


_BUCKET_STORES: dict[str, Callable[[pytest.FixtureRequest], BucketStore]] = {"s3": _s3, "gcs": _gcs}

_ACCESS: dict[str, Callable[[pytest.FixtureRequest], StoreAccess]] = {
    "s3": _s3,
    "azure": _azure,
    "gcs": _gcs,
    "hdfs": _hdfs,
}

BUCKET_STORES = tuple(_BUCKET_STORES)
"""The name of each store with buckets."""

STORES = tuple(_ACCESS)
"""The name of each store."""


def bucket_store(request: pytest.FixtureRequest, name: str) -> BucketStore:
    """Return the access to a store with buckets, or skip the test if no server runs; that of S3 may be moto."""
    return _BUCKET_STORES[name](request)


def store_access(request: pytest.FixtureRequest, name: str) -> StoreAccess:
    """Return the access to a store for tests with many requests, or skip the test if its server does not run."""
    if name == "s3" and "HOODOO_S3" not in os.environ:
        pytest.skip("moto answers slowly; HOODOO_S3 has the address of another S3 server, `tox -e stores` starts one")
    return _ACCESS[name](request)
