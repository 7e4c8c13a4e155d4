"""Stores in which the same tests run: S3, and Google Cloud Storage if there is a server."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from hoodoo.storage import WritePace


@frozen
class BucketStore:
    """Store with buckets.

    Attributes:
        scheme: The scheme of its locations.
        address: The address of the server.
        options: The options for the server.
        options_at: Function that returns the options for the address of a proxy of the server.
        make_bucket: Function that creates an empty bucket and returns its name.
        environment: Variables that have the effect of the options.
        secrets: Texts among the options that must not be shown.
    """

    scheme: str
    address: str
    options: dict[str, str]
    options_at: Callable[[str], dict[str, str]]
    make_bucket: Callable[[], str]
    environment: dict[str, str]
    secrets: tuple[str, ...]

    def new_table(self, path: str = "lake/t") -> str:
        """Return the location of a table that does not exist, in a bucket of its own."""
        return f"{self.scheme}://{self.make_bucket()}/{path}"


@pytest.fixture(params=["s3", "gcs"])
def store(request: pytest.FixtureRequest) -> BucketStore:
    """Return a store."""
    return request.getfixturevalue(f"{request.param}_store")


@pytest.fixture
def s3_store(s3_endpoint: str, s3_options: dict[str, str], make_bucket: Callable[[], str]) -> BucketStore:
    """Return the S3 server."""
    access_key, secret_key = s3_options["fs.s3a.access.key"], s3_options["fs.s3a.secret.key"]
    environment = {
        "AWS_ENDPOINT_URL": s3_endpoint,
        "AWS_REGION": s3_options["fs.s3a.endpoint.region"],
        "AWS_ACCESS_KEY_ID": access_key,
        "AWS_SECRET_ACCESS_KEY": secret_key,
    }
    return BucketStore(
        "s3",
        s3_endpoint,
        s3_options,
        lambda address: {**s3_options, "fs.s3a.endpoint": address},
        make_bucket,
        environment,
        (access_key, secret_key),
    )


@pytest.fixture
def gcs_store(
    gcs_options: dict[str, str],
    make_gcs_bucket: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> BucketStore:
    """Return the server of Google Cloud Storage, with short waits for its pace, which the server does not have."""
    client = pytest.importorskip("hoodoo.storage.object_store.client")
    monkeypatch.setitem(client.PACES, "gs", WritePace(0.01))
    [(option, file)] = gcs_options.items()
    key = json.loads(Path(file).read_text())

    def options_at(address: str) -> dict[str, str]:
        other = tmp_path / f"key-{address.rpartition(':')[2]}.json"
        other.write_text(json.dumps({**key, "gcs_base_url": address}))
        return {option: str(other)}

    return BucketStore(
        "gs",
        os.environ["HOODOO_GCS"],
        gcs_options,
        options_at,
        make_gcs_bucket,
        {"GOOGLE_SERVICE_ACCOUNT": file},
        (key["private_key"],),
    )
