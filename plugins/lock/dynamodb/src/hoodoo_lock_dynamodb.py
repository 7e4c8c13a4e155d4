"""A lock in Amazon DynamoDB, in the format of the Amazon DynamoDB Lock Client, which Hudi's writers use."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import attrs
from attrs import define, field

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, hookimpl, option

__version__ = "0.1.0"

_KEY = "hoodie.write.lock.dynamodb."
_AWS = "hoodie.aws."
_PARTITION = "key"
_SEED = 0xFFFFFFFFDABADABA
"""Seed of Hudi's hash of a table path: a negative Java int, as an unsigned long."""
_HEARTBEATS = 3
"""The number of heartbeats per lease."""
_SAME = "attribute_exists(#key) AND recordVersionNumber = :version"
_OURS = _SAME + " AND ownerName = :owner"

_log = logging.getLogger(__name__)


def _positive(instance: Any, attribute: attrs.Attribute[Any], value: int) -> None:
    if value < 1:
        raise ValueError(f"{attribute.name} is {value} and must be at least 1")


@define(eq=False)
class DynamoDBLock:
    """Provider DynamoDBBasedLockProvider of Hudi, or DynamoDBBasedImplicitPartitionKeyLockProvider with `implicit`.

    The lock is an item of `table`, which is created if it does not exist. The holder writes a new version of the item
    three times per `lease_ms`. If the version does not change for that time, another writer takes the lock.
    """

    presets = {"DynamoDBBasedImplicitPartitionKeyLockProvider": {"implicit": True}}  # noqa: RUF012 - read only

    table: str = option(
        default="hudi_locks", key=_KEY + "table", help="DynamoDB table of the lock; it can contain many locks."
    )
    partition_key: str | None = option(
        default=None, key=_KEY + "partition_key", help="Key of the lock's item; by default the name of the Hudi table."
    )
    region: str | None = option(
        default=None,
        key=_KEY + "region",
        help="AWS region; by default the environment variable `AWS_REGION` or `AWS_DEFAULT_REGION`, or us-east-1.",
    )
    endpoint_url: str | None = option(
        default=None, key=_KEY + "endpoint_url", help="Address of DynamoDB; by default that of AWS in the region."
    )
    billing_mode: Literal["PAY_PER_REQUEST", "PROVISIONED"] = option(
        default="PAY_PER_REQUEST", key=_KEY + "billing_mode", help="Billing mode of a new table."
    )
    read_capacity: int = option(
        default=20,
        key=_KEY + "read_capacity",
        help="Read capacity of a new table with PROVISIONED.",
        validator=_positive,
    )
    write_capacity: int = option(
        default=10,
        key=_KEY + "write_capacity",
        help="Write capacity of a new table with PROVISIONED.",
        validator=_positive,
    )
    creation_timeout_ms: int = option(
        default=120_000,
        key=_KEY + "table_creation_timeout",
        help="Milliseconds to wait for the creation of a table.",
        validator=_positive,
    )
    lease_ms: int = option(
        default=60_000,
        key="hoodie.write.lock.wait_time_ms",
        help="Milliseconds after which another writer may take the lock of a dead holder; in Hudi also the time to "
        "wait for the lock.",
        validator=_positive,
    )
    access_key: str | None = option(
        default=None, key=_AWS + "access.key", help="Access key; by default that of boto3's configuration.", secret=True
    )
    secret_key: str | None = option(default=None, key=_AWS + "secret.key", help="Secret key.", secret=True)
    session_token: str | None = option(default=None, key=_AWS + "session.token", help="Session token.", secret=True)
    implicit: bool = option(
        default=False, help="Derive the item's key from the table's path, as Hudi's implicit variant does."
    )
    table_path: str | None = option(
        default=None,
        key="hoodie.base.path",
        help="With `implicit`, the path of the table in Hudi's writers; by default the path or URI of the table.",
    )
    _client: Any = field(default=None, init=False, repr=False)
    _seen: tuple[str, float] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        if bool(self.access_key) != bool(self.secret_key):
            given, missing = ("access", "secret") if self.access_key else ("secret", "access")
            raise ValueError(f"{_AWS}{given}.key is set without {_AWS}{missing}.key; set both of them or neither")

    def check(self, target: LockTarget) -> None:
        """Raise `OptionError` if neither an option nor the table provides a name for the lock."""
        if not self.implicit and not (self.partition_key or target.table):
            raise OptionError(
                f"the table at {target.uri} has no name, which is the default key of its lock; set {_KEY}partition_key"
            )

    def try_acquire(self, target: LockTarget) -> _Held | None:
        """Acquire the lock by writing its item; return None if the lease of a holder has not ended.

        The result is also None if another writer acquires the lock at the same time.
        """
        key = self._lock_key(target)
        with self._named(key):
            item = self._read(key)
            version = str(uuid.uuid4())
            new = {
                _PARTITION: key,
                "ownerName": target.owner,
                "leaseDuration": str(self.lease_ms),
                "recordVersionNumber": version,
            }
            if item is None:
                taken = self._put(new, "attribute_not_exists(#key)", {})
            elif "isReleased" in item:
                values = {":version": item["recordVersionNumber"], ":released": item["isReleased"]}
                taken = self._put(new, _SAME + " AND isReleased = :released", values)
            elif self._has_ended(item):
                taken = self._put(new, _SAME, {":version": item["recordVersionNumber"]})
            else:
                return None
            return _Held(self, key, target.owner, version) if taken else None

    def describe(self, target: LockTarget) -> str:
        """Return a description of the item and, if known, its owner."""
        key = self._lock_key(target)
        place = f"item '{key}' of table '{self.table}' in DynamoDB ({self._place})"
        try:
            with self._named(key):
                item = self._read(key)
        except StorageError as error:
            return f"{place}, whose holder is unknown ({error})"
        held = item is not None and "isReleased" not in item
        return f"{place}, held by {item['ownerName'] if item and held else 'no writer'}"

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def _place(self) -> str:
        return self.endpoint_url or self._region

    @property
    def _region(self) -> str:
        return self.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"

    def _lock_key(self, target: LockTarget) -> str:
        if self.implicit:
            return _hashed(self.table_path or target.hudi_path)
        return self.partition_key or target.table

    def _has_ended(self, item: Mapping[str, str]) -> bool:
        """Return whether the lease of the item has passed since this provider first read the item's current version."""
        now, version = time.monotonic(), item["recordVersionNumber"]
        if self._seen is None or self._seen[0] != version:
            self._seen = version, now
            return False
        return now - self._seen[1] > int(item["leaseDuration"]) / 1000

    def _connected(self) -> Any:
        if self._client is None:
            import boto3
            from botocore.config import Config

            endpoint = self.endpoint_url
            if endpoint is not None and "://" not in endpoint:
                endpoint = f"https://{endpoint}"
            self._client = boto3.client(
                "dynamodb",
                region_name=self._region,
                endpoint_url=endpoint,
                aws_access_key_id=self.access_key,
                aws_secret_access_key=self.secret_key,
                aws_session_token=self.session_token,
                config=Config(connect_timeout=5, read_timeout=5, retries={"total_max_attempts": 4, "mode": "standard"}),
            )
        return self._client

    def _read(self, key: str) -> dict[str, str] | None:
        client = self._connected()
        where = {"TableName": self.table, "Key": {_PARTITION: {"S": key}}, "ConsistentRead": True}
        try:
            found = client.get_item(**where)
        except client.exceptions.ResourceNotFoundException:
            self._make_table(client)
            found = client.get_item(**where)
        item = found.get("Item")
        return None if item is None else {name: str(next(iter(value.values()))) for name, value in item.items()}

    def _put(self, item: Mapping[str, str], condition: str, values: Mapping[str, str]) -> bool:
        client = self._connected()
        given: dict[str, Any] = {"ExpressionAttributeValues": _typed(values)} if values else {}
        try:
            client.put_item(
                TableName=self.table,
                Item=_typed(item),
                ConditionExpression=condition,
                ExpressionAttributeNames={"#key": _PARTITION},
                **given,
            )
        except client.exceptions.ConditionalCheckFailedException:
            # the client repeats a call without an answer, and then finds its own item
            return self._is_there(item[_PARTITION], item["recordVersionNumber"])
        return True

    def _is_there(self, key: str, version: str) -> bool:
        return (self._read(key) or {}).get("recordVersionNumber") == version

    def _make_table(self, client: Any) -> None:
        provisioned = {"ReadCapacityUnits": self.read_capacity, "WriteCapacityUnits": self.write_capacity}
        throughput = {"ProvisionedThroughput": provisioned} if self.billing_mode == "PROVISIONED" else {}
        try:
            client.create_table(
                TableName=self.table,
                KeySchema=[{"AttributeName": _PARTITION, "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": _PARTITION, "AttributeType": "S"}],
                BillingMode=self.billing_mode,
                **throughput,
            )
        except client.exceptions.ResourceInUseException:
            _log.info("another writer creates the DynamoDB table '%s', and this writer waits for it", self.table)
        pause = 0.5
        waits = {"Delay": pause, "MaxAttempts": max(1, round(self.creation_timeout_ms / 1000 / pause))}
        client.get_waiter("table_exists").wait(TableName=self.table, WaiterConfig=waits)

    @contextmanager
    def _named(self, key: str) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (BotoCoreError, ClientError) as error:
            text = str(error)
            for secret in (self.access_key, self.secret_key, self.session_token):
                text = text.replace(secret, "***") if secret else text
            raise StorageError(
                f"lock '{key}' in table '{self.table}' of DynamoDB ({self._place}) cannot be accessed: {text}"
            ) from None


