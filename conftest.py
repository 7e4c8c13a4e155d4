"""Fixtures for the tests of the core and across distributions. Those of plugins use the real tables and servers."""

from __future__ import annotations

import base64
import fcntl
import hmac
import http.client
import json
import logging
import os
import shutil
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.utils import formatdate
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

GOLDEN = Path(__file__).parent / "tests" / "golden"
"""Tables that Apache Hudi wrote, and the rows that it read: see `tests/golden/README.md`."""


# The JVMs of tests run many small jobs and end soon: optimised code costs more to compile than it saves.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Files of tests need not survive a power failure, and waiting for the disk takes a large part of a small commit. The
# nightly run waits, as users do.
if os.environ.get("HOODOO_SYNC_FILES", "0") == "0":
    os.fsync = lambda descriptor: None  # type: ignore[assignment]

S3_KEYS = ("AKIAHOODOOTESTS", "vErYsEcReT0123456789")
"""Access key and secret key. moto accepts any, the server of `tests/support/minio_server.py` only these."""

SESSIONS = {"spark", "hoodoo_spark", "hoodoo_spark_table"}
"""Fixtures that start a Spark session."""

OLD_WARNINGS = (
    "The distutils package is deprecated:DeprecationWarning",
    "distutils Version classes are deprecated:DeprecationWarning",
    "unclosed <socket:ResourceWarning",
    "Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning",
)
"""Warnings of the code of PySpark before 4.1, which do not fail tests."""

