"""Batches that fit a table, and the errors for others, which name every column."""

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.schema.evolution import evolved_schema, is_wider

TABLE = pa.schema([pa.field("id", pa.string(), nullable=False), ("n", pa.int64()), ("d", pa.decimal128(10, 2))])


def test_order_does_not_matter_and_nullable_columns_may_be_missing() -> None:
    """A batch may have its columns in another order; the table keeps its own order."""
    assert evolved_schema(pa.schema([("n", pa.int64()), ("id", pa.string())]), TABLE) == TABLE


def test_new_columns_come_last_and_are_nullable() -> None:
    """New columns are nullable, because stored rows have no value for them."""
    incoming = pa.schema([("id", pa.string()), pa.field("x", pa.float64(), nullable=False)])

    assert evolved_schema(incoming, TABLE).field("x") == pa.field("x", pa.float64())


def test_narrower_values_fit_wider_columns() -> None:
    """Integers fit into longer ones, and decimals into those with more digits."""
    incoming = pa.schema([("id", pa.string()), ("n", pa.int32()), ("d", pa.decimal128(5, 1))])

    assert evolved_schema(incoming, TABLE) == TABLE


@pytest.mark.parametrize(
    ("column", "type_", "message"),
    [
        ("n", pa.string(), "column 'n' has type string and the table has int64"),
        ("d", pa.decimal128(10, 4), "digits would be lost"),
        ("N", pa.int64(), "differs from the table's column 'n' only in case"),
    ],
)
def test_what_does_not_fit_is_named(column: str, type_: pa.DataType, message: str) -> None:
    """The error states the column and the reason."""
    with pytest.raises(SchemaError, match=message):
        evolved_schema(pa.schema([("id", pa.string()), (column, type_)]), TABLE)


def test_narrowing_says_what_to_cast_to() -> None:
    """The error about a long in a column of ints advises a cast."""
    with pytest.raises(SchemaError, match="cast it to int32"):
        evolved_schema(pa.schema([("n", pa.int64())]), pa.schema([("n", pa.int32())]))


def test_missing_required_column() -> None:
    """A column that is declared not null is required."""
    with pytest.raises(SchemaError, match="column 'id' is missing and the table requires it"):
        evolved_schema(pa.schema([("n", pa.int64())]), TABLE)


def test_a_column_gets_a_wider_type_only_if_it_shall() -> None:
    """With `widens`, columns get the wider types of a batch; without it, the batch is refused."""
    table = pa.schema([pa.field("id", pa.string(), nullable=False), ("n", pa.int32()), ("x", pa.int32())])
    wider = pa.schema([("id", pa.string()), ("n", pa.int64()), ("x", pa.float64()), ("y", pa.int32())])

    assert evolved_schema(wider, table, widens=True) == pa.schema(
        [pa.field("id", pa.string(), nullable=False), ("n", pa.int64()), ("x", pa.float64()), ("y", pa.int32())]
    )
    with pytest.raises(SchemaError, match="narrower"):
        evolved_schema(wider, table)


@pytest.mark.parametrize(
    ("type_", "stored"),
    [
        (pa.float64(), pa.float32()),
        (pa.float32(), pa.int32()),
        (pa.float64(), pa.int64()),
        (pa.decimal128(12, 2), pa.decimal128(10, 2)),
        (pa.string(), pa.int32()),
    ],
)
def test_other_types_lose_digits_or_readers_disagree_about_them(type_: pa.DataType, stored: pa.DataType) -> None:
    assert not is_wider(type_, stored)
    with pytest.raises(SchemaError):
        evolved_schema(pa.schema([("n", type_)]), pa.schema([("n", stored)]), widens=True)
