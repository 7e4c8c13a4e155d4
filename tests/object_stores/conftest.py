"""Stores in which the same tests run: S3, and Google Cloud Storage if there is a server."""

from __future__ import annotations

import pytest

from tests.support.stores import BUCKET_STORES, BucketStore, bucket_store


@pytest.fixture(params=BUCKET_STORES)
def store(request: pytest.FixtureRequest) -> BucketStore:
    """Return the access to a store; a test runs once for each store."""
    return bucket_store(request, request.param)
