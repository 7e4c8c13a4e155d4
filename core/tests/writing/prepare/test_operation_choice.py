"""The operation that options, mode and keys of a table mean."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from hoodoo.errors import OptionError
from hoodoo.options import NoEffectWarning, WriteOptions, parse
from hoodoo.writing.prepare.operation_choice import chosen_operation, overwriting
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
