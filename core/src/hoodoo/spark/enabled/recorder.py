"""Common base of the readers and writers of an enabled session, which records the format and the options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.spark.enabled.given_options import GivenOptions, is_ours

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Recorder"]


class Recorder:
    """Base class that records the arguments of calls, and precedes PySpark's class in the method resolution order.

    Each call is passed on to Spark, except for `format` with a format of Hudi tables.
    """

    def begin_options(self, session: SparkSession) -> None:
        """Clear the recorded calls: no format and no options remain."""
        self._hoodoo_session = session
        self._hoodoo_options = GivenOptions()
        self._hoodoo_ours: bool | None = None

    def format(self, source: str) -> Any:
        """Set the format."""
        self._hoodoo_ours = is_ours(self._hoodoo_session, source)
        # some sessions look a format up at once, and the format of hoodoo may not exist there
        return self if self._hoodoo_ours else super().format(source)  # type: ignore[misc]

    def option(self, key: str, value: Any) -> Any:
        """Set an option."""
        self._hoodoo_options.put(key, value)
        return super().option(key, value)  # type: ignore[misc]

    def options(self, **options: Any) -> Any:
        """Set options."""
        for key, value in options.items():
            self._hoodoo_options.put(key, value)
        return super().options(**options)  # type: ignore[misc]

    def _is_ours(self) -> bool:
        """Return whether hoodoo reads or writes the format, or the default format of the session if none was set."""
        if self._hoodoo_ours is None:
            self._hoodoo_ours = is_ours(self._hoodoo_session, None)
        return self._hoodoo_ours
