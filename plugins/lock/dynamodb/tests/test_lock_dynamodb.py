"""The lock provider `dynamodb`, with a simulated server: items of the Amazon DynamoDB Lock Client."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

import boto3
import pytest
from hoodoo_lock_dynamodb import DynamoDBLock

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import storage_for
from hoodoo.testing import LockSuite

pytestmark = pytest.mark.slow

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCY"


@pytest.fixture
def options(aws_endpoint: str) -> dict[str, Any]:
    return {
        "hoodie.write.lock.dynamodb.table": f"locks-{uuid.uuid4().hex[:8]}",
        "hoodie.write.lock.dynamodb.endpoint_url": aws_endpoint,
        "hoodie.write.lock.wait_time_ms": "1500",
        "hoodie.aws.access.key": "AKIAHOODOOTESTS",
        "hoodie.aws.secret.key": SECRET,
    }


class TestDynamoDB(LockSuite):
    plugin = "dynamodb"
    freed_within = 10.0

    @pytest.fixture(autouse=True)
    def _server(self, options: dict[str, Any]) -> None:
        type(self).options = options

    def take_away(self, target: LockTarget) -> Any:
        """Let another writer take the lock, as after the end of the lease."""
        items = client(self.options)
        items.delete_item(TableName=self.options["hoodie.write.lock.dynamodb.table"], Key={"key": {"S": target.table}})
        return self.made().try_acquire(self.target(Path("/nowhere")))


def client(options: dict[str, Any]) -> Any:
    return boto3.client(
        "dynamodb",
        region_name="us-east-1",
        endpoint_url=options["hoodie.write.lock.dynamodb.endpoint_url"],
        aws_access_key_id="AKIAHOODOOTESTS",
        aws_secret_access_key=SECRET,
    )


def target(owner: str = "me", table: str = "trips", uri: str = "/data/trips") -> LockTarget:
    return LockTarget(storage_for(uri), table, "", owner)


def made(options: dict[str, Any], name: str = "DynamoDBBasedLockProvider") -> DynamoDBLock:
    plugin = default_catalogue().load("lock", name)
    lock: DynamoDBLock = plugin.make(options)
    return lock


def items(options: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client(options).scan(TableName=options["hoodie.write.lock.dynamodb.table"])["Items"]
    return found


def put(options: dict[str, Any], **attributes: str) -> None:
    """Put an item into the table of locks, as the Java client writes it."""
    item = {"ownerName": "ip-10-0-0-7", "leaseDuration": "60000", "recordVersionNumber": str(uuid.uuid4())}
    typed = {name: {"S": value} for name, value in {"key": "trips", **item, **attributes}.items()}
    client(options).put_item(TableName=options["hoodie.write.lock.dynamodb.table"], Item=typed)


@pytest.fixture
def with_table(options: dict[str, Any]) -> dict[str, Any]:
    held = made(options).try_acquire(target())
    assert held is not None
    held.release()
    return options


def test_the_table_and_the_item_are_those_of_the_java_client(options: dict[str, Any]) -> None:
    lock = made(options)
    held = lock.try_acquire(target())
    assert held is not None
    [table] = [client(options).describe_table(TableName=options["hoodie.write.lock.dynamodb.table"])["Table"]]
    [item] = items(options)

    assert table["KeySchema"] == [{"AttributeName": "key", "KeyType": "HASH"}]
    assert table["AttributeDefinitions"] == [{"AttributeName": "key", "AttributeType": "S"}]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert {name: next(iter(value)) for name, value in item.items()} == dict.fromkeys(
        ("key", "ownerName", "leaseDuration", "recordVersionNumber"), "S"
    )
    assert (item["key"]["S"], item["ownerName"]["S"], item["leaseDuration"]["S"]) == ("trips", "me", "1500")
    held.release()
    assert items(options) == []


def test_a_table_is_made_with_the_capacity_that_was_asked_for(options: dict[str, Any]) -> None:
    key = "hoodie.write.lock.dynamodb."
    lock = made({**options, f"{key}billing_mode": "PROVISIONED", f"{key}read_capacity": "3"})
    held = lock.try_acquire(target())
    assert held is not None
    held.release()
    found = client(options).describe_table(TableName=options[f"{key}table"])["Table"]["ProvisionedThroughput"]

    assert (found["ReadCapacityUnits"], found["WriteCapacityUnits"]) == (3, 10)


def test_the_version_changes_while_the_lock_is_held(options: dict[str, Any]) -> None:
    held = made(options).try_acquire(target())
    assert held is not None
    versions = set()
    for _ in range(12):
        versions.add(items(options)[0]["recordVersionNumber"]["S"])
        time.sleep(0.1)
    held.release()

    assert len(versions) >= 2, "three heartbeats in 1.5 s were asked for"


def test_the_lock_of_a_java_client_is_not_taken_before_it_was_seen_for_its_lease(with_table: dict[str, Any]) -> None:
    lock = made(with_table)
    put(with_table, leaseDuration="700")
    assert lock.try_acquire(target()) is None
    assert lock.describe(target()).endswith("held by ip-10-0-0-7")
    time.sleep(0.4)
    put(with_table, leaseDuration="700")  # a heartbeat
    assert lock.try_acquire(target()) is None
    time.sleep(0.5)
    assert lock.try_acquire(target()) is None
    time.sleep(0.3)
    held = lock.try_acquire(target())
    assert held is not None
    held.release()


def test_a_lock_that_a_java_client_released_and_kept_is_taken(with_table: dict[str, Any]) -> None:
    put(with_table, isReleased="1")
    lock = made(with_table)
    assert lock.describe(target()).endswith("held by no writer")
    held = lock.try_acquire(target())
    assert held is not None
    assert "isReleased" not in items(with_table)[0]
    held.release()


def test_a_lock_that_a_java_client_took_over_is_lost(with_table: dict[str, Any]) -> None:
    held = made(with_table).try_acquire(target())
    assert held is not None
    put(with_table)
    with pytest.raises(LockLost, match=r"lock 'trips' in table 'locks-.* of DynamoDB ended"):
        held.renew()
    held.release()
    assert [item["ownerName"]["S"] for item in items(with_table)] == ["ip-10-0-0-7"]


def test_a_put_whose_answer_was_lost_is_known_as_ours(with_table: dict[str, Any], monkeypatch: Any) -> None:
    lock = made(with_table)
    connected = lock._connected()
    put_item = connected.put_item

    def twice(**arguments: Any) -> Any:
        put_item(**arguments)
        return put_item(**arguments)

    monkeypatch.setattr(connected, "put_item", twice)
    held = lock.try_acquire(target())
    assert held is not None
    held.renew()
    held.release()


def test_the_implicit_key_is_hudis_hash_of_the_path(options: dict[str, Any]) -> None:
    """The key is the hash that Hudi 1.2.0 makes: HashID.generateXXHashAsString(path, BITS_64)."""
    name = "org.apache.hudi.aws.transaction.lock.DynamoDBBasedImplicitPartitionKeyLockProvider"
    for uri, base_path, hashed in (
        ("/tmp/t", None, "FB88BAF128102D93"),
        ("/data/x", "s3a://bucket/table", "4DCF035CB614089C"),
        ("/data/x", "s3://bücket/a b", "7FB921BB05C52921"),
    ):
        given = {"implicit": True, **options, **({"hoodie.base.path": base_path} if base_path else {})}
        held = made(given, name).try_acquire(target(uri=uri))
        assert held is not None
        assert [item["key"]["S"] for item in items(options)] == [hashed]
        held.release()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"hoodie.aws.secret.key": None}, "hoodie.aws.access.key is set without hoodie.aws.secret.key; set both"),
        ({"hoodie.write.lock.dynamodb.read_capacity": "0"}, "read_capacity is 0"),
        ({"hoodie.write.lock.dynamodb.billing_mode": "FREE"}, "PAY_PER_REQUEST"),
        ({"hoodie.write.lock.wait_time_ms": "a while"}, "takes int"),
    ],
)
def test_wrong_options_are_refused_and_show_no_secret(options: dict[str, Any], given: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said) as caught:
        made({key: value for key, value in {**options, **given}.items() if value is not None})
    assert SECRET not in str(caught.value)
    assert "AKIA" not in str(caught.value)


def test_a_table_without_a_name_is_refused_before_anything_is_written(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"set hoodie\.write\.lock\.dynamodb\.partition_key"):
        made(options).check(target(table=""))
    made({**options, "partition_key": "k"}).check(target(table=""))


def test_a_server_that_does_not_answer_is_named_without_secrets(options: dict[str, Any]) -> None:
    address = "http://127.0.0.1:9"
    lock = made({**options, "hoodie.write.lock.dynamodb.endpoint_url": address})
    with pytest.raises(StorageError, match=f"lock 'trips' in table 'locks-.*' of DynamoDB \\({address}\\)") as caught:
        lock.try_acquire(target())
    assert "is unknown" in lock.describe(target())
    assert SECRET not in str(caught.value) + lock.describe(target()) + repr(lock)
