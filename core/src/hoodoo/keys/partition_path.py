"""Construction of partition paths, the table-relative folders of rows; a path that leaves the table is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import DataError, OptionError
from hoodoo.keys.distinct_values import examples, map_distinct
from hoodoo.keys.value_text import as_text
from hoodoo.options import default_plugins
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at

__all__ = [
    "DEFAULT_PARTITION",
    "check_partition_paths",
    "escape_paths",
    "escaped_path",
    "hive_style",
    "partition_paths",
    "single_field",
    "single_partition_paths",
]

DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The text in a partition path for a value that is null or empty."""

_ESCAPED = re.compile("[\x00-\x1f\x7f\"#%'*/:=?\\\\{\\[\\]^]")
_SEGMENT_THAT_MOVES = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")
# HOODIE_FOLDER of the storage, which keys do not import
_META_FOLDER = re.compile(r"\.hoodie(?:/|$)")


def single_partition_paths(rows: pa.Table, config: KeyConfig, generator: str) -> pa.Array:
    """Make the paths of a table that is partitioned by exactly one column.

    Args:
        rows: The incoming rows; an absent column reads as null.
        config: The configuration, with the column and the style of paths.
        generator: The key generator's name, for messages.

    Returns:
        A string array, one path per row, without nulls.

    Raises:
        OptionError: Not exactly one partition column is configured (code `simple_needs_one_field`).
        DataError: `check_partition_paths` refuses a path (`path_traversal`).
        SchemaError: The column has a type that cannot be part of a path.
    """
    single_field(config, generator)
    return partition_paths(rows, config)


def partition_paths(rows: pa.Table, config: KeyConfig) -> pa.Array:
    """Make the paths of a table with any number of partition columns, whose texts are joined by `/`.

    A null or empty value, or an absent column, becomes `__HIVE_DEFAULT_PARTITION__`. `config` may require further
    steps, in this order: values are url-encoded, values get the prefix `column=`, and the date of a single partition
    column becomes three levels.

    Returns:
        A string array, one path per row, without nulls; every path is "" if no partition column is configured.

    Raises:
        DataError: `check_partition_paths` refuses a path (code `path_traversal`).
        SchemaError: A column has a type that cannot be part of a path.
    """
    fields = config.partition_by
    if not fields:
        return pa.repeat(pa.scalar("", pa.string()), rows.num_rows)
    levels = [_level(rows, field, config) for field in fields]
    if len(fields) == 1 and config.slash_date:
        levels[0] = _slash_dates(levels[0])
    paths = levels[0] if len(levels) == 1 else pc.binary_join_element_wise(*levels, "/")
    check_partition_paths(paths, fields)
    return paths


def single_field(config: KeyConfig, generator: str) -> str:
    """Return the only partition column; raise OptionError (code `simple_needs_one_field`) for none or several."""
    if len(config.partition_by) != 1:
        named = f"{len(config.partition_by)}: {', '.join(config.partition_by)}" if config.partition_by else "none"
        better = (
            default_plugins.KEYGEN_OF_SEVERAL_COLUMNS
            if config.partition_by
            else default_plugins.KEYGEN_WITHOUT_PARTITIONS
        )
        raise OptionError(
            f"key generator '{generator}' takes one partition column and 'partition_by' names {named};"
            f" use key generator '{better}'",
            code="simple_needs_one_field",
        )
    return config.partition_by[0]


def check_partition_paths(paths: pa.Array, columns: Sequence[str] = ()) -> None:
    """Raise if a path is not a folder inside the table.

    A path must not have a segment that is `..`, `.` or empty (as in an absolute path), must not begin with the segment
    `.hoodie`, and must not contain NUL or a backslash. The empty path is permitted: it is the table itself.

    Args:
        paths: Table-relative partition paths.
        columns: The partition columns, for the message.

    Raises:
        DataError: A path is refused (code `path_traversal`); the message has the columns and the first such paths.
    """
    bad = [path for path in pc.unique(paths).to_pylist() if path and _leaves_table(path)]
    if bad:
        names = ", ".join(f"'{column}'" for column in columns)
        source = f"the partition values of {names}" if columns else "the partition paths"
        raise DataError(
            f"{source} are not all folders inside the table ({examples(bad)}): '..', '.' and empty "
            "segments, a leading '/' or '.hoodie', backslashes and NUL are refused; correct the values, or create "
            "the table with 'url_encode' (hoodie.datasource.write.partitionpath.urlencode) if a slash, backslash or "
            "NUL is part of a value",
            code="path_traversal",
        )


def escape_paths(values: pa.Array) -> pa.Array:
    """Return values in which every character that Hudi url-encodes is written as `%XX`."""
    return map_distinct(values, escaped_path)


def escaped_path(value: str) -> str:
    """Return a value in which every character that Hudi url-encodes is written as `%XX`."""
    return _ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", value)


def hive_style(values: pa.Array, column: str) -> pa.Array:
    """Return values in the form `column=value`."""
    return pc.binary_join_element_wise(f"{column}=", values, "")


def _level(rows: pa.Table, field: str, config: KeyConfig) -> pa.Array:
    values = column_at(rows, field)
    if values is None:
        values = pa.nulls(rows.num_rows, pa.string())
    text = as_text(values, field, consistent_timestamps=config.consistent_logical_timestamps)
    text = pc.if_else(pc.equal(pc.fill_null(text, ""), ""), DEFAULT_PARTITION, text)
    if config.url_encode:
        text = escape_paths(text)
    return hive_style(text, field) if config.hive_style else text


def _slash_dates(paths: pa.Array) -> pa.Array:
    # a leading dash would become a leading slash: such a value is not a date and remains unchanged
    return pc.if_else(pc.starts_with(paths, "-"), paths, pc.replace_substring(paths, "-", "/"))


def _leaves_table(path: str) -> bool:
    return (
        "\x00" in path
        or "\\" in path
        or _SEGMENT_THAT_MOVES.search(path) is not None
        or _META_FOLDER.match(path) is not None
    )
