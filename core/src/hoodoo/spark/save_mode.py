"""Note on Spark's error for `df.write.format("hoodoo")` in a mode that Spark refuses, with the line to use instead.

Spark refuses the modes `errorifexists`, its default, and `ignore` for a Python data source before it calls the source.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from hoodoo.spark.compatibility.session_calls import error_condition

__all__ = ["note_save_mode"]

_MODULES = ("pyspark.sql.readwriter", "pyspark.sql.connect.readwriter")
_CONDITION = "UNSUPPORTED_DATA_SOURCE_SAVE_MODE"
_MARK = "_hoodoo_notes_save_mode"


def note_save_mode() -> None:
    """Replace PySpark's `DataFrameWriter.save` by a method that adds the note to Spark's error for the format `hoodoo`.

    Nothing else of PySpark is changed. Modules of PySpark that are not imported yet are left out; a later call replaces
    their method, and does not replace a method twice.
    """
    for name in _MODULES:
        module = sys.modules.get(name)
        writer = None if module is None else getattr(module, "DataFrameWriter", None)
        if writer is not None and not hasattr(writer.save, _MARK):
            writer.save = _noting(writer.save)


def _noting(save: Any) -> Any:
    from pyspark.errors import PySparkException

    @functools.wraps(save)
    def noting(self: Any, path: str | None = None, *arguments: Any, **options: Any) -> None:
        try:
            save(self, path, *arguments, **options)
        except PySparkException as error:
            parameters = error.getMessageParameters() or {}
            if error_condition(error) == _CONDITION and parameters.get("source", "").strip('"') == "hoodoo":
                mode = parameters.get("createMode", "").strip('"').lower()
                error.add_note(
                    "df.write.format('hoodoo') cannot shuffle rows by file group; use "
                    f"hoodoo.writer(df).options(**options).mode({mode!r}).save({path or 'PATH'!r})"
                )
            raise

    setattr(noting, _MARK, True)
    return noting
