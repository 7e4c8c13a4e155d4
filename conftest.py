"""What the tests of the core and those across distributions share; a plugin's tests need nothing from here."""

from __future__ import annotations

import http.client
import logging
import os
import uuid
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# The JVMs of tests run many small jobs and end soon: optimised code costs more to compile than it saves.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

SESSIONS = {"spark", "hoodoo_spark", "hoodoo_spark_table"}
"""Fixtures that start a Spark session."""

LONGEST = ("tests/spark/", "tests/third_party/", "core/tests/cli/", "core/tests/spark/", "tests/e2e/", "tests/hostile/")
"""Folders whose files take longest, in the order in which they begin."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the profile `fast` of hypothesis before its plugin loads it."""
    if config.getoption("--hypothesis-profile", None) == "fast":
        from hypothesis import settings

        settings.register_profile("fast", max_examples=10, deadline=None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use a Spark session, tests of the kit, and cases for the night; begin with the longest files.

    Parallel processes end together where the longest files begin first.
    """
    for item in items:
        if SESSIONS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("spark")
        if getattr(item, "function", pytest_configure).__module__.startswith("hoodoo.testing"):
            item.add_marker("slow")
        representatives = list(item.iter_markers("representatives"))
        if representatives and not any(_is_given(item, marker.kwargs) for marker in representatives):
            item.add_marker("nightly")
    items.sort(key=lambda item: next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), 99))


def _is_given(item: pytest.Item, kept: dict[str, Collection[object]]) -> bool:
    """Return whether each named parameter of a test has one of the given values."""
    parameters = item.callspec.params  # type: ignore[attr-defined]
    return all(parameters[name] in values for name, values in kept.items())


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local Spark session of two cores for all tests of a run."""
    from hoodoo.spark.session import local_session

    session = local_session("hoodoo tests", cores="2")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The address of an S3 server that lives as long as the tests."""
    pytest.importorskip("obstore", reason="object stores need obstore: pip install 'hoodoo-core[s3]'")
    server = pytest.importorskip("moto.server", reason="the S3 server of the tests is moto: pip install 'moto[server]'")
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request
    yield f"http://127.0.0.1:{running.get_host_and_port()[1]}"
    running.stop()


@pytest.fixture
def s3_options(s3_endpoint: str) -> dict[str, str]:
    """The options by which the server is reached; it lets everybody in."""
    return {
        "fs.s3a.endpoint": s3_endpoint,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.access.key": "AKIAHOODOOTESTS",
        "fs.s3a.secret.key": "vErYsEcReT0123456789",
    }


@pytest.fixture
def make_bucket(s3_endpoint: str) -> Callable[[], str]:
    """Makes an empty bucket; its name."""

    def make() -> str:
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        connection = http.client.HTTPConnection(s3_endpoint.removeprefix("http://"))
        connection.request("PUT", f"/{name}")
        assert connection.getresponse().status == 200
        connection.close()
        return name

    return make
