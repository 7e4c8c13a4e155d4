"""The operation that options, mode and keys of a table mean."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from hoodoo.errors import OptionError
from hoodoo.options import NoEffectWarning, RuleOptions, WriteOptions, parse
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.writing.prepare.operation_choice import chosen_operation, deleting, overwriting
from hoodoo.writing.prepare.prepare import GROUPS


def chosen(keyless: bool = False, **given: Any) -> WriteOptions:
    return chosen_operation(parse(given, GROUPS), keyless=keyless)


@pytest.mark.parametrize(
    ("keyless", "given", "operation"),
    [
        (False, {}, "upsert"),
        (False, {"operation": "bulk_insert"}, "bulk_insert"),
        (True, {}, "bulk_insert"),
        (True, {"operation": "insert"}, "insert"),
        (False, {"drop_duplicates": True}, "insert"),
        (False, {"drop_duplicates": True, "operation": "bulk_insert"}, "bulk_insert"),
    ],
)
def test_the_operation_of_the_options(keyless: bool, given: dict[str, Any], operation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert chosen(keyless, **given).operation == operation


def test_an_upsert_without_record_keys_inserts_all_rows() -> None:
    with pytest.warns(NoEffectWarning, match="inserts all rows, as in Hudi"):
        found = chosen(keyless=True, operation="upsert", combine_before_insert=True)
    assert (found.operation, found.combine_before_insert) == ("insert", False)


def test_an_upsert_that_drops_duplicates_inserts_one_row_of_each_key() -> None:
    with pytest.warns(NoEffectWarning, match="operation insert"):
        found = chosen(operation="upsert", drop_duplicates=True)
    assert (found.operation, found.combine_before_insert, found.drop_duplicates) == ("insert", True, True)


def test_a_policy_for_duplicates_makes_an_upsert_an_insert_as_in_hudi() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = chosen(dup_policy="drop")
    assert (found.operation, found.combine_before_insert, found.dup_policy) == ("insert", False, "drop")
    with pytest.warns(NoEffectWarning, match="'dup_policy' applies to rows whose keys are stored"):
        assert chosen(operation="upsert", dup_policy="fail").operation == "insert"


@pytest.mark.parametrize("operation", ["insert_overwrite", "insert_overwrite_table", "delete", "delete_partition"])
def test_operations_without_stored_keys_merge_rows_of_the_batch_only(operation: str) -> None:
    with pytest.warns(NoEffectWarning, match="does not look up"):
        found = chosen(operation=operation, drop_duplicates=True)
    assert (found.operation, found.combine_before_insert, found.drop_duplicates) == (operation, True, False)


V6 = {"hoodie.table.version": "6", "hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE"}
MODEL = "org.apache.hudi.common.model."


def deleted(stored: dict[str, str], **given: Any) -> tuple[str | None, str, bool]:
    """Return payload and operation of a write to a table with stored properties, and whether it uses keys only."""
    options = parse(given, GROUPS)
    found, write, keys_only = deleting(
        options, options[WriteOptions], TableProperties({**V6, **stored}), default_catalogue()
    )
    return found[RuleOptions].payload, write.operation, keys_only


@pytest.mark.parametrize("stored", [{}, {"hoodie.compaction.payload.class": MODEL + "OverwriteWithLatestAvroPayload"}])
def test_an_upsert_with_a_payload_that_deletes_every_key_is_a_delete(stored: dict[str, str]) -> None:
    with pytest.warns(NoEffectWarning, match="the write is operation delete"):
        assert deleted(stored, payload="empty") == (None, "delete", True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert deleted(stored, payload="empty", operation="delete") == (None, "delete", True)


@pytest.mark.parametrize(
    ("stored", "given"),
    [
        ({"hoodie.compaction.payload.class": MODEL + "EmptyHoodieRecordPayload"}, {"payload": "empty"}),
        ({"hoodie.table.version": "9"}, {"payload": "empty"}),
        ({}, {"payload": "empty", "operation": "insert"}),
        ({}, {"payload": "event-time"}),
        ({}, {"payload": "not-installed"}),
        ({}, {}),
    ],
)
def test_other_writes_keep_their_operation(stored: dict[str, str], given: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert deleted(stored, **given) == (given.get("payload"), given.get("operation", "upsert"), False)


@pytest.mark.parametrize(
    ("operation", "combines"),
    [
        ("upsert", True),
        ("insert", False),
        ("bulk_insert", False),
        ("insert_overwrite", False),
        ("insert_overwrite_table", False),
    ],
)
def test_mode_overwrite_replaces_the_table(operation: str, combines: bool) -> None:
    found = overwriting(WriteOptions(operation=operation))
    assert (found.operation, found.combine_before_insert) == ("insert_overwrite_table", combines)


@pytest.mark.parametrize("operation", ["delete", "delete_partition"])
def test_a_delete_replaces_no_table(operation: str) -> None:
    with pytest.raises(OptionError, match=f"operation is '{operation}'"):
        overwriting(WriteOptions(operation=operation))
