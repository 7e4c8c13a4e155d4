"""`hoodoo.enable` and `hoodoo.disable`: the format `hudi` of a session is read and written by hoodoo.

This module and `hoodoo.spark.save_mode` are the only ones that change PySpark. This one replaces three properties:
`DataFrame.write`, `DataFrame.writeStream` and `SparkSession.read`. The values of these properties remain objects of
PySpark. Their class becomes a subclass that records the format and the options, and inherits all other methods. The
module also replaces the methods `SparkSession.sql` and `SparkSession.table` by methods that pass statements and names
of other tables on to Spark. A setting of the session states whether the session is enabled. `hoodoo.enable` therefore
applies to all Python objects of the session, to the copies that Spark makes of the session for streaming queries, and
to no other session.
"""

from __future__ import annotations

import functools
import threading
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from hoodoo.spark.enabled.reader import EnabledReader
from hoodoo.spark.enabled.stream_writer import EnabledStreamWriter
from hoodoo.spark.enabled.writer import EnabledWriter
from hoodoo.spark.session_conf import ENABLED_KEY, is_enabled
from hoodoo.spark.sql.plain_sql import ORIGINAL
from hoodoo.spark.sql.rows.table_rows import table_of_name
from hoodoo.spark.sql.run import run_statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["disable", "enable"]

_originals: dict[tuple[type, str], Any] = {}
"""Replaced properties and methods by class and name."""

_enabled: WeakValueDictionary[str, SparkSession] = WeakValueDictionary()
"""Enabled sessions by the value of their setting."""

_subclasses: dict[tuple[type, type], type] = {}
"""Recording subclasses by PySpark's class and the class that records."""

_lock = threading.Lock()


def enable(spark: SparkSession) -> None:
    """Read and write the formats `hudi`, `org.apache.hudi` and `hoodoo` of a session by hoodoo.

    `df.write`, `df.writeStream` and `spark.read` of other sessions, and with other formats, do not change. `spark.sql`
    executes the statements of `hoodoo.sql`, and passes those without Hudi tables to Spark. `spark.table` and
    `spark.read.table` accept the same names of Hudi tables as these statements. A second call changes nothing.
    `hoodoo.disable` reverses `hoodoo.enable`.

    Args:
        spark: The session, classic or Connect.
    """
    with _lock:
        token = spark.conf.get(ENABLED_KEY, None)
        if token is None:
            token = uuid.uuid4().hex
            spark.conf.set(ENABLED_KEY, token)
        # a copy of an enabled session has its token, and ends before it
        _enabled.setdefault(token, spark)
        frame = type(spark.range(0))
        _replace(frame, "write", EnabledWriter)
        _replace(frame, "writeStream", EnabledStreamWriter)
        _replace(type(spark), "read", EnabledReader)
        _replace_method(type(spark), "sql", _sql)
        _replace_method(type(spark), "table", _table)


def disable(spark: SparkSession) -> None:
    """Reverse `hoodoo.enable` for a session.

    If no other session is enabled, the properties and methods of PySpark are restored.

    Args:
        spark: The session; a session that is not enabled does not change.
    """
    with _lock:
        token = spark.conf.get(ENABLED_KEY, None)
        if token is not None:
            spark.conf.unset(ENABLED_KEY)
            _enabled.pop(token, None)
        if not _enabled:
            for (owner, name), original in _originals.items():
                setattr(owner, name, original)
            _originals.clear()


def _replace(kind: type, name: str, recorder: type) -> None:
    """Replace a property by one whose values record calls, in the class that defines it: `kind` or a base class."""
    owner = next(base for base in kind.__mro__ if name in vars(base))
    if (owner, name) not in _originals:
        original: property = vars(owner)[name]
        _originals[owner, name] = original
        setattr(owner, name, property(_recording(original, recorder), doc=original.__doc__))


def _replace_method(kind: type, name: str, made: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a method in the class that defines it: `kind` or one of its base classes.

    Args:
        kind: The class of the session.
        name: The name of the method.
        made: The function that returns the new method for Spark's method.
    """
    owner = next(base for base in kind.__mro__ if name in vars(base))
    if (owner, name) in _originals:
        return
    original = vars(owner)[name]
    _originals[owner, name] = original
    method = functools.wraps(original)(made(original))
    setattr(method, ORIGINAL, original)
    setattr(owner, name, method)


def _sql(original: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
    def sql(self: SparkSession, sqlQuery: str, args: Any = None, **kwargs: Any) -> DataFrame:
        if not is_enabled(self):
            return original(self, sqlQuery, args, **kwargs)
        return run_statement(self, sqlQuery, args or {}, kwargs)

    return sql


def _table(original: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
    def table(self: SparkSession, tableName: str) -> DataFrame:
        found = table_of_name(self, tableName, {}) if is_enabled(self) else None
        return original(self, tableName) if found is None else found

    return table


def _recording(original: property, recorder: type) -> Callable[[Any], Any]:
    """Return the getter of a property whose value records its calls."""

    def made(source: Any) -> Any:
        def plain() -> Any:
            return original.__get__(source)

        value = plain()
        value.__class__ = _subclass(type(value), recorder)
        value.begin_record(source, plain)
        return value

    return made


def _subclass(kind: type, recorder: type) -> type:
    found = _subclasses.get((kind, recorder))
    if found is None:
        found = type(kind.__name__, (recorder, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})
        _subclasses[kind, recorder] = found
    return found
