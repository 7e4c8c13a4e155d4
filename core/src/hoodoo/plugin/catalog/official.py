"""The official plugins by name, with the other names that Hudi's tables and users have for them.

It lets a name that is not installed be answered with the line that installs it; nothing is looked up here otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["KNOWN", "distribution_name", "known_names"]

_MODEL = "org.apache.hudi.common.model."
_KEYGEN = "org.apache.hudi.keygen."
_LOCK = "org.apache.hudi.client.transaction.lock."
_AWS_LOCK = "org.apache.hudi.aws.transaction.lock."

KNOWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "payload": {
        "aws-dms": (_MODEL + "AWSDmsAvroPayload",),
        "empty": (_MODEL + "EmptyHoodieRecordPayload",),
        "event-time": (_MODEL + "DefaultHoodieRecordPayload",),
        "event-time-avro": (_MODEL + "EventTimeAvroPayload",),
        "expression": ("org.apache.spark.sql.hudi.command.payload.ExpressionPayload",),
        "first-value": (_MODEL + "FirstValueAvroPayload",),
        "mysql-debezium": (_MODEL + "debezium.MySqlDebeziumAvroPayload",),
        "overwrite-non-defaults": (_MODEL + "OverwriteNonDefaultsWithLatestAvroPayload",),
        "overwrite-with-latest": (_MODEL + "OverwriteWithLatestAvroPayload",),
        "partial-update": (_MODEL + "PartialUpdateAvroPayload",),
        "pass-through": (_MODEL + "HoodieAvroPayload",),
        "postgres-debezium": (_MODEL + "debezium.PostgresDebeziumAvroPayload",),
    },
    "merger": {
        "aggregate": (),
        "commit-time": (
            "COMMIT_TIME_ORDERING",
            "ce9acb64-bde0-424c-9b91-f6ebba25356d",
            _MODEL + "OverwriteWithLatestMerger",
            "BufferedRecordMergerFactory.CommitTimeRecordMerger",
        ),
        "commit-time-partial": (),
        "deduplicate": (),
        "event-time": (
            "EVENT_TIME_ORDERING",
            "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
            "BufferedRecordMergerFactory.EventTimeRecordMerger",
        ),
        "event-time-partial": (),
        "first-row": (),
        "first-value": (),
        "null-partial": (),
        "per-column-event-time": (),
        "sequence-group": (),
    },
    "keygen": {
        "auto": (
            "AUTO_RECORD",
            "AUTO_RECORD_AVRO",
            _KEYGEN + "AutoRecordGenWrapperKeyGenerator",
            _KEYGEN + "AutoRecordGenWrapperAvroKeyGenerator",
        ),
        "complex": ("COMPLEX", "COMPLEX_AVRO", _KEYGEN + "ComplexKeyGenerator", _KEYGEN + "ComplexAvroKeyGenerator"),
        "custom": ("CUSTOM", "CUSTOM_AVRO", _KEYGEN + "CustomKeyGenerator", _KEYGEN + "CustomAvroKeyGenerator"),
        "global-delete": (
            "GLOBAL_DELETE",
            "GLOBAL_DELETE_AVRO",
            _KEYGEN + "GlobalDeleteKeyGenerator",
            _KEYGEN + "GlobalAvroDeleteKeyGenerator",
        ),
        "non-partitioned": (
            "NON_PARTITION",
            "NON_PARTITION_AVRO",
            _KEYGEN + "NonpartitionedKeyGenerator",
            _KEYGEN + "NonpartitionedAvroKeyGenerator",
        ),
        "simple": ("SIMPLE", "SIMPLE_AVRO", _KEYGEN + "SimpleKeyGenerator", _KEYGEN + "SimpleAvroKeyGenerator"),
        "timestamp": (
            "TIMESTAMP",
            "TIMESTAMP_AVRO",
            _KEYGEN + "TimestampBasedKeyGenerator",
            _KEYGEN + "TimestampBasedAvroKeyGenerator",
        ),
        "uuid": (_KEYGEN + "UuidKeyGenerator",),
    },
    "delete": {
        "any-of": (),
        "builtin-flag": (),
        "custom-marker": (),
        "debezium-op": (),
        "debezium-unwrap": (),
        "dms-op": (),
        "hoodie-operation": (),
        "ignore-delete": (),
        "none": (),
        "payload-default": (),
        "rowkind": (),
    },
    "aggregate": {
        "bool-and": (),
        "bool-or": (),
        "collect": (),
        "count": (),
        "first-non-null-value": (),
        "first-value": (),
        "last-non-null-value": (),
        "last-value": (),
        "listagg": (),
        "max": (),
        "merge-map": (),
        "min": (),
        "product": (),
        "sum": (),
    },
    "lock": {
        "dynamodb": (
            _AWS_LOCK + "DynamoDBBasedLockProvider",
            _AWS_LOCK + "DynamoDBBasedImplicitPartitionKeyLockProvider",
        ),
        "file-system": (_LOCK + "FileSystemBasedLockProvider",),
        "in-process": (_LOCK + "InProcessLockProvider",),
        "storage-based": (_LOCK + "StorageBasedLockProvider",),
        "zookeeper": (_LOCK + "ZookeeperBasedLockProvider", _LOCK + "ZookeeperBasedImplicitBasePathLockProvider"),
    },
    "pre_commit": {},
    "post_commit": {},
}


def distribution_name(family: str, name: str) -> str:
    """The distribution of an official plugin."""
    return f"hoodoo-{family}-{name}"


def known_names(family: str) -> Iterator[tuple[str, str]]:
    """Every name and alias of the official plugins of a family, with the plugin that it means."""
    for name, aliases in KNOWN[family].items():
        yield name, name
        for alias in aliases:
            yield alias, name
