"""pytest fixtures: a small table, written in this process (`hoodoo_table`) or by Spark (`hoodoo_spark_table`).

pytest finds them by the entry point of hoodoo-core. Other modules are imported when a test first uses a fixture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SmallTable", "hoodoo_spark_table", "hoodoo_table"]

DEFAULTS = {"table_name": "small", "record_key": "id"}


class SmallTable:
    """Table in its own folder.

    Args:
        path: The root folder of the table.
        write: A function that writes Arrow rows with options.
        options: The options of all writes; the default record key is `id`.
    """

    def __init__(
        self, path: Path, write: Callable[[pa.Table, Mapping[str, Any]], Any], options: Mapping[str, Any]
    ) -> None:
        self.path = path
        self.options = {**DEFAULTS, **options}
        self._write = write

    def write(self, rows: pa.Table | Sequence[Mapping[str, Any]], **options: Any) -> Any:
        """Write rows in their order of arrival, and return the commit.

        Args:
            rows: An Arrow table, or dictionaries, whose types Arrow infers.
            options: Additional options of this write.
        """
        import pyarrow as pa

        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows))
        return self._write(table, {**self.options, **options})

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table without meta columns, sorted by record key."""
        import hoodoo
        from hoodoo.schema.meta_columns import RECORD_KEY

        table = hoodoo.Table(self.path)
        # one read, because two reads of merged logs may return rows in different orders
        stored = table.to_arrow([RECORD_KEY, *table.schema.names])
        return stored.sort_by(RECORD_KEY).drop_columns([RECORD_KEY]).to_pylist()  # type: ignore[no-any-return]


@pytest.fixture
def hoodoo_table(tmp_path: Path) -> Callable[..., SmallTable]:
    """Return a function that makes tables in this process: `hoodoo_table(merger="my-merger", ordering="ts")`."""
    from hoodoo.testing.engine import write_arrow

    return _tables(tmp_path, lambda table, path, options: write_arrow(table, path, options))


@pytest.fixture
def hoodoo_spark_table(tmp_path: Path, hoodoo_spark: Any) -> Callable[..., SmallTable]:
    """Return a function that makes tables written by the executors of a local Spark session."""
    import hoodoo
    from hoodoo.spark.compatibility.session_calls import frame_of_table

    def write(table: pa.Table, path: Path, options: Mapping[str, Any]) -> Any:
        return hoodoo.write(frame_of_table(hoodoo_spark, table), str(path), options)

    return _tables(tmp_path, write)


@pytest.fixture(scope="session")
def hoodoo_spark() -> Any:
    """Return the active Spark session, or a new local one with two cores. Skip the test if Spark cannot start.

    The session is not stopped: other code may use it, and it ends with the process.
    """
    from hoodoo.errors import JavaNotFound, OptionError
    from hoodoo.spark.session import local_session

    try:
        return local_session("hoodoo.testing", cores="2")
    except (JavaNotFound, OptionError) as error:
        pytest.skip(str(error))


def _tables(folder: Path, write: Callable[[pa.Table, Path, Mapping[str, Any]], Any]) -> Callable[..., SmallTable]:
    made: list[Path] = []

    def make(**options: Any) -> SmallTable:
        path = folder / f"hoodoo-table-{len(made)}"
        made.append(path)
        return SmallTable(path, lambda table, given: write(table, path, given), options)

    return make
