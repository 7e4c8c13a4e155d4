"""Table that a statement names."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from hoodoo.options import ConcurrencyOptions, given_for
from hoodoo.options.hudi.lock_keys import LOCK_KEYS
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.sql.session_options import StatementOptions, statement_options
from hoodoo.spark.sql.table_properties import without_free
from hoodoo.storage import Storage, storage_for
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["NamePlace", "NamedTable"]


class NamePlace(enum.Enum):
    """Place that stores the name of a table."""

    PATH = "its path"
    SESSION = "the session"
    FILE = "the file of the setting hoodoo.sql.tables"
    CATALOG = "the catalogue of the session"


@frozen
class NamedTable:
    """Table that a statement names.

    Attributes:
        path: The root folder.
        place: The place that stores its name.
        parts: The name, with the database if the place has databases; empty for a path.
        options: The options that the place stores for it.
    """

    path: str
    place: NamePlace
    parts: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        return ".".join(self.parts) if self.parts else f"hoodoo.`{self.path}`"

    def given(self, spark: SparkSession) -> StatementOptions:
        """Return the options from the session and the place. Raise `OptionError` if a setting is unknown or invalid."""
        return statement_options(spark, without_free(self.options))

    def concurrency(self, spark: SparkSession) -> dict[str, Any]:
        """Return the options of locks and concurrency, from the session and the place."""
        given = self.given(spark).write
        of_provider = {key: value for key, value in given.items() if LOCK_KEYS.fullmatch(key.lower())}
        return of_provider | given_for(given, ConcurrencyOptions)

    def storage(self, spark: SparkSession) -> Storage:
        """Return the storage with the files of the table."""
        return storage_for(self.path, self.access(spark))

    def access(self, spark: SparkSession) -> Mapping[str, Any]:
        """Return the options of the object store, with those from the session's settings `spark.hadoop.*`."""
        return with_hadoop_options(spark, self.path, self.given(spark).storage)

    def table(self, spark: SparkSession) -> Table:
        """Return the table. Raise `NotATable` if there is none at the path."""
        return Table(self.path, self.access(spark))