@define(eq=False)
class _Held:
    """Held item, renewed by the heartbeats of a thread."""

    _provider: DynamoDBLock
    _key: str
    _owner: str
    _version: str
    _lost: bool = field(default=False, init=False)
    _ended: threading.Event = field(factory=threading.Event, init=False)
    _using: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._run, name=f"lock-{self._key}", daemon=True).start()

    def renew(self) -> None:
        """Write a new version of the item; do nothing after a release.

        Raises:
            LockLost: The item belongs to another writer, or is deleted.
            StorageError: DynamoDB rejects the call or does not respond.
        """
        with self._using, self._provider._named(self._key):
            if self._lost:
                raise self._loss()
            if not self._ended.is_set():
                self._beat()

    def release(self) -> None:
        """Delete the item if it still belongs to this holder. A second call has no effect."""
        with self._using, self._provider._named(self._key):
            if self._ended.is_set():
                return
            self._ended.set()
            client = self._provider._connected()
            try:
                client.delete_item(**self._condition())
            except client.exceptions.ConditionalCheckFailedException:
                # the item belongs to another writer, or an earlier attempt of this call succeeded
                return

    def _beat(self) -> None:
        client, version = self._provider._connected(), str(uuid.uuid4())
        condition = self._condition()
        condition["ExpressionAttributeValues"] |= _typed({":lease": str(self._provider.lease_ms), ":new": version})
        try:
            client.update_item(UpdateExpression="SET leaseDuration = :lease, recordVersionNumber = :new", **condition)
        except client.exceptions.ConditionalCheckFailedException:
            if not self._provider._is_there(self._key, version):
                self._lost = True
                self._ended.set()
                raise self._loss() from None
        self._version = version

    def _condition(self) -> dict[str, Any]:
        return {
            "TableName": self._provider.table,
            "Key": {_PARTITION: {"S": self._key}},
            "ConditionExpression": _OURS,
            "ExpressionAttributeNames": {"#key": _PARTITION},
            "ExpressionAttributeValues": _typed({":version": self._version, ":owner": self._owner}),
        }

    def _loss(self) -> LockLost:
        return LockLost(
            f"the lock '{self._key}' in table '{self._provider.table}' of DynamoDB ended, and another writer took or "
            "deleted it; this process was stopped for too long, or could not reach DynamoDB"
        )

    def _run(self) -> None:
        while not self._ended.wait(self._provider.lease_ms / 1000 / _HEARTBEATS):
            try:
                self.renew()
            except StorageError as error:
                _log.warning("the lock could not be renewed: %s", error)


def _typed(values: Mapping[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"S": value} for name, value in values.items()}


def _hashed(table_path: str) -> str:
    import xxhash

    path = re.sub(r"^s3a://", "s3://", table_path, flags=re.IGNORECASE)
    return xxhash.xxh64(path.encode(), seed=_SEED).hexdigest().upper()


@hookimpl
def hoodoo_lock() -> type[DynamoDBLock]:
    """Return the class of the lock provider."""
    return DynamoDBLock
