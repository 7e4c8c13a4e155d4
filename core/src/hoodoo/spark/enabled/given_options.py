"""Options of a reader or writer of Spark, with the path of the table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from hoodoo.errors import OptionError
from hoodoo.spark.session_conf import is_enabled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["FORMATS", "GivenOptions", "is_ours"]

FORMATS = ("hudi", "hoodoo", "org.apache.hudi", "org.apache.hudi.defaultsource", "org.apache.hudi.spark3defaultsource")
"""Names of the format, in lower case: Spark's short names and class names."""

_PATH_KEYS = ("path", "basepath")


def is_ours(spark: SparkSession, source: str | None) -> bool:
    """Return whether hoodoo reads and writes a format in a session.

    Args:
        spark: The session.
        source: The name of the format; None for the default format of the session.
    """
    if source is None:
        source = spark.conf.get("spark.sql.sources.default", "") or ""
    return source.lower() in FORMATS and is_enabled(spark)


@define
class GivenOptions:
    """Options with Spark's rules: keys are not case-sensitive, and the last value of a key applies."""

    _values: dict[str, tuple[str, Any]] = field(factory=dict)

    def put(self, key: str, value: Any) -> None:
        """Add an option; None does not replace an earlier value, and numbers and booleans become text."""
        if value is None:
            return
        if isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, int | float):
            value = str(value)
        self._values[key.lower()] = (key, value)

    def without(self, *keys: str) -> dict[str, Any]:
        """Return the options except those of the path and those with the given names, which are in lower case."""
        return {
            key: value for name, (key, value) in self._values.items() if name not in keys and name not in _PATH_KEYS
        }

    def has(self, *keys: str) -> bool:
        """Return whether there is an option with one of these names, which are in lower case."""
        return not self._values.keys().isdisjoint(keys)

    def get(self, key: str) -> Any:
        """Return the value of an option, whose name is in lower case; None if it is not set."""
        return self._values.get(key, (key, None))[1]

    def table_path(self, argument: str | os.PathLike[str] | Sequence[str] | None, call: str, *, globs: bool) -> str:
        """Return the path of the table: the argument of the call, or the option `path` or `basePath`.

        Args:
            argument: The path that was passed to the call, or a list of one path; None if none was passed.
            call: The call in messages, such as `load()`.
            globs: Whether the path may end in `/*` for each level of partitions, as older readers of Hudi required.

        Raises:
            OptionError: There is no path, a list does not have exactly one path, several paths differ, or a pattern
                selects a part of the table.
        """
        given = {} if argument is None else {"path": _one(argument, call)}
        given.update({f"option '{self._values[key][0]}'": self.get(key) for key in _PATH_KEYS if self.has(key)})
        paths = {name: _whole(os.fspath(path), globs) for name, path in given.items()}
        different = {path.rstrip("/") for path in paths.values()}
        if not different:
            raise OptionError(f"the path of the table is missing; use {call.replace('(', '(path')}")
        if len(different) > 1:
            raise OptionError(
                "these paths differ: " + ", ".join(f"{name} = '{path}'" for name, path in sorted(paths.items())) + "; "
                "give the root folder of the table once"
            )
        return next(iter(paths.values()))


def _one(argument: str | os.PathLike[str] | Sequence[str], call: str) -> str | os.PathLike[str]:
    if isinstance(argument, str | os.PathLike):
        return argument
    if len(argument) != 1:
        raise OptionError(
            f"{call} was given {len(argument)} paths, and accepts one; give the root folder of one table, and combine "
            "the rows of several tables with DataFrame.union"
        )
    return argument[0]


def _whole(path: str, globs: bool) -> str:
    """Return the root folder of a path that selects all partitions by a pattern, such as `table/*/*`.

    Return a path without a pattern unchanged, and any path if `globs` is false. Other patterns raise `OptionError`.
    """
    if not globs:
        return path
    root = path
    while (shorter := root.rstrip("/")).endswith("/*"):
        root = shorter[: -len("/*")]
    if any(character in root for character in "*?[{"):
        raise OptionError(
            f"path {path!r} selects a part of the table by a pattern; load the root folder of the table and filter by "
            "the partition columns"
        )
    return root
