"""Java processes and this one add to one number, each time under one lock: Hudi's storage-based one, and DynamoDB's.

No artifact of Maven has Hudi's storage-based provider together with its client of S3. The provider is that of Hudi
1.2.0; the client that it loads is `java/S3StorageLockClient.java`. For DynamoDB the library is the one that Hudi uses.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import storage_for
from hoodoo.txn import LockWait, ProviderLock
from tests.interop.processes.hudi_side import bundle, missing, pyspark
from tests.interop.processes.java_side import dependencies, missing_compiler, program

pytestmark = pytest.mark.interop

ROUNDS = 25
PACKAGE = "org.apache.hudi.aws.transaction.lock"
WAIT = LockWait(round=120, pause=0.05, longest_pause=0.5, rounds=1)


@pytest.fixture(scope="module")
def cache(request: pytest.FixtureRequest) -> Path:
    reason = missing() or missing_compiler()
    if reason is not None:
        pytest.skip(reason)
    return Path(request.config.cache.mkdir("interop"))


def provided(name: str, target: LockTarget, **options: Any) -> ProviderLock:
    return ProviderLock(name, default_catalogue().make("lock", name, options), target, WAIT)


def add(lock: ProviderLock, read: Callable[[], int], write: Callable[[int], None]) -> None:
    for _ in range(ROUNDS):
        with lock.held() as held:
            number = read()
            time.sleep(0.02)
            held.renew()
            write(number + 1)


def run_both(command: list[str], ours: list[Callable[[], None]]) -> None:
    """Run two Java processes and our threads at once, and assert that none of them fails."""
    problems: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - shown by the test's own thread
            problems.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in ours]
    with ExitStack() as stack:
        running = []
        for _ in range(2):
            started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            running.append(stack.enter_context(started))
            stack.callback(started.kill)
        for thread in threads:
            thread.start()
        for process in running:
            shown, _ = process.communicate(timeout=400)
            assert process.returncode == 0, shown[-3000:]
        for thread in threads:
            thread.join()
    assert problems == []


def test_hudis_storage_based_lock_and_ours_exclude_each_other(
    cache: Path, make_bucket: Callable[[], str], s3_endpoint: str, s3_options: dict[str, str], tmp_path: Path
) -> None:
    home = pyspark(cache).parent.parent
    [spark_jars] = home.glob("lib/python*/site-packages/pyspark/jars")
    classpath = f"{bundle('1.2.0', cache)}:{spark_jars}/*"
    run = program([f"{PACKAGE}.StorageContender", f"{PACKAGE}.S3StorageLockClient"], classpath, tmp_path / "classes")
    uri = f"s3a://{make_bucket()}/lake/t"
    storage = storage_for(uri, s3_options)
    storage.create("number", b"0")

    def ours() -> None:
        lock = provided("storage-based", LockTarget(storage, "t", "", "me"))
        add(lock, lambda: int(storage.read("number")), lambda n: storage.replace("number", str(n).encode()))

    run_both([run[0], f"-Ds3.endpoint={s3_endpoint}", *run[1:], uri, str(ROUNDS)], [ours, ours])

    assert int(storage.read("number")) == 4 * ROUNDS


@pytest.fixture
def dynamodb(s3_endpoint: str) -> Iterator[str]:
    """Return the address of a server that has the interface of DynamoDB as well."""
    return s3_endpoint


def test_the_lock_client_of_dynamodb_and_ours_exclude_each_other(cache: Path, dynamodb: str, tmp_path: Path) -> None:
    jars = dependencies(["com.amazonaws:dynamodb-lock-client:1.2.0"], cache / "dynamodb")
    run = program(["DynamoContender"], f"{jars}/*", tmp_path / "classes")
    number, table = tmp_path / "number", f"locks-{time.time_ns()}"
    number.write_text("0")
    keys = {"table": table, "endpoint_url": dynamodb, "access_key": "a", "secret_key": "b"}
    target = LockTarget(storage_for(tmp_path), "trips", "", "me")
    with provided("dynamodb", target, **keys).held():
        pass  # makes the table

    def ours(who: str) -> None:
        lock = provided("dynamodb", LockTarget(storage_for(tmp_path), "trips", "", who), **keys)
        add(lock, lambda: int(number.read_text()), lambda n: (number.write_text(str(n)), None)[1])

    run_both([*run, dynamodb, table, str(number), str(ROUNDS)], [lambda: ours("x"), lambda: ours("y")])

    assert int(number.read_text()) == 4 * ROUNDS
