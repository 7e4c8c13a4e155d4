"""Fixtures for the tests of the core and for those across distributions. Tests of plugins do not need them."""

from __future__ import annotations

import http.client
import logging
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest tests first, so that parallel test processes end at about the same time."""
    slow = ("tests/spark/", "tests/third_party/", "core/tests/cli/", "core/tests/spark/", "tests/e2e/")
    items.sort(key=lambda item: next((n for n, path in enumerate(slow) if item.nodeid.startswith(path)), len(slow)))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield one local Spark session with two cores for all tests of a run."""
    from hoodoo.spark.session import local_session

    session = local_session("hoodoo tests", cores="2")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """Yield the address of an S3 server that runs as long as the tests."""
    pytest.importorskip("obstore", reason="object stores need obstore: pip install 'hoodoo-core[s3]'")
    server = pytest.importorskip("moto.server", reason="the S3 server of the tests is moto: pip install 'moto[server]'")
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request
    yield f"http://127.0.0.1:{running.get_host_and_port()[1]}"
    running.stop()


@pytest.fixture
def s3_options(s3_endpoint: str) -> dict[str, str]:
    """Return the options for the server, which accepts any credentials."""
    return {
        "fs.s3a.endpoint": s3_endpoint,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.access.key": "AKIAHOODOOTESTS",
        "fs.s3a.secret.key": "vErYsEcReT0123456789",
    }


@pytest.fixture
def make_bucket(s3_endpoint: str) -> Callable[[], str]:
    """Return a function that creates an empty bucket and returns its name."""

    def make() -> str:
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        connection = http.client.HTTPConnection(s3_endpoint.removeprefix("http://"))
        connection.request("PUT", f"/{name}")
        assert connection.getresponse().status == 200
        connection.close()
        return name

    return make