LONGEST = (
    "tests/spark_sessions/",
    "tests/repository/third_party/",
    "core/tests/cli/",
    "core/tests/spark/",
    "tests/rows_written/",
    "tests/damage/",
    "tests/cookbook/",
)
"""Folders whose files take longest, in the order in which they begin."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the profile `fast` of hypothesis before its plugin loads it, and filters of warnings of old releases."""
    if find_spec("pyspark") is not None and version("pyspark").startswith(("3.", "4.0.")):
        for text in OLD_WARNINGS:
            config.addinivalue_line("filterwarnings", f"ignore:{text}")
    if config.getoption("--hypothesis-profile", None) == "fast":
        from hypothesis import settings

        settings.register_profile("fast", max_examples=10, deadline=None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use a Spark session, tests of the kit, and nightly cases; sort the longest files first.

    The longest files run first, so that parallel processes end at about the same time.
    """
    for item in items:
        for marker in item.iter_markers("needs_pyspark"):
            if (reason := _lacking_pyspark(*marker.args)) is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
        if SESSIONS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("spark")
        if getattr(item, "function", pytest_configure).__module__.startswith("hoodoo.testing"):
            item.add_marker("slow")
        representatives = list(item.iter_markers("representatives"))
        if representatives and not any(_is_given(item, marker.kwargs) for marker in representatives):
            item.add_marker("nightly")
    for item in _unneeded([item for item in items if item.get_closest_marker("each_value")]):
        item.add_marker("nightly")
    items.sort(key=lambda item: next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), 99))


def _lacking_pyspark(since: str) -> str | None:
    """Return the reason to skip a test if the installed PySpark is older than a release; None if it is not."""
    if find_spec("pyspark") is None:
        return None
    from hoodoo.spark.pyspark_version import Feature

    feature = Feature("the test", since)
    return None if feature.is_available() else feature.refusal()


def _unneeded(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield cases without which each value of each parameter still occurs in a case of its test.

    Of the cases of a test, the one with the most values that do not occur yet is kept first; of several such cases, the
    one whose values occur least often, so that no value is preferred.
    """
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        # values need not be hashable
        values = {case: {(name, id(value)) for name, value in case.callspec.params.items()} for case in cases}  # type: ignore[attr-defined]
        missing, uses = set().union(*values.values()), Counter[tuple[str, int]]()

        def worth(case: pytest.Item, values=values, missing=missing, uses=uses) -> tuple[int, int]:
            return len(values[case] & missing), -sum(uses[value] for value in values[case])

        while missing:
            kept = values.pop(max(values, key=worth))
            uses.update(kept)
            missing -= kept
        yield from values


def _is_given(item: pytest.Item, kept: dict[str, Collection[object]]) -> bool:
    """Return whether each named parameter of a test has one of the given values."""
    parameters = item.callspec.params  # type: ignore[attr-defined]
    return all(parameters[name] in values for name, values in kept.items())


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Yield one local Spark session with two cores for all tests of a run."""
    from hoodoo.spark.session import local_session

    _add_newer_calls()
    session = local_session("hoodoo tests", cores="2")
    yield session
    session.stop()


def _add_newer_calls() -> None:
    """Add the calls of PySpark 4.0 that tests make to an earlier PySpark: `toArrow`, and DataFrames of Arrow tables."""
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    if hasattr(DataFrame, "toArrow"):
        return
    from pyspark.sql.pandas.types import to_arrow_schema

    from hoodoo.spark.compatibility.session_calls import frame_of_table

    create = SparkSession.createDataFrame

    def to_arrow(frame: DataFrame) -> pa.Table:
        schema = to_arrow_schema(frame.schema)
        batches = frame._collect_as_arrow()
        # the time zone of a batch is that of the session
        return pa.Table.from_batches(batches, batches[0].schema if batches else schema).cast(schema)

    def create_frame(session: SparkSession, data: Any, *arguments: Any, **named: Any) -> DataFrame:
        if isinstance(data, pa.Table):
            return frame_of_table(session, data)
        return create(session, data, *arguments, **named)

    DataFrame.toArrow = to_arrow
    SparkSession.createDataFrame = create_frame


@contextmanager
def _connect_port() -> Iterator[None]:
    """Hold the port of local Spark Connect servers, which is the same in all processes.

    PySpark before 4.0 contains no server. `HOODOO_CONNECT_JAR` names the file of one, spark-connect_2.12-VERSION.jar.
    """
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        (Path(tempfile.gettempdir()) / "hoodoo-tests-spark-connect.lock").open("w") as file,
    ):
        if _lacking_pyspark("4.0") is not None:
            jar = os.environ.get("HOODOO_CONNECT_JAR")
            if jar is None:
                pytest.skip("PySpark before 4.0 contains no Spark Connect server; HOODOO_CONNECT_JAR names its file")
            monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--jars {jar} pyspark-shell")
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def hold_connect_port() -> Callable[[], AbstractContextManager[None]]:
    """Return a context manager that holds the port of local Spark Connect servers."""
    return _connect_port


@pytest.fixture
def connect_port() -> Iterator[None]:
    """Hold the port of local Spark Connect servers until the end of a test."""
    with _connect_port():
        yield


class HudiRead(NamedTuple):
    """A query of a golden table by Hudi.

    Attributes:
        arguments: Arguments of `Table.to_arrow` for the same query.
        rows: Rows that Hudi returned, or the message of its error.
    """

    arguments: dict[str, Any]
    rows: pa.Table | str


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder with `tables` and `expected`, `HOODOO_SHARED` or next to the checkout; skip without it."""
    beside = Path(__file__).resolve().parents[1] / "shared"
    folder = Path(os.environ.get("HOODOO_SHARED", beside)) / "data"
    if not (folder / "tables").is_dir():
        pytest.skip(f"no Hudi tables in '{folder}/tables'; HOODOO_SHARED names the folder above 'data'")
    return folder


@pytest.fixture(scope="session")
def real_table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Unpack a new copy of a table that Apache Hudi wrote and return its path.

    Tables are those of `tests/golden` and of the shared folder, without which the test is skipped.
    """

    def unpack(name: str) -> Path:
        golden, folder = GOLDEN / "tables" / f"{name}.tar.xz", tmp_path_factory.mktemp(name)
        if golden.exists():
            shutil.unpack_archive(golden, folder, filter="data")
        else:
            shutil.unpack_archive(request.getfixturevalue("shared_data") / "tables" / f"{name}.zip", folder)
        # a metadata table is a table inside the table
        [properties] = folder.glob("*/.hoodie/hoodie.properties")
        return properties.parent.parent

    return unpack


@pytest.fixture(scope="session")
def golden_reads() -> Callable[[str], dict[str, HudiRead]]:
    """Return what Hudi read of a golden table, by the name of the query; `snapshot` is always one of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    expected = GOLDEN / "expected"

    def reads(name: str) -> dict[str, HudiRead]:
        described = json.loads((expected / f"{name}.json").read_text())["queries"]
        return {
            query: HudiRead(
                read["arguments"],
                pq.read_table(expected / read["file"]).take(pa.array(read["rows"], pa.int64()))
                if "file" in read
                else read["error"],
            )
            for query, read in described.items()
        }

    return reads


@pytest.fixture(scope="session")
def real_rows(
    request: pytest.FixtureRequest, golden_reads: Callable[[str], dict[str, HudiRead]]
) -> Callable[[str], pa.Table]:
    """Return the rows of a snapshot query of a table that Apache Hudi wrote, as another reader returned them."""
    import pyarrow.parquet as pq

    def rows(name: str) -> pa.Table:
        if (GOLDEN / "expected" / f"{name}.json").exists():
            return golden_reads(name)["snapshot"].rows
        return pq.read_table(request.getfixturevalue("shared_data") / "expected" / f"{name}.snapshot.parquet")

    return rows


@contextmanager
def _aws_server() -> Iterator[str]:
    """Run a server that simulates services of AWS, and yield its address."""
    server = pytest.importorskip("moto.server", reason="AWS is simulated by moto: pip install 'moto[server]'")
    running = server.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    running.start()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request
    yield f"http://127.0.0.1:{running.get_host_and_port()[1]}"
    running.stop()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """Yield the address of an S3 server that runs as long as the tests: that of HOODOO_S3, or moto's."""
    pytest.importorskip("obstore", reason="object stores need obstore: pip install 'hoodoo-core[s3]'")
    if "HOODOO_S3" in os.environ:
        yield os.environ["HOODOO_S3"]
        return
    with _aws_server() as address:
        yield address


@pytest.fixture(scope="module")
def aws_endpoint() -> Iterator[str]:
    """Yield the address of a server for DynamoDB and Glue that runs as long as the tests of a module."""
    with _aws_server() as address:
        yield address


@pytest.fixture
def s3_options(s3_endpoint: str) -> dict[str, str]:
    """Return the options for the server."""
    return {
        "fs.s3a.endpoint": s3_endpoint,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.access.key": S3_KEYS[0],
        "fs.s3a.secret.key": S3_KEYS[1],
    }


@pytest.fixture(scope="session")
def s3_client(s3_endpoint: str) -> Any:
    """Return AWS's own client of the server."""
    from boto3.session import Session

    return Session(*S3_KEYS, region_name="us-east-1").client("s3", endpoint_url=s3_endpoint)


@pytest.fixture(scope="session")
def azure_options() -> dict[str, str]:
    """Return the options for a server of Azure's blob service, with the account and key of all emulators."""
    pytest.importorskip("obstore", reason="object stores need obstore: pip install 'hoodoo-core[s3]'")
    if "HOODOO_AZURITE" not in os.environ:
        pytest.skip("there is no server of Azure's blob service; `tox -e stores` starts one")
    return {
        "azure_endpoint": os.environ["HOODOO_AZURITE"],
        "azure_account": "devstoreaccount1",
        "azure_account_key": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    }


@pytest.fixture
def make_container(azure_options: dict[str, str]) -> Callable[[], str]:
    """Return a function that creates an empty container of Azure and returns its name."""

    def make() -> str:
        name = f"container-{uuid.uuid4().hex[:12]}"
        address = urlsplit(azure_options["azure_endpoint"])
        path = f"{address.path}/{name}"
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
        signed = "\n".join(f"{key}:{value}" for key, value in headers.items())
        text = f"PUT{chr(10) * 12}{signed}\n/{azure_options['azure_account']}{path}\nrestype:container"
        key = base64.b64decode(azure_options["azure_account_key"])
        signature = base64.b64encode(hmac.digest(key, text.encode(), "sha256")).decode()
        headers["Authorization"] = f"SharedKey {azure_options['azure_account']}:{signature}"
        connection = http.client.HTTPConnection(address.netloc)
        connection.request("PUT", f"{path}?restype=container", headers={**headers, "Content-Length": "0"})
        assert connection.getresponse().status == 201
        connection.close()
        return name

    return make


@pytest.fixture(scope="session")
def gcs_options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the options for a server of Google Cloud Storage: a key file that contains the server's address."""
    pytest.importorskip("obstore", reason="object stores need obstore: pip install 'hoodoo-core[s3]'")
    if "HOODOO_GCS" not in os.environ:
        pytest.skip("there is no server of Google Cloud Storage; `tox -e stores` starts one")
    file = tmp_path_factory.mktemp("gcs") / "key.json"
    address = {"gcs_base_url": os.environ["HOODOO_GCS"], "disable_oauth": True}
    # the server accepts any key
    file.write_text(json.dumps({**address, "client_email": "", "private_key": S3_KEYS[1], "private_key_id": ""}))
    return {"fs.gs.auth.service.account.json.keyfile": str(file)}


@pytest.fixture
def make_gcs_bucket(gcs_options: dict[str, str]) -> Callable[[], str]:
    """Return a function that creates an empty bucket of Google Cloud Storage and returns its name."""

    def make() -> str:
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        connection = http.client.HTTPConnection(urlsplit(os.environ["HOODOO_GCS"]).netloc)
        connection.request("PUT", f"/{name}")
        assert connection.getresponse().status == 200
        connection.close()
        return name

    return make


@pytest.fixture(scope="session")
def hdfs_root() -> str:
    """Return the location of a cluster of HDFS, once its DataNode accepts files."""
    pytest.importorskip("hdfs_native", reason="HDFS needs hdfs-native: pip install 'hoodoo-core[hdfs]'")
    if "HOODOO_HDFS" not in os.environ:
        pytest.skip("there is no cluster of HDFS; `tox -e stores` starts one")
    from hoodoo.errors import StorageError
    from hoodoo.storage import storage_for

    root = os.environ["HOODOO_HDFS"]
    deadline = time.monotonic() + 60
    while True:
        try:
            storage_for(f"{root}/ready").replace("file", b"1")
            return root
        except StorageError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


@pytest.fixture
def hdfs_folder(hdfs_root: str) -> str:
    """Return the location of a folder in HDFS that does not exist."""
    return f"{hdfs_root}/tests/{uuid.uuid4().hex}"


@pytest.fixture
def make_bucket(s3_client: Any) -> Callable[[], str]:
    """Return a function that creates an empty bucket and returns its name."""

    def make() -> str:
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        s3_client.create_bucket(Bucket=name)
        return name

    return make
